"""What is kept of comparisons for the page of results."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests import results


def test_a_reason_that_names_a_file_names_no_directory_of_one_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(results, "KEPT", tmp_path / "kept")
    (out := tmp_path / "out").mkdir()
    reason = f"waited 2.0 s for billing-2 to end; look at {out}/runs/a/4.1.1/1/billing-2.log"
    cell = {"scenario": "a", "kafka": "4.1.1", "seconds": [1.0], "reasons": [reason]}
    (out / "compare.json").write_text(json.dumps({"cells": [cell]}))

    results.keep("clients", {out: ["clients"]})

    (kept,) = json.loads((tmp_path / "kept" / "clients.json").read_text())["cells"]
    assert kept["reasons"] == [
        "waited 2.0 s for billing-2 to end; look at runs/a/4.1.1/1/billing-2.log"
    ]
