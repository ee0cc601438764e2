"""The charts of a run as a notebook shows them: in a frame that keeps its style to itself."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

from playwright.sync_api import Page, expect

import highwater


def test_the_charts_of_a_run_are_drawn_in_a_notebook(
    page: Page, tmp_path: Path, kip101: ModuleType
) -> None:
    kip101.write(tmp_path / "runs", kip101.Trial())
    (picture,) = highwater.read(tmp_path / "runs").charts.values()
    notebook = tmp_path / "notebook.html"
    notebook.write_text(f"<p>ours</p>{picture._repr_html_()}", encoding="utf-8")
    said: list[str] = []
    page.on("console", lambda line: said.append(line.text))

    page.goto(notebook.as_uri())

    frame = page.frame_locator("iframe")
    expect(frame.get_by_role("img", name="Timeline")).to_be_visible()
    expect(frame.get_by_role("img", name="Log end offset and high watermark")).to_be_visible()
    assert frame.locator("html").evaluate("each => each.scrollHeight <= each.clientHeight")
    expect(page.get_by_text("ours")).to_have_css("font-family", '"Times New Roman"')
    assert said == []
