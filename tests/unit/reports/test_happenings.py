"""A page of a record that somebody else wrote, or that is damaged: it is drawn, and says so."""

from __future__ import annotations

import html
import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from highwater.harness.errors import RecordError
from highwater.harness.record.reader import find_runs, open_run
from highwater.reports import write_report


@pytest.mark.parametrize(
    "strange",
    [
        {"kind": {"a": 1}},
        {"kind": "metadata", "leader": {}},
        {"kind": "gate", "stage": ["request"]},
        {"kind": "metadata", "isr": [1, {}]},
        {"at_ns": 1e300},
        {"text": None},
    ],
    ids=str,
)
def test_an_event_of_other_types_is_left_out_and_told(
    strange: dict[str, Any], kip101: ModuleType, tmp_path: Path
) -> None:
    path = kip101.write(tmp_path, kip101.Trial())
    told = {"at_ns": 5, "kind": "step", "text": "it is said", **strange}
    with (path / "events.jsonl").open("a") as events:
        events.write(json.dumps(told) + "\n")

    page = write_report(tmp_path, [kip101.cell(kip101.Trial())], find_runs(tmp_path))

    shown = html.unescape(page.read_text(encoding="utf-8"))
    assert "lines are not as we write them, and left out; the first is {" in shown
    assert "Truncating log t-0 to offset 1." in shown


@pytest.mark.parametrize(
    "strange", [{"witnesses": None}, {"witnesses": ["x"]}, {"reason": 3}, {"considered": "1"}]
)
def test_a_verdict_of_other_types_is_none(
    strange: dict[str, Any], kip101: ModuleType, tmp_path: Path
) -> None:
    path = kip101.write(tmp_path, kip101.Trial())
    content = json.loads((path / "verdicts.json").read_text())
    content["verdicts"][0] |= strange
    (path / "verdicts.json").write_text(json.dumps(content))

    with pytest.raises(RecordError, match="no verdicts as we write them"):
        open_run(path).verdicts()
    page = write_report(tmp_path, [kip101.cell(kip101.Trial())], find_runs(tmp_path))
    assert "no verdicts as we write them" in page.read_text(encoding="utf-8")
