"""A benchmark that is kept part by part."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.bench import keeping


@pytest.fixture(autouse=True)
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(keeping, "KEPT", tmp_path)
    return tmp_path / "acks.json"


def test_a_part_is_kept_beside_those_that_were_played_before(kept: Path) -> None:
    keeping.keep("acks", "COMMAND", "4.4.0", "kill", {"4.4.0": {"kill": [1]}})
    keeping.keep("acks", "COMMAND", "4.4.0", "pause", {"4.4.0": {"pause": [2]}})
    keeping.keep("acks", "COMMAND", "4.4.0", "kill", {"4.4.0": {"kill": [3]}})

    assert json.loads(kept.read_text())["kafkas"] == {"4.4.0": {"kill": [3], "pause": [2]}}
    assert keeping.is_kept("acks", "4.4.0", "pause")
    assert not keeping.is_kept("acks", "4.4.0", "nothing")
    assert not keeping.is_kept("acks", "0.10.2.2", "kill")


def test_what_has_failed_replaces_nothing(kept: Path) -> None:
    keeping.keep("acks", "COMMAND", "4.4.0", "kill", {"4.4.0": {"kill": [1]}})
    keeping.keep("acks", "COMMAND", "4.4.0", "kill", {"4.4.0": {"failed": "why"}})

    assert json.loads(kept.read_text())["kafkas"] == {"4.4.0": {"kill": [1]}}
