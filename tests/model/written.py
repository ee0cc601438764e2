"""A case as a run directory, by docs/ledger.md."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from tests.model.applying import contract_rows
from tests.model.clients import (
    GROUPS,
    INVOKED,
    OK,
    Commit,
    Handing,
    Holding,
    Processed,
    Send,
    Stop,
    checksum_of,
    key_of,
)
from tests.model.configuring import client_rows
from tests.model.disks import Stored
from tests.model.evidence import Case
from tests.model.flushing import flush_row
from tests.model.sharing import shared_row

from highwater.harness.model import SCHEMA_VERSION
from highwater.harness.record.reader import StoredRun, open_run
from highwater.harness.tables import TABLES

Row = dict[str, Any]


def write(case: Case, path: Path) -> StoredRun:
    path.mkdir(parents=True)
    identity: Row = {"schema": SCHEMA_VERSION, "tool": "model", "played": {"complete": True}}
    if case.evidence.tells_topics:
        limit = {"retention.ms": "1000"} if case.settings.retention else {}
        identity["topics"] = {one.topic: limit for one in case.world.partitions}
        told = {"auto.offset.reset": "earliest", "session.timeout.ms": "6000"}
        identity["groups"] = {f"g{each}": told for each in GROUPS}
    if case.rest is not None:
        since_ns, until_ns = map(case.evidence.rounded, (case.rest.since_ns, case.rest.until_ns))
        rest: Row = {"since_ns": since_ns, "until_ns": until_ns}
        rest["topics"] = [one.topic for one in case.world.partitions]
        identity["healed_ns"] = since_ns
        identity["steady"] = {f"g{each}": rest for each in GROUPS}
    (path / "run.json").write_text(json.dumps(identity))
    for table, rows in tables_of(case).items():
        if rows:
            schema = TABLES[table]
            columns = [pa.array([row.get(one.name) for row in rows], one.type) for one in schema]
            (path / table).mkdir()
            written = pa.Table.from_arrays(columns, schema=schema)
            pq.write_table(written, path / table / "part-000000.parquet")
    return open_run(path)


def tables_of(case: Case) -> dict[str, list[Row]]:
    evidence = case.evidence
    tables = {"history": history_of(case)}
    if evidence.has_logs:
        tables["replica_logs"] = list(_logs(case))
    if evidence.has_ends:
        tables["replica_ends"] = list(_ends(case))
    if evidence.has_checkpoints:
        tables["epoch_checkpoints"] = [
            {"broker": disk.broker, **_place(disk), "leader_epoch": epoch, "start_offset": start}
            for disk in case.disks
            for epoch, start in disk.checkpoint
        ]
    if evidence.has_looks:
        tables["replica_states"] = list(_looks(case))
    if evidence.has_fetches:
        tables["fetches"] = list(_fetches(case))
    tables["liveness"] = [asdict(one) for one in case.pulses]
    said = [one for several in case.completing.said.values() for one in several]
    tables["transaction_states"] = [asdict(one) for one in said]
    listed = [one for several in case.moving.said.values() for one in several]
    tables["reassignments"] = [asdict(one) for one in listed]
    tables["commits"] = [_commit(case, one) for one in case.world.commits]
    tables["processed"] = [_processed(case, one) for one in case.world.processed]
    tables["assignments"] = [row for one in case.world.holdings for row in _held(case, one)]
    tables["flushes"] = [flush_row(case.evidence.rounded, one) for one in case.flushes]
    tables["contracts"] = contract_rows(case.applied)
    tables["shares"] = [shared_row(case.evidence.rounded, one) for one in case.shares]
    if evidence.tells_clients:
        tables["clients"] = list(client_rows(case))
    return tables


def _commit(case: Case, one: Commit) -> Row:
    at_ns = case.evidence.rounded(one.at_ns)
    return {
        "group": f"g{one.group}",
        "client": one.client,
        "topic": one.partition.topic,
        "partition": one.partition.number,
        "offset": one.offset,
        "outcome": OK,
        "invoked_ns": at_ns,
        "completed_ns": at_ns,
    }


def _processed(case: Case, one: Processed) -> Row:
    return {
        "group": f"g{one.group}",
        "client": one.client,
        "topic": one.partition.topic,
        "partition": one.partition.number,
        "first_offset": one.first,
        "end_offset": one.end,
        "completed_ns": case.evidence.rounded(one.at_ns),
    }


def _held(case: Case, one: Holding) -> Iterator[Row]:
    for what, at_ns in (("assigned", one.since_ns), (one.what, one.until_ns)):
        if what is not None and at_ns is not None:
            yield {
                "group": f"g{one.group}",
                "client": one.client,
                "topic": one.partition.topic,
                "partition": one.partition.number,
                "what": what,
                "at_ns": case.evidence.rounded(at_ns),
            }


def history_of(case: Case) -> list[Row]:
    world = case.world
    done: list[Send | Handing | Stop] = [*world.sends, *world.handings, *world.stops]
    rows: list[Row] = []
    for one in sorted(done, key=lambda one: one.op):
        row = _send(case, one) if isinstance(one, Send) else _read(case, one)
        for name in ("invoked_ns", "completed_ns"):
            if row[name] is not None:
                row[name] = case.evidence.rounded(row[name])
        if isinstance(one, Send) and case.evidence.tells_invocations and row["outcome"] != INVOKED:
            open_yet = {"outcome": INVOKED, "offset": None, "completed_ns": None, "error": None}
            rows.append({**row, **open_yet})
        rows.append(row)
    return rows


def _send(case: Case, one: Send) -> Row:
    return {
        "op": one.op,
        "client": one.client,
        "action": "send",
        "outcome": one.outcome,
        "topic": one.partition.topic,
        "partition": one.partition.number,
        "offset": one.offset if one.outcome == "ok" else None,
        "value": one.value,
        "checksum": checksum_of(one.value),
        "key": key_of(one.value),
        "acks": one.acks,
        "made_of": None if case.pipeline is None else case.pipeline.made_of.get(one),
        "transaction": None if one.transaction is None else one.transaction.number,
        "invoked_ns": one.invoked_ns,
        "completed_ns": one.completed_ns,
        "error": None if one.outcome in {"ok", INVOKED} else "told",
    }


def _read(case: Case, one: Handing | Stop) -> Row:
    return {
        "transaction": None if case.within is None else case.within.transaction.get(one.op),
        "op": one.op,
        "client": one.reader.name,
        "action": "poll" if isinstance(one, Handing) else one.action,
        "outcome": "ok",
        "topic": one.reader.partition.topic,
        "partition": one.reader.partition.number,
        "offset": one.offset,
        "value": one.value if isinstance(one, Handing) else None,
        "checksum": one.checksum if isinstance(one, Handing) else None,
        "key": _key(one.value, one) if isinstance(one, Handing) else None,
        "acks": None,
        "invoked_ns": one.invoked_ns,
        "completed_ns": one.completed_ns,
        "error": None,
    }


def _key(value: int | None, copy: Handing | Stored) -> int | None:
    return None if value is None else key_of(value) + 7 * copy.has_another_key


def _place(disk: Any) -> Row:
    return {"topic": disk.partition.topic, "partition": disk.partition.number}


def _logs(case: Case) -> Iterator[Row]:
    for disk in case.disks:
        if (disk.partition.name, disk.broker) in case.evidence.without_log:
            continue
        for position, one in enumerate(disk.records):
            yield {
                "broker": disk.broker,
                **_place(disk),
                "offset": one.offset,
                "leader_epoch": one.epoch,
                "value": one.value,
                "checksum": one.checksum,
                "digest": one.digest,
                "is_control": one.is_control,
                "magic": 2,
                "segment": "00000000000000000000.log",
                "position": position * 100,
                "problem": one.problem,
                "key": _key(one.value, one),
            }


def _ends(case: Case) -> Iterator[Row]:
    for disk in case.disks:
        partition = disk.partition
        replica = partition.replicas[disk.broker]
        yield {
            "broker": disk.broker,
            **_place(disk),
            "log_start_offset": replica.start if case.evidence.has_starts else None,
            "log_end_offset": replica.end if replica.alive else None,
            "high_watermark": replica.watermark if replica.alive else None,
            "is_leader": disk.is_leader,
            "in_isr": disk.broker in partition.in_sync,
            "leader_epoch": partition.epoch,
            "settled": partition.settled() and all(r.alive for r in partition.replicas.values()),
        }


def _looks(case: Case) -> Iterator[Row]:
    for one in case.world.looks:
        yield {
            "at_ns": one.at_ns,
            "broker": one.broker,
            **_place(one),
            "log_end_offset": one.log_end,
            "high_watermark": one.watermark,
            "leader": one.leader,
            "leader_epoch": one.epoch,
            "isr": ",".join(map(str, sorted(one.in_sync))),
            "replicas": ",".join(map(str, sorted(one.partition.replicas))),
            "quiet": True,
            "last_stable_offset": one.stable,
        }


def _fetches(case: Case) -> Iterator[Row]:
    for one in case.world.fetches:
        yield {
            "at_ns": one.at_ns,
            "stage": "request" if one.watermark is None else "response",
            "leader": one.leader,
            "follower": one.follower,
            **_place(one),
            "fetch_offset": one.offset,
            "high_watermark": one.watermark,
            "record_bytes": None if one.watermark is None else 100,
        }
