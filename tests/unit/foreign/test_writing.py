"""What is written of an adapter that ends well, breaks the protocol, or is killed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from tests.unit.clients.orders import Orders
from tests.unit.foreign.scripts import KEEPS, changed, command

from highwater.harness.clients.load import Load
from highwater.harness.clients.process import FOREIGN, Event, Launch
from highwater.harness.errors import InfrastructureError
from highwater.harness.model import ByKey
from highwater.harness.processes.warden import Warden
from highwater.harness.wait import wait_until
from highwater.harness.workloads.keys import Keys

FIRST = 1000
OUTCOMES = 'say("ok", records=[[each[0], at + n, now_ns] for n, each in enumerate(rows)])'
SETTINGS = {
    "acks": "all", "keys": 2, "key_choice": "sequence", "unanswered": None, "size_bytes": 64,
    "delivery_timeout_s": 0.2, "partition_by": "turn",
}  # fmt: skip


@contextmanager
def loading(
    tmp_path: Path, program: str, heard: list[Event], partitions: int = 1, **settings: object
) -> Iterator[Load]:
    """An adapter that is this program, and a file for its broker."""
    log = tmp_path / "log"
    log.touch()
    order: dict[str, Any] = {
        "role": "producer", "client": "load-1", "bootstrap": "127.0.0.1:1", "topic": "orders",
        "partitions": partitions, "first_value": FIRST, "rate_per_s": 500.0, "transactions": None,
        "settings": {**SETTINGS, **settings},
        "told": {"acks": "all", "retries": 5, "linger.ms": 7}, "command": command(program, log),
        "record": {"directory": str(tmp_path), "origin_ns": 0, "number": 1},
    }  # fmt: skip
    with Warden() as warden:
        launch = Launch(order, tmp_path / "client.log", warden.group, FOREIGN)
        yield Load(lambda _more: launch, lambda _name, event: heard.append(event), Orders())


def written(tmp_path: Path) -> dict[int, dict[str, Any]]:
    """By values: the last row of each."""
    parts = sorted((tmp_path / "history").glob("part-load-1-*.parquet"))
    return {row["value"]: row for part in parts for row in pq.read_table(part).to_pylist()}


def test_what_was_sent_and_said_is_in_the_history(tmp_path: Path) -> None:
    heard: list[Event] = []

    with loading(tmp_path, KEEPS, heard) as load, load:
        load.await_acked(50)

    rows = written(tmp_path)
    assert len(rows) == load.acked == len((tmp_path / "log").read_text().splitlines())
    assert {row["outcome"] for row in rows.values()} == {"ok"}
    assert [row["offset"] for _, row in sorted(rows.items())] == list(range(len(rows)))
    assert all(row["invoked_ns"] <= row["completed_ns"] for row in rows.values())
    assert len({row["key"] for row in rows.values()}) == 2
    assert not list((tmp_path / "history").glob("*.journal"))
    (client,) = [event["row"] for event in heard if event["event"] == "client"]
    assert (client["client"], client["acks"], client["idempotence"]) == ("load-1", "all", False)
    assert client["linger_ms"] == 7
    assert "its library is literal 1" in [event.get("text") for event in heard]


def test_keys_choose_the_partitions_that_an_adapter_is_told(tmp_path: Path) -> None:
    by_key = {"keys": 5, "partition_by": "key"}

    with loading(tmp_path, KEEPS, [], 3, **by_key) as load, load:
        load.await_acked(100)

    chosen = Keys(5).partitions(ByKey("orders", 3)).tolist()
    rows = written(tmp_path)
    taken = [row["partition"] for row in rows.values() if row["outcome"] == "ok"]
    refused = [row["partition"] for row in rows.values() if row["outcome"] == "failed"]
    assert (len(taken), len(refused)) == (load.acked, load.failed)
    assert ({*taken}, 0 in refused) == ({0}, False)  # this adapter has no other partition
    assert [row["partition"] for row in rows.values()] == [chosen[each % 5] for each in rows]
    assert len({*chosen}) > 1


def test_an_adapter_that_is_killed_leaves_its_outcomes_and_what_nobody_can_tell(
    tmp_path: Path,
) -> None:
    half = changed(OUTCOMES, OUTCOMES.replace("enumerate(rows)", "enumerate(rows) if each[0] % 2"))

    with loading(tmp_path, half, []) as load, load:
        load.await_acked(50)
        load.kill()

    rows = written(tmp_path)
    outcomes = {value % 2: row["outcome"] for value, row in rows.items() if value < FIRST + 50}
    assert outcomes == {0: "invoked", 1: "ok"}
    assert len(rows) >= len((tmp_path / "log").read_text().splitlines())
    assert not list((tmp_path / "history").glob("*.journal"))


def test_an_adapter_that_is_paused_goes_on(tmp_path: Path) -> None:
    heard: list[Event] = []

    with loading(tmp_path, KEEPS, heard) as load, load:
        load.await_acked(20)
        with load.paused():
            before = len((tmp_path / "log").read_text().splitlines())
            wait_until(lambda: len(written(tmp_path)) > before, "more than it has taken", 20)
            assert len((tmp_path / "log").read_text().splitlines()) == before
        load.await_acked(20)

    assert {row["outcome"] for row in written(tmp_path).values()} == {"ok"}


@contextmanager
def started_by_a_script(tmp_path: Path, program: str = KEEPS) -> Iterator[str]:
    """A program that starts the adapter and waits for it, as a shell script without exec does."""
    within = tmp_path / "within.py"
    within.write_text(program, encoding="utf-8")
    yield (
        "import subprocess, sys\n"
        f"sys.exit(subprocess.call([sys.executable, {str(within)!r}, *sys.argv[1:]]))"
    )


def test_what_a_script_has_started_is_paused_and_killed_with_it(tmp_path: Path) -> None:
    log = tmp_path / "log"

    def lines() -> int:
        return len(log.read_text().splitlines())

    with started_by_a_script(tmp_path) as script, loading(tmp_path, script, []) as load, load:
        load.await_acked(20)
        with load.paused():
            before = lines()
            wait_until(lambda: len(written(tmp_path)) > before, "more than it has taken", 20)
            assert lines() == before
        load.await_acked(20)
        load.kill()
        killed = lines()
        assert load.acked <= killed
    assert lines() == killed


def test_half_a_character_in_an_error_costs_nothing(tmp_path: Path) -> None:
    cut = 'wrong(rows.pop(0)[0], "cut \\ud83d")'
    program = changed(
        '    with open(sys.argv[1], "a+")', f'    {cut}\n    with open(sys.argv[1], "a+")'
    )

    with loading(tmp_path, program, []) as load, load:
        wait_until(lambda: load.failed > 3, "some to fail", 20)

    errors = {row["error"] for row in written(tmp_path).values() if row["error"]}
    assert any("\ufffd" in each for each in errors)


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ('say("ok", records=[[rows[0][0], 2**63, now_ns]])', "offset or null, at_ns"),
        ('say("hey")', 'expected an event of hello, .*saw the line \'{"event": "hey"}\''),
        ('say("ok", records=[[5, 0, now_ns]])', "expected one outcome of each record"),
        ('print("Traceback", flush=True)', "expected a line of JSON, saw the line 'Traceback'"),
        ("sys.exit(3)", r"expected ended as its last line, saw it gone \(exit code 3\)"),
    ],
)
def test_what_breaks_the_protocol_is_quoted_and_what_was_heard_is_kept(
    tmp_path: Path, wrong: str, why: str
) -> None:
    program = changed(OUTCOMES, f"{OUTCOMES}\n    if at > 50: {wrong}")

    with (
        pytest.raises(InfrastructureError, match=why) as raised,
        loading(tmp_path, program, []) as load,
        load,
    ):
        load.await_acked(1_000)

    rows = written(tmp_path)
    assert sum(row["outcome"] == "ok" for row in rows.values()) > 50
    assert "Traceback (most" not in str(raised.value)


def test_an_adapter_that_is_stuck_is_killed_and_what_nobody_knows_is_kept(tmp_path: Path) -> None:
    heard: list[Event] = []
    stuck = changed('"stop":\n            break', '"stop":\n            time.sleep(600)')
    half = stuck.replace(OUTCOMES, f"if at < 50: {OUTCOMES}")

    with loading(tmp_path, half, heard) as load, load:
        load.await_acked(50)

    outcomes = {row["outcome"] for row in written(tmp_path).values()}
    told = " ".join(event["text"] for event in heard if event["event"] == "complaint")
    assert outcomes == {"ok", "invoked"}
    assert re.search(r"did not end within 5\.2 s, and was killed: \d+ records have no", told)


def test_what_a_script_has_started_and_is_stuck_is_killed_with_it(tmp_path: Path) -> None:
    heard: list[Event] = []
    stuck = changed('"stop":\n            break', '"stop":\n            time.sleep(600)')

    with (
        started_by_a_script(tmp_path, stuck) as script,
        loading(tmp_path, script, heard) as load,
        load,
    ):
        load.await_acked(20)

    assert any("did not end within 5.2 s" in event.get("text", "") for event in heard)
