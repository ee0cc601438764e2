"""What is kept of comparisons for the page of results."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests import kept_cells


def test_a_reason_that_names_a_file_names_no_directory_of_one_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept_cells, "KEPT", tmp_path / "kept")
    (out := tmp_path / "out").mkdir()
    reason = f"waited 2.0 s for billing-2 to end; look at {out}/runs/a/4.1.1/1/billing-2.log"
    cell = {"scenario": "a", "kafka": "4.1.1", "seconds": [1.0], "reasons": [reason]}
    (out / "compare.json").write_text(json.dumps({"cells": [cell]}))

    kept_cells.keep("clients", {out: ["clients"]})

    (kept,) = json.loads((tmp_path / "kept" / "clients.json").read_text())["cells"]
    assert kept["reasons"] == [
        "waited 2.0 s for billing-2 to end; look at runs/a/4.1.1/1/billing-2.log"
    ]


def test_ladders_of_several_directories_are_told_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept_cells, "KEPT", tmp_path / "kept")
    told: dict[str, object] = {
        "scenario": "a", "kafka": "4.1.1", "control": None, "backend": "process", "trials": 3,
        "reproduced": 0, "clean": 3, "inconclusive": 0, "acked": 3, "anomalies": {},
        "not_promised": {}, "rewritten": {}, "unexpected": [], "as_expected": True,
        "seconds": [1.0, 2.0, 3.0], "reasons": [], "runs": ["runs/a/4.1.1/1"],
    }  # fmt: skip
    changed = {**told, "scenario": "b", "clean": 2, "reproduced": 1}
    anew = {**told, "scenario": "b", "trials": 5, "clean": 5}
    later = {**told, "scenario": "Z", "seconds": [60.0, 60.0, 60.0]}
    outs = [tmp_path / each for each in ("first", "second", "third")]
    for out, cells in zip(outs, ([told, changed], [told, changed], [anew, later]), strict=True):
        out.mkdir()
        (out / "compare.json").write_text(json.dumps({"cells": cells}))
    for out, sittings in zip(outs, ([600.0, 1800.0], [1200.0]), strict=False):
        (out / "sittings.json").write_text(json.dumps(sittings))

    kept_cells.put_together(outs[:2], outs[2:])

    kept = json.loads((tmp_path / "kept" / "ladder.json").read_text())
    whole = "highwater matrix -n 3 --reruns 2"
    assert kept["minutes"] == "40 and 20 and 3"
    assert kept["command"] == "\n".join([whole, whole, f"{whole} -s b -s Z"])
    assert [(row["scenario"], row["trials"], row["clean"]) for row in kept["cells"]] == [
        ("Z", 3, 3),
        ("a", 6, 6),
        ("b", 5, 5),
    ]
    assert not any("runs" in row for row in kept["cells"])
