"""A load that is told to flush: its library is, and what comes of that is told and recorded."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.unit.foreign.scripts import KEEPS, changed
from tests.unit.foreign.test_writing import OUTCOMES, loading, written

from highwater.harness.clients.flushing import Flush
from highwater.harness.clients.process import Event
from highwater.harness.clients.telling import rows_of
from highwater.harness.errors import DeadlineError, PreconditionError, UsageError

ABLE = '"compression": ["gzip"],'
LATE = """
import sys, time
if any("foreign" in word for word in sys.orig_argv):
    from highwater.adapters.foreign import sending
    hear = sending.Sending.hear
    def late(self, event):
        time.sleep(0.03 if event["event"] == "flushed" else 0)
        hear(self, event)
    sending.Sending.hear = late
"""
FLUSHES = '            say("flushed", at_ns=time.monotonic_ns())'


def able(program: str = KEEPS) -> str:
    """One whose library has a flush of its own."""
    assert program.count(ABLE) == 1
    return program.replace(ABLE, f'{ABLE} "flush": True,')


def flushed(heard: list[Event]) -> Event:
    (event,) = [event for event in heard if event["event"] == "flushed"]
    return event


def test_a_load_flushes_and_goes_on(tmp_path: Path) -> None:
    heard: list[Event] = []

    with loading(tmp_path, able(), heard) as load, load:
        load.await_acked(20)
        load.flush()
        load.await_acked(20)

    said = flushed(heard)
    before = [row for row in written(tmp_path).values() if row["invoked_ns"] < said["asked_ns"]]
    assert len(before) >= 20
    assert all(row["completed_ns"] < said["flushed_ns"] for row in before)
    (row,) = rows_of("load-1", said, said["asked_ns"])
    took_ns = said["flushed_ns"] - said["asked_ns"]
    told = {"client": "load-1", "asked_ns": 0, "flushed_ns": took_ns, "error": None}
    assert row == ("flushes", told)


def test_a_library_that_says_so_too_early_has_outcomes_that_come_later(tmp_path: Path) -> None:
    """All that it is sent is answered when the next line comes: never before a flush returns."""
    later = OUTCOMES.replace("rows)]", "late)]").replace("at + n", "at + n - len(late)")
    program = able(
        changed(
            f"    if rows:\n        {OUTCOMES}",
            f"    if late:\n        {later}\n    late[:] = rows",
        )
        .replace("owner, me", "late = []\nowner, me", 1)
        .replace('say("ended")', 'send({"values": [], "first": 0, "partition": 0}); say("ended")')
    )
    heard: list[Event] = []

    with loading(tmp_path, program, heard) as load, load:
        load.await_acked(20)
        load.flush()

    said, rows = flushed(heard), written(tmp_path).values()
    before = [row for row in rows if row["invoked_ns"] < said["asked_ns"]]
    late = [row for row in before if row["completed_ns"] > said["flushed_ns"]]
    assert 0 < len(late) < len(before)
    assert {row["outcome"] for row in rows} == {"ok"}


def test_what_was_said_before_is_on_the_disk_when_the_harness_hears_of_it(tmp_path: Path) -> None:
    rows: list[Mapping[str, Any]] = []

    class Heard(list[Event]):
        def append(self, event: Event) -> None:
            super().append(event)
            if event["event"] == "flushed":
                rows.extend(written(tmp_path).values())

    heard = Heard()
    with loading(tmp_path, able(), heard) as load, load:
        load.await_acked(20)
        load.flush()

    before = [row for row in rows if row["invoked_ns"] < flushed(heard)["asked_ns"]]
    assert len(before) >= 20
    assert {row["outcome"] for row in before} == {"ok"}


def test_an_adapter_that_waits_by_itself_says_nothing_of_its_library(tmp_path: Path) -> None:
    heard: list[Event] = []

    with loading(tmp_path, KEEPS, heard) as load, load:
        load.await_acked(20)
        load.flush()

    assert list(rows_of("load-1", flushed(heard), 0)) == []


def test_who_never_says_so_is_waited_for_no_longer_than_was_said(tmp_path: Path) -> None:
    heard: list[Event] = []
    once = 'flushed = globals().get("flushed", 0) + 1\n            if flushed > 1:\n    '

    program = able(changed(FLUSHES, f"            {once}{FLUSHES}"))
    with loading(tmp_path, program, heard) as load, load:
        load.await_acked(20)
        with pytest.raises(DeadlineError, match="load-1 to say that it has flushed"):
            load.flush(0.3)

    assert not [event for event in heard if event["event"] == "flushed"]


def test_a_flush_of_a_library_that_fails_is_none_and_the_load_goes_on(tmp_path: Path) -> None:
    heard: list[Event] = []
    failing = FLUSHES.replace("_ns())", '_ns(), error="UnknownError", text="not done")')

    with loading(tmp_path, able(changed(FLUSHES, failing)), heard) as load, load:
        load.await_acked(20)
        with pytest.raises(
            PreconditionError, match="has not: its flush ended in UnknownError: not"
        ):
            load.flush()
        load.await_acked(20)

    (event,) = [event for event in heard if event["event"] == "unflushed"]
    ((table, row),) = rows_of("load-1", event, 0)
    assert (table, row["error"]) == ("flushes", "its flush ended in UnknownError: not done")
    assert {row["outcome"] for row in written(tmp_path).values()} == {"ok"}


@pytest.mark.parametrize("error", ['""', "0", "7", "False", "[]"])
def test_an_error_of_a_flush_is_a_name_or_nothing(tmp_path: Path, error: str) -> None:
    odd = FLUSHES.replace("_ns())", f"_ns(), error={error})")

    def play() -> None:
        with loading(tmp_path, able(changed(FLUSHES, odd)), []) as load, load:
            load.await_acked(20)
            load.flush()

    with pytest.raises(PreconditionError, match="load-1 was to flush, and has not") as raised:
        play()

    assert "expected error of flushed to be a name or null, saw" in str(raised.value.__notes__)


def test_who_is_killed_while_it_flushes_has_not_flushed(tmp_path: Path) -> None:
    with loading(tmp_path, able(changed(FLUSHES, "            pass")), []) as load, load:
        load.await_acked(20)
        flush = load.start_flush()
        assert not flush.has_ended
        load.kill()
        flush.await_ended()
        assert flush.error
        with pytest.raises(
            PreconditionError, match="load-1 was to flush, and cannot: it was killed"
        ):
            load.flush()


def test_outside_of_its_with_no_load_flushes_and_no_wait_is_none(tmp_path: Path) -> None:
    with loading(tmp_path, able(), []) as load:
        with pytest.raises(UsageError, match="expected this within the `with` of load-1"):
            load.flush()
        with pytest.raises(UsageError, match="saw 'soon'"):
            load.flush("soon")  # type: ignore[arg-type]


def test_what_a_flush_came_to_is_what_this_one_came_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its line is checked, then kept: between the two nobody takes the one before for it."""
    late = tmp_path / "late" / "sitecustomize.py"
    late.parent.mkdir()
    late.write_text(LATE)
    monkeypatch.setenv("PYTHONPATH", str(late.parent))
    heard: list[Event] = []

    with loading(tmp_path, able(), heard) as load, load:
        load.await_acked(20)
        load.flush()
        load.flush()

    ended = [event for event in heard if event["event"] in ("flushed", "unflushed")]
    assert len(ended) == 2
    assert all(event["asked_ns"] < event["flushed_ns"] for event in ended)


def test_an_error_is_there_when_a_flush_is_over() -> None:
    process: Any = SimpleNamespace(name="load-1", is_well=lambda: True)
    flush = Flush(0, process, lambda: "")

    class Slow(dict[str, Any]):
        def get(self, *named: Any) -> Any:
            assert not flush.has_ended
            return super().get(*named)

    flush.hear(Slow(event="unflushed", text="no"))

    assert (flush.has_ended, flush.error) == (True, "no")


@pytest.mark.parametrize("timeout_s", [float("nan"), float("inf"), -1, "soon"])
def test_nobody_waits_for_no_time(timeout_s: Any) -> None:
    process: Any = SimpleNamespace(name="load-1", is_well=lambda: True)

    with pytest.raises(UsageError):
        Flush(0, process, lambda: "").await_ended(timeout_s)
