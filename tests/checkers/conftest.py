"""One-line constructors of literal histories, written with the real writers, judged together."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyspark
import pytest
from tests.model.judged import judged_here, judgement_here

from highwater.checkers.judge import Judgement, judge
from highwater.checkers.second_opinion.opinions import disagreements
from highwater.checkers.session import start_session, stop_session
from highwater.harness.model import Answer, Verdict
from highwater.harness.record.files import write_parquet
from highwater.harness.record.reader import StoredRun, open_run
from highwater.harness.record.writer import RunRecord
from highwater.harness.tables import TABLES

SPARK_HOME = Path(pyspark.__file__).parent
HIGHWATER = (sys.executable, "-m", "highwater.cli")

Row = tuple[str, dict[str, Any]]  # the table, and what stands in it
Say = Callable[..., Verdict]  # of the fixture `both_say`


def _write_run(path: Path, rows: Sequence[Row], **identity: Any) -> StoredRun:
    with RunRecord(path, {"scenario": "literal", **identity}) as record:
        record.end({"complete": True, "reason": "", "seconds": 0.0})
    for table, schema in TABLES.items():
        of_table = [
            {"op": op, **row} if table == "history" else row
            for op, (name, row) in enumerate(rows)
            if name == table
        ]
        if of_table:
            part = path / table / "part-000000.parquet"
            write_parquet(part, pa.Table.from_pylist(of_table, schema=schema))
    return open_run(path)


@pytest.fixture(scope="session")
def write_run() -> Callable[[Path, Sequence[Row]], StoredRun]:
    return _write_run


@pytest.fixture
def both_say(tmp_path: Path) -> Callable[..., Verdict]:
    """The verdict of a claim on some rows, and the second opinion has to be of the same mind."""

    def said(claim: str, *rows: Row | list[Row], **identity: Any) -> Verdict:
        flat = [one for row in rows for one in (row if isinstance(row, list) else [row])]
        run = _write_run(tmp_path / str(len(list(tmp_path.iterdir()))), flat, **identity)
        verdicts = judged_here(run)
        assert disagreements(run, list(verdicts.values())) == []
        return verdicts[claim]

    return said


def judgement_under(run: StoredRun, events: Sequence[Mapping[str, Any]]) -> Judgement:
    """With this timeline."""
    lines = [json.dumps(event) + "\n" for event in events]
    (run.path / "events.jsonl").write_text("".join(lines), encoding="utf-8")
    return judgement_here(run)


@pytest.fixture(name="judged")
def _judged_with_events(tmp_path: Path) -> Callable[..., Judgement]:
    def of(rows: Sequence[Row], *events: Mapping[str, Any]) -> Judgement:
        return judgement_under(_write_run(tmp_path / "run", rows), events)

    return of


@pytest.fixture(scope="session", autouse=True)
def spark() -> Iterator[None]:
    start_session()
    yield
    stop_session()


HELD, VIOLATED, UNKNOWN = Answer
HISTORIES: dict[str, tuple[str, Sequence[Row]]] = {}
EVERYWHERE = (1, 2, 3)


def judged(claim: str, *rows: Row | list[Row]) -> Callable[[Any], Any]:
    """Give the test the verdict of `claim` on a record of these rows."""
    flat = [one for row in rows for one in (row if isinstance(row, list) else [row])]

    def remember(test: Any) -> Any:
        HISTORIES[test.__name__] = (claim, flat)
        return test

    return remember


def send(
    value: int, offset: int | None = None, at: tuple[int, int | None] = (0, 1), **more: Any
) -> Row:
    row = {"client": "producer", "action": "send", "outcome": "ok", "acks": "all"}
    times = {"invoked_ns": at[0], "completed_ns": at[1]}
    place = {"topic": "orders", "partition": 0, "offset": offset}
    return "history", {**row, **place, **times, "value": value, "checksum": value * 7, **more}


def producer(name: str = "producer", **more: Any) -> Row:
    """What a producer promised; one that uses no transactions by default."""
    row = {"client": name, "role": "producer", "client_id": name, "acks": "all"}
    return "clients", {**row, "idempotence": True, **more}


def consumer(name: str = "reader", **more: Any) -> Row:
    row = {"client": name, "role": "consumer", "isolation": "read_committed"}
    return "clients", {**row, "begins_at": "earliest", **more}


def poll(value: int | None, offset: int | None, **more: Any) -> Row:
    _, row = send(value or 0, offset, (5, 5))
    found = {"value": value, "client": "reader", "action": "poll", "acks": None}
    return "history", {**row, **found, **more}


def flushed(asked_ns: int, flushed_ns: int, **more: Any) -> Row:
    """That a client said so, and when it was told to."""
    row = {"client": "producer", "asked_ns": asked_ns, "flushed_ns": flushed_ns}
    return "flushes", {**row, **more}


def end(position: int) -> Row:
    return poll(None, position, action="end", checksum=None)


def stored(broker: int, offset: int, value: int | None, **more: Any) -> Row:
    row = {"broker": broker, "topic": "orders", "partition": 0, "offset": offset, "value": value}
    content = {"checksum": (value or 0) * 7, "digest": value, "leader_epoch": 0}
    batch = {"is_control": False, "magic": 2, "segment": "0.log", "position": 0}
    return "replica_logs", {**row, **content, **batch, **more}


def entry(broker: int, start_offset: int, leader_epoch: int) -> Row:
    """Of a replica's checkpoint of leader epochs."""
    row = {"broker": broker, "topic": "orders", "partition": 0}
    return "epoch_checkpoints", {**row, "start_offset": start_offset, "leader_epoch": leader_epoch}


def replica(broker: int, log_end: int, **more: Any) -> Row:
    """Broker 1 leads; all is settled, and every replica has its whole log committed."""
    row = {"broker": broker, "topic": "orders", "partition": 0, "log_start_offset": 0}
    ends = {"log_end_offset": log_end, "high_watermark": log_end, "leader_epoch": 0}
    return "replica_ends", {
        **row, **ends, "is_leader": broker == 1, "in_isr": True, "settled": True, **more,
    }  # fmt: skip


def replicas(log_end: int, **more: Any) -> list[Row]:
    return [replica(broker, log_end, **more) for broker in EVERYWHERE]


def look(at_ns: int, broker: int, log_end: int | None, watermark: int | None, **more: Any) -> Row:
    row = {"at_ns": at_ns, "broker": broker, "topic": "orders", "partition": 0, "leader_epoch": 0}
    seen = {"log_end_offset": log_end, "high_watermark": watermark, "leader": 1, "isr": "1,2,3"}
    return "replica_states", {**row, **seen, **more}


def _fetch(at_ns: int, stage: str, follower: int, **more: Any) -> Row:
    row = {"at_ns": at_ns, "stage": stage, "leader": 1, "follower": follower}
    return "fetches", {**row, "topic": "orders", "partition": 0, "fetch_offset": 0, **more}


def asked(at_ns: int, follower: int, fetch_offset: int) -> Row:
    return _fetch(at_ns, "request", follower, fetch_offset=fetch_offset)


def answered(at_ns: int, follower: int, high_watermark: int) -> Row:
    return _fetch(at_ns, "response", follower, high_watermark=high_watermark, record_bytes=0)


def alive(second: int, broker: int, **more: Any) -> Row:
    row = {"at_ns": second * 10**9, "broker": broker, "running": True, "registered": True}
    return "liveness", {**row, "answers": True, **more}


def decided(second: float, state: str = "PrepareCommit", **more: Any) -> Row:
    """What the coordinator of `tx` says of it."""
    row = {"at_ns": int(second * 10**9), "transactional_id": "tx", "coordinator": 1}
    return "transaction_states", {
        **row, "state": state, "producer_id": 7, "epoch": 0, "began_ms": 1000, **more,
    }  # fmt: skip


def moving(second: float, isr: str = "1,3", **more: Any) -> Row:
    """What is said of a move from broker 1 to broker 3, while broker 2 is down."""
    row = {"at_ns": int(second * 10**9), "broker": 1, "topic": "orders", "partition": 0}
    move = {"leader": 1, "replicas": "1,2,3", "adding": "3", "removing": "1"}
    return "reassignments", {**row, **move, "isr": isr, **more}


def commit(offset: int, at: tuple[int, int | None] = (0, 1), **more: Any) -> Row:
    """By a member of a group."""
    row = {"group": "billing", "client": "billing-1", "topic": "orders", "partition": 0}
    times = {"invoked_ns": at[0], "completed_ns": at[1]}
    return "commits", {**row, "offset": offset, "outcome": "ok", **times, **more}


def processed(first: int, end: int, **more: Any) -> Row:
    """By a member of a group."""
    row = {"group": "billing", "client": "billing-1", "topic": "orders", "partition": 0}
    return "processed", {**row, "first_offset": first, "end_offset": end, "completed_ns": 1, **more}


def assigned(at_ns: int, client: str = "billing-1", what: str = "assigned", **more: Any) -> Row:
    """To a member of a group; or `revoked` from it, or `lost`."""
    row = {"group": "billing", "client": client, "topic": "orders", "partition": 0}
    return "assignments", {**row, "what": what, "at_ns": at_ns, **more}


def shared(first: int, end: int, client: str = "workers-1", **more: Any) -> Row:
    """Of a share group: what its member accepted, or with `step` another thing."""
    row = {"group": "workers", "client": client, "topic": "orders", "partition": 0}
    told = {"step": "accepted", "outcome": "ok", "invoked_ns": 0, "completed_ns": 1}
    return "shares", {**row, "first_offset": first, "end_offset": end, **told, **more}


def given(identity: str | None, offset: int, **more: Any) -> Row:
    """An input of an application, of which there shall be exactly one output."""
    row = {"contract": "billing", "tells": "input", "topic": "orders", "partition": 0}
    terms = {"each": "exactly", "keeps": None, "key_hash": 7}
    return "contracts", {**row, "offset": offset, "identity": identity, **terms, **more}


def made(identity: str | None, offset: int, **more: Any) -> Row:
    """What an application made of an input."""
    row = {"contract": "billing", "tells": "output", "topic": "bills", "partition": 0}
    return "contracts", {**row, "offset": offset, "identity": identity, "key_hash": 7, **more}


def whole(position: int | None = 9, *tells: str, contract: str = "billing") -> list[Row]:
    """The position of an application, and that its inputs and outputs were read to their ends."""
    ends = tells or ("inputs-end", "outputs-end")
    told = [("position", position)] if position is not None else []
    same = {"contract": contract, "topic": "orders", "partition": 0}
    return [
        ("contracts", {**same, "tells": what, "offset": at})
        for what, at in [*told, *((end, 9) for end in ends)]
    ]


@pytest.fixture(scope="session")
def verdicts(
    write_run: Any, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, dict[str, Verdict]]:
    root = tmp_path_factory.mktemp("histories")
    runs = [write_run(root / name, rows) for name, (_, rows) in HISTORIES.items()]
    return by_name(judge(runs))


@pytest.fixture
def verdict(request: pytest.FixtureRequest, verdicts: dict[str, dict[str, Verdict]]) -> Verdict:
    name = request.function.__name__
    return verdicts[name][HISTORIES[name][0]]


def by_name(judged_runs: dict[Path, list[Verdict]]) -> dict[str, dict[str, Verdict]]:
    return {path.name: {one.claim: one for one in all_} for path, all_ in judged_runs.items()}


def done(*command: str) -> subprocess.CompletedProcess[str]:
    """A command, as a user gives it, with the Spark that PySpark brings along."""
    spark = {"SPARK_HOME": str(SPARK_HOME), "PYSPARK_PYTHON": sys.executable}
    return subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        env={**os.environ, **spark},
    )
