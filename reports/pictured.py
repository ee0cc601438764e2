"""The charts of one run by themselves, for where there is no page: a notebook."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape

from highwater.harness.record.reader import StoredRun
from highwater.reports.contents import load
from highwater.reports.exhibit import Charts, charts
from highwater.reports.page import template

WIDE, MARGIN = 1000, 40  # in the units of the charts


@dataclass(frozen=True)
class Picture:
    """Timeline, log end offsets and high watermarks, rates and latencies of one run.

    It is drawn when it is shown, as the report draws it, in a frame that keeps its style to itself.
    """

    title: str
    run: StoredRun = field(repr=False)

    def _repr_html_(self) -> str:
        view = charts(load(self.run), "picture")
        page = template("pictured.html.j2").render(title=self.title, view=view)
        style = f"width:100%;aspect-ratio:{WIDE}/{_height(view):.0f};border:0"
        return (
            f'<iframe title="{escape(self.title)}" sandbox="" style="{style}" '
            f'srcdoc="{escape(page)}"></iframe>'
        )


def _height(view: Charts) -> float:
    heights = [view.timeline.height, *(each.height for each in view.watermarks)]
    heights += [each.height for each in view.achieved.charts]
    return MARGIN + sum(height + MARGIN for height in heights)
