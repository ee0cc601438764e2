"""What is written of an adapter that sends in transactions: each record ends with its own."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from tests.unit.clients.orders import Orders
from tests.unit.foreign.scripts import KEEPS, changed, command

from highwater.adapters.foreign import transacting
from highwater.harness.clients.load import Load
from highwater.harness.clients.process import FOREIGN, Event, Launch
from highwater.harness.errors import InfrastructureError, PreconditionError
from highwater.harness.processes.warden import Warden
from highwater.harness.wait import wait_until
from highwater.harness.workloads.payload import value_of

FIRST = 1000
RECORDS = 10
SETTINGS = {
    "acks": "all", "keys": 2, "key_choice": "sequence", "unanswered": None, "size_bytes": 64,
    "delivery_timeout_s": 0.2, "partition_by": "turn",
}  # fmt: skip
COMMIT = 'if step == "commit":'
Rows = Mapping[int, Mapping[str, Any]]


@contextmanager
def loading(
    tmp_path: Path, program: str, heard: list[Event], abort_every: int | None = None
) -> Iterator[Load]:
    """An adapter that is this program, a file for its broker, and one for who has its id."""
    log = tmp_path / "log"
    log.touch()
    order: dict[str, Any] = {
        "role": "producer", "client": "load-1", "bootstrap": "127.0.0.1:1", "topic": "orders",
        "partitions": 1, "first_value": FIRST, "rate_per_s": 500.0, "settings": SETTINGS,
        "transactions": {"records": RECORDS, "abort_every": abort_every},
        "told": {"acks": "all", "retries": 5, "transaction.timeout.ms": 10_000},
        "command": command(program, log),
        "record": {"directory": str(tmp_path), "origin_ns": 0, "number": 1},
    }  # fmt: skip
    with Warden() as warden:

        def launching(more: Mapping[str, Any]) -> Launch:
            again = {"client": "load-2", "first_value": 10 * FIRST} if more else {}
            record = {**order["record"], "number": 2 if more else 1}
            told = {**order, **more, **again, "record": record}
            return Launch(told, tmp_path / "client.log", warden.group, FOREIGN)

        yield Load(launching, lambda _name, event: heard.append(event), Orders())


def written(tmp_path: Path, client: str = "load-1") -> Rows:
    """By values: the last row of each."""
    parts = sorted((tmp_path / "history").glob(f"part-{client}-*.parquet"))
    return {row["value"]: row for part in parts for row in pq.read_table(part).to_pylist()}


def lying(tmp_path: Path) -> list[int]:
    """The values in the file that is the broker."""
    rows = map(json.loads, (tmp_path / "log").read_text().splitlines())
    return [value_of(text.encode()) for _, text in rows]


def outcomes(rows: Rows) -> dict[str, set[int]]:
    """Values by outcomes."""
    found: dict[str, set[int]] = {}
    for value, row in rows.items():
        found.setdefault(row["outcome"], set()).add(value)
    return found


def complaints(heard: list[Event]) -> str:
    return " ".join(each["text"] for each in heard if each["event"] == "complaint")


def test_a_record_ends_as_its_transaction_does(tmp_path: Path) -> None:
    heard: list[Event] = []

    with loading(tmp_path, KEEPS, heard, abort_every=3) as load, load:
        load.await_acked(50)
        wait_until(lambda: load.failed >= 2 * RECORDS, "some to be aborted")

    rows = written(tmp_path)
    told = outcomes(rows)
    assert {*told} == {"ok", "failed"}
    assert sorted(told["ok"]) == lying(tmp_path)
    assert len(told["ok"]) == load.acked
    assert {rows[value]["transaction"] % 3 for value in told["failed"]} >= {0}
    assert all(rows[value]["transaction"] % 3 for value in told["ok"])
    numbers = [row["transaction"] for _, row in sorted(rows.items())]
    assert numbers[: 3 * RECORDS] == [1] * RECORDS + [2] * RECORDS + [3] * RECORDS
    assert rows[FIRST]["offset"] == 0
    assert {rows[value]["error"] for value in told["failed"]} == {"the transaction was aborted"}


def test_who_it_is_to_kafka_is_on_the_record(tmp_path: Path) -> None:
    heard: list[Event] = []

    with loading(tmp_path, KEEPS, heard) as load, load:
        load.await_acked(10)

    (client,) = [event["row"] for event in heard if event["event"] == "client"]
    assert (client["transactional_id"], client["transaction_timeout_ms"]) == ("load-1", 10_000)
    assert (tmp_path / "log.load-1").exists()


SECOND = "len(tried) % 2 == 0"  # every other commit
TRIED = "tried = []\nowner,"


def answering(error: str, demands: str) -> str:
    """A commit is answered so every other time, at first."""
    commits = f'if step == "commit" and not tried.append(1) and {SECOND}:'
    answers = f"{commits}\n        return answer(step, {error!r}, {demands!r})\n    {COMMIT}"
    return changed(COMMIT, answers).replace("owner,", TRIED, 1)


def test_what_a_library_demands_to_be_aborted_is_and_the_load_goes_on(tmp_path: Path) -> None:
    heard: list[Event] = []

    with loading(tmp_path, answering("Expired", "abort"), heard) as load, load:
        load.await_acked(30)

    told = outcomes(written(tmp_path))
    assert sorted(told["ok"]) == lying(tmp_path)
    assert len(told["failed"]) >= 2 * RECORDS
    assert "its transaction is aborted: Expired: " in complaints(heard)


def test_what_a_library_says_can_be_tried_again_is(tmp_path: Path) -> None:
    with loading(tmp_path, answering("Timeout", "retry"), []) as load, load:
        load.await_acked(30)

    told = outcomes(written(tmp_path))
    assert {*told} == {"ok"}
    assert sorted(told["ok"]) == lying(tmp_path)


def test_who_aborts_what_may_have_been_committed_knows_nothing(tmp_path: Path) -> None:
    program = answering("Timeout", "abort").replace('demands == "retry"', "demands is not None", 1)

    with loading(tmp_path, program, []) as load, load:
        load.await_acked(20)

    told = outcomes(written(tmp_path))
    assert {*told} == {"ok", "unknown"}
    assert sorted(told["ok"]) == lying(tmp_path)


def test_of_a_producer_that_can_do_nothing_more_nobody_can_tell_what_was_open(
    tmp_path: Path,
) -> None:
    heard: list[Event] = []

    with (
        loading(tmp_path, answering("Fenced", "close"), heard) as load,
        load,
        pytest.raises(PreconditionError, match="commit of a transaction was answered by Fenced"),
    ):
        load.await_acked(100)

    told = outcomes(written(tmp_path))
    assert sorted(told["ok"]) == lying(tmp_path)
    assert len(told["unknown"]) == RECORDS
    assert [each["event"] for each in heard].count("fatal") == 1


def test_an_adapter_that_says_that_it_can_do_nothing_more_leaves_nothing_open(
    tmp_path: Path,
) -> None:
    program = changed(
        COMMIT,
        'if step == "commit" and say("fatal", text="no") is None:\n        return\n    ' + COMMIT,
    )

    with (
        loading(tmp_path, program, []) as load,
        load,
        pytest.raises(PreconditionError, match="0 are: no"),
    ):
        load.await_acked(1)

    told = outcomes(written(tmp_path))
    assert (len(told["unknown"]), {*told}) == (RECORDS, {"unknown"})


def test_who_cannot_register_is_said_to_do_nothing(tmp_path: Path) -> None:
    register = 'owner = register(sys.argv[1] + "." + begin["settings"]["transactional.id"])'
    program = changed(register, 'say("fatal", text="no coordinator")').replace(
        '    say("ready")\n', "", 1
    )

    with (
        loading(tmp_path, program, []) as load,
        load,
        pytest.raises(PreconditionError, match="no coordinator"),
    ):
        load.await_acked(1)

    assert written(tmp_path) == {}


def test_a_record_that_fails_has_its_transaction_aborted(tmp_path: Path) -> None:
    program = changed("len(value) > 1_000_000", "number == 1015")
    heard: list[Event] = []

    with loading(tmp_path, program, heard) as load, load:
        load.await_acked(30)

    rows = written(tmp_path)
    told = outcomes(rows)
    assert sorted(told["ok"]) == lying(tmp_path)
    assert 1015 in told["failed"]
    assert {rows[value]["transaction"] for value in told["failed"]} == {2}


def test_what_failed_in_a_transaction_that_is_committed_all_the_same_is_not_acknowledged(
    tmp_path: Path,
) -> None:
    """The program tells the error with the answer: nobody could have known before."""
    program = changed(
        "elif len(value) > 1_000_000:",
        "elif number == 1019: late.append(number)\n        elif len(value) > 1_000_000:",
    )
    program = program.replace("owner,", "late = []\nowner,", 1)
    program = program.replace(
        COMMIT, f'[wrong(each, "Late") for each in late]; late.clear()\n    {COMMIT}', 1
    ).replace('step == "commit" and failed', "False", 1)
    program = program.replace("refused=True", "refused=False", 1)

    with loading(tmp_path, program, []) as load, load:
        load.await_acked(30)

    told = outcomes(written(tmp_path))
    assert told["unknown"] == {1019}
    assert sorted(told["ok"]) == lying(tmp_path)
    assert "failed" not in told


@pytest.mark.on_demand
def test_a_load_that_is_killed_in_a_transaction_comes_back_with_its_id(tmp_path: Path) -> None:
    heard: list[Event] = []
    waits = f"{COMMIT}\n        if len(lines()) > 20: time.sleep(100)\n    {COMMIT}"
    lines = "def lines():\n    return open(sys.argv[1]).readlines()\nowner,"
    program = changed(COMMIT, waits).replace("owner,", lines, 1)

    with loading(tmp_path, program, heard) as load, load:
        load.await_acked(30)
        load.kill()
        (tmp_path / "log").write_text("")
        load.start()
        load.await_acked(10)

    first, second = written(tmp_path), written(tmp_path, "load-2")
    assert {*outcomes(first)} == {"ok", "invoked"}
    assert len(outcomes(second)["ok"]) >= 10
    rows = [event["row"] for event in heard if event["event"] == "client"]
    assert [each["transactional_id"] for each in rows] == ["load-1", "load-1"]
    assert [each["client"] for each in rows] == ["load-1", "load-2"]


def test_an_end_that_comes_before_an_outcome_breaks_the_protocol(tmp_path: Path) -> None:
    program = changed("        return hold(rows)", "        return hold(rows[1:])")
    why = r"an outcome of each record before commit is answered, saw \d+ records without one"

    with (
        pytest.raises(InfrastructureError, match=why),
        loading(tmp_path, program, []) as load,
        load,
    ):
        load.await_acked(1_000)


def test_how_long_a_step_is_told_again_has_an_end() -> None:
    assert transacting.PAUSE_S < transacting.RETRIED_S < 45
