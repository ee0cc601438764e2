"""How soon searches found something, as a picture: a line for each release and strategy."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any

from tests.searches import groups_of, median

Row = Mapping[str, Any]
WIDTH, LEFT, RIGHT, TOP, LINE = 760, 190, 690, 44, 22  # user units
TICKS = (1, 3, 10, 30, 100, 300, 1000)  # seconds
HEAD = """<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" \
viewBox="0 0 {width} {height}" role="img" aria-labelledby="t d">
<title id="t">How soon searches find something</title>
<desc id="d">A line for each release and strategy; a filled circle is a search that found \
something after so many seconds, an open one a search that ended without, a bar the median.</desc>
<style>
svg {{ --ink: #18212c; --quiet: #566273; --faint: #dfe4ea; --red: #a8201a; --card: #ffffff; \
background: var(--card); font: 12px/1.4 system-ui, "Segoe UI", Roboto, "Liberation Sans", \
sans-serif; }}
@media (prefers-color-scheme: dark) {{ svg {{ --ink: #e6ebf1; --quiet: #9fabba; --faint: #2a343f; \
--red: #ff9d94; --card: #181f27; }} }}
text {{ fill: var(--ink); }} .tick {{ fill: var(--quiet); font-size: 11px; }}
path {{ stroke: var(--faint); fill: none; }} .median {{ stroke: var(--red); stroke-width: 3; }}
circle {{ stroke: var(--red); stroke-width: 1.5; fill: none; }} .found {{ fill: var(--red); }}
.censored {{ stroke: var(--quiet); }}
</style>"""


def picture(rows: Sequence[Row]) -> str:
    groups = groups_of(rows)
    height = TOP + LINE * len(groups) + 10
    longest = max((row["seconds"] for row in rows), default=TICKS[-1])
    ticks = [each for each in TICKS if each <= longest * 1.2]
    lines = [HEAD.format(width=WIDTH, height=height)]
    for each in ticks:
        lines.append(f'<path d="M{_x(each, longest)} 28V{height - 8}"/>')
        lines.append(f'<text class="tick" x="{_x(each, longest) + 3}" y="24">{each} s</text>')
    for number, (name, mine) in enumerate(groups.items()):
        lines += _line(" ".join(name), mine, TOP + LINE * number, longest)
    return "\n".join([*lines, "</svg>", ""])


def _line(name: str, rows: Sequence[Row], y: float, longest: float) -> Iterator[str]:
    found = sum(bool(row["claims"]) for row in rows)
    told = f"{found} of {len(rows)}"
    yield f'<text x="{LEFT - 12}" y="{y + 4}" text-anchor="end">{escape(name)}</text>'
    yield f'<text class="tick" x="{RIGHT + 12}" y="{y + 4}">{told}</text>'
    for row in rows:
        kind = "found" if row["claims"] else "censored"
        what = f"seed {row['seed']}: {row['seconds']} s, {row['schedules']} schedules"
        circle = f'<circle class="{kind}" cx="{_x(row["seconds"], longest)}" cy="{y}" r="4">'
        yield f"{circle}<title>{what}</title></circle>"
    middle, _, _ = median([row["seconds"] for row in rows], [not row["claims"] for row in rows])
    if math.isfinite(middle):
        yield f'<path class="median" d="M{_x(middle, longest)} {y - 8}v16"/>'


def _x(seconds: float, longest: float) -> float:
    """Logarithmic, from a second on."""
    share = math.log(max(seconds, 1.0)) / math.log(max(longest, 10.0))
    return round(LEFT + (RIGHT - LEFT) * min(share, 1.0), 1)
