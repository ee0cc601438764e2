"""A suite.json that cannot be read, nested too deeply for one, is said to be so by its name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from highwater import probing
from highwater.backends import Backend
from highwater.drawing import report
from highwater.harness.errors import RecordError
from highwater.harness.versions.catalogue import find_kafka
from highwater.playing import Options
from highwater.probing import probe_of

DEEP = f'{{"tests": {"[" * 100_000}{"]" * 100_000}}}'
UNREADABLE = {"deep": DEEP, "torn": '{"tests": [', "another": '{"cells": []}'}


def put(directory: Path, text: str) -> Path:
    directory.mkdir(parents=True)
    (directory / "suite.json").write_text(text, encoding="utf-8")
    return directory


def drawn(place: Path, text: str) -> None:
    report([put(place / "one", text)], None, as_json=True)


def joined(place: Path, text: str) -> None:
    shards = [put(place / "one", text), put(place / "two", '{"tests": []}')]
    report(shards, place / "all", as_json=True)


def gone_on_with(place: Path, text: str) -> None:
    """A bisection of which a play was recorded before."""
    played = put(place / "runs" / "4.1.1" / "1", text)
    (played / "report.html").touch()
    options = Options(trials=1, backend=Backend(), out=place, offline=True, json=False)
    probe = probe_of(f"{place}/test_nowhere.py", options)
    probe.out = place
    probe.tally(find_kafka("4.1.1"))


@pytest.mark.parametrize("read", [drawn, joined, gone_on_with], ids=lambda each: each.__name__)
@pytest.mark.parametrize("text", UNREADABLE.values(), ids=UNREADABLE)
def test_a_suite_that_cannot_be_read_is_named(
    tmp_path: Path,
    text: str,
    read: Callable[[Path, str], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(probing, "runtime_with_progress", lambda _kafka, *, offline: offline)

    with pytest.raises(RecordError, match=r"^/.*/suite\.json cannot be read: "):
        read(tmp_path, text)
