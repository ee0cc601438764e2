"""The writing side of a run directory."""

from __future__ import annotations

import itertools
import json
import threading
import time
from collections import Counter
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from highwater.harness.errors import InfrastructureError, UsageError
from highwater.harness.lifetime import Lifetime
from highwater.harness.model import SCHEMA_VERSION, Verdict
from highwater.harness.record import steadiness
from highwater.harness.record.files import write_bytes, write_json, write_parquet
from highwater.harness.record.history import History
from highwater.harness.record.journal import salvage
from highwater.harness.record.place import Place
from highwater.harness.record.rewritten import MARKS as REWRITTEN
from highwater.harness.record.rewritten import rewritten_answers
from highwater.harness.record.states import Probed, StateTables
from highwater.harness.record.timeline import events_with
from highwater.harness.tables import TABLES

FLUSH_INTERVAL_S = 1.0
WRITTEN_REGULARLY = (
    "replica_states", "fetches", "liveness", "transaction_states", "flushes", "commits",
    "processed", "assignments", "shares", "commit_requests", "batches", "producer_ids",
    "reassignments",
)  # fmt: skip
VERDICTS_SCHEMA = 1


class RunRecord(Lifetime):
    """A run being recorded; leaving the context writes what is still in memory.

    Raises UsageError when the directory cannot be written or already holds a run, and
    InfrastructureError from any method when it cannot be written any more (disk full).
    """

    def __init__(self, path: Path, identity: Mapping[str, Any]) -> None:
        super().__init__()
        self.path = path
        self.origin_ns = time.monotonic_ns()
        self._identity = {
            "schema": SCHEMA_VERSION,
            **identity,
            "started_at": datetime.now(UTC).isoformat(timespec="milliseconds"),
            "played": None,  # stays so when the run is killed
        }
        try:
            path.mkdir(parents=True, exist_ok=True)
            if (path / "run.json").exists():
                raise UsageError(f"{path} already holds a run; choose another --out")
            write_json(path / "run.json", self._identity)
            self._events = (path / "events.jsonl").open("a", buffering=1, encoding="utf-8")
        except OSError as error:
            raise UsageError(f"cannot write a run into {path}: {error}") from error
        self.history = History(path / "history", self.origin_ns)
        self._rows: dict[str, list[Any]] = {
            "clients": self.history.clients,
            **{name: [] for name in WRITTEN_REGULARLY},
        }
        self._states = StateTables()
        self._parts = itertools.count()
        self._whole: Counter[str] = Counter()  # files of tables that are written at once
        self._names: dict[str, list[tuple[int, str]]] = {}  # by Kafka's: since when, and which
        self._lock = threading.Lock()
        self._flushing = threading.Lock()
        self._stop = threading.Event()
        self._flusher = threading.Thread(target=self._flush_regularly, daemon=True)

    def _begin(self) -> None:
        self._flusher.start()
        self._ending.callback(self._finish)

    def _finish(self) -> None:
        self._stop.set()
        self._flusher.join()
        try:
            self.flush()
            with self._writing():
                self.history.close()
                salvage(self.path)
        finally:
            with self._writing():
                self._events.close()

    @property
    def identity(self) -> Mapping[str, Any]:
        """What run.json says of this run."""
        return self._identity

    def topic(self, name: str, settings: Mapping[str, str]) -> None:
        """A topic is about to be created; run.json says with which settings, from now on."""
        self._name("topics", name, settings)

    def names(self, topic: str, told_as: str) -> None:
        """From now on what Kafka calls `topic` is called `told_as` here."""
        self._names.setdefault(topic, []).append((self.now_ns(), told_as))

    def name_of(self, topic: str, at_ns: int) -> str:
        """What a topic is called here that Kafka called so at that time."""
        known = [told_as for since_ns, told_as in self._names.get(topic, ()) if since_ns <= at_ns]
        return known[-1] if known else topic

    def group(self, name: str, settings: Mapping[str, str]) -> None:
        """A consumer group that nobody has committed for is about to begin; run.json says how.

        Nobody knows where one began of which two things were said.
        """
        known = self._identity.get("groups", {}).get(name, settings)
        self._name("groups", name, settings if known == settings else {})

    def runs(self, node: int, kafka: str) -> None:
        """A node is of this Kafka; run.json says which ones each has been, from the first on."""
        releases = self._identity.setdefault("releases", {})
        known: list[str] = releases.setdefault(str(node), [])
        if known[-1:] != [kafka]:
            known.append(kafka)
            self._write_identity()

    def _name(self, kind: str, name: str, settings: Mapping[str, str]) -> None:
        self._identity[kind] = {**self._identity.get(kind, {}), name: dict(settings)}
        self._write_identity()

    def _write_identity(self) -> None:
        with self._writing():
            write_json(self.path / "run.json", self._identity)

    def now_ns(self) -> int:
        return time.monotonic_ns() - self.origin_ns

    def event(self, kind: str, text: str, **data: Any) -> None:
        """Add a line to the timeline; it is on its way to the disk when this returns."""
        self.event_at(self.now_ns(), kind, text, data)

    def event_at(self, at_ns: int, kind: str, text: str, data: Mapping[str, Any]) -> None:
        """The same for something that another process timed (CLOCK_MONOTONIC is shared)."""
        line = json.dumps({"at_ns": at_ns, "kind": kind, "text": text, **data}, default=str)
        with self._lock, self._writing():
            if not self._events.closed:
                self._events.write(line + "\n")

    def states(self, probed: Probed) -> None:
        """Keep what one probe has seen of replicas."""
        with self._lock:
            self._rows["replica_states"].append(probed)

    def liveness(self, row: Mapping[str, Any]) -> None:
        """Keep one look at a broker (columns of `liveness`, `at_ns` is added)."""
        with self._lock:
            self._rows["liveness"].append({"at_ns": self.now_ns(), **row})

    def transactions(self, rows: Iterable[Mapping[str, Any]]) -> None:
        """Keep what a coordinator has said (columns of `transaction_states`)."""
        with self._lock:
            self._rows["transaction_states"] += rows

    def row(self, table: str, row: Mapping[str, Any]) -> None:
        """Keep a row of a table that is written every second (its columns)."""
        with self._lock:
            self._rows[table].append(row)

    def table(self, name: str, rows: Iterable[Mapping[str, Any]]) -> None:
        """Write a whole table, or what another topic adds to it."""
        self.parts(name, [pa.Table.from_pylist(list(rows), schema=TABLES[name])])

    def parts(self, name: str, tables: Iterable[pa.Table]) -> None:
        """The same of one that may be larger than memory, in parts as they come."""
        for table in tables:
            if self._whole[name] and not len(table):
                continue  # two files that say nothing would be one and the same
            with self._writing():
                part = self.path / name / f"part-{self._whole[name]:06d}.parquet"
                write_parquet(part, table)
            self._whole[name] += 1

    def flush(self) -> None:
        """Write what is in memory; safe to call at any time, and again after a failure."""
        with self._flushing, self._writing():
            self._write("clients", self._rows["clients"][:])
            self.history.flush()
            # What was committed is taken before what was processed, and is on the disk after it:
            # others append meanwhile, and writing may end anywhere.
            names = sorted(self._rows, key=lambda name: name != "commits")
            taken = {name: self._rows[name][:] for name in names}
            for name in reversed(names):
                self._write(name, taken[name])

    def _write(self, name: str, rows: list[Any]) -> None:
        if rows:
            table = (
                self._states.table(rows)
                if name == "replica_states"
                else pa.Table.from_pylist(rows, schema=TABLES[name])
            )
            write_parquet(self.path / name / f"part-{next(self._parts):06d}.parquet", table)
            del self._rows[name][: len(rows)]  # not before they are on the disk

    def end(self, played: Mapping[str, Any]) -> None:
        """Say how the play ended: `{"complete": bool, "reason": str, "seconds": float, ...}`.

        With it goes what was left alone to its end (`steady`, `healed_ns`), when anything was done
        (`disturbed_ns`), and which answers of brokers were replaced (`rewritten`), by the timeline.
        """
        self._identity["played"] = dict(played)
        with self._lock, self._writing():
            marks = (*steadiness.MARKS, *REWRITTEN)
            told = list(events_with(self.path / "events.jsonl", marks))
        since_ns, steady = steadiness.healed_ns(told), steadiness.steady_groups(told)
        rewritten = rewritten_answers(told)
        if since_ns is not None:
            self._identity.setdefault("healed_ns", since_ns)
        self._identity.setdefault("disturbed_ns", steadiness.disturbed_ns(told))
        if steady:
            self._identity["steady"] = steady
        if rewritten:
            self._identity["rewritten"] = rewritten
        self._write_identity()

    def _flush_regularly(self) -> None:
        while not self._stop.wait(FLUSH_INTERVAL_S):
            with suppress(InfrastructureError):  # nothing is lost: the last flush writes or raises
                self.flush()

    @contextmanager
    def _writing(self) -> Generator[None]:
        try:
            yield
        except OSError as error:
            raise InfrastructureError(f"cannot write the record {self.path}: {error}") from error


def write_measures(
    path: Place,
    measures: pa.Table,
    recoveries: pa.Table,
    rebalances: pa.Table,
    lags: pa.Table,
) -> None:
    """Put what was measured beside the record that it is taken from.

    That is what clients achieved (columns of MEASURES), how partitions recovered from faults
    (columns of RECOVERIES), how long groups had none for some (columns of REBALANCES), and how far
    these lagged behind (columns of LAGS).
    """
    tables = {
        "measures": measures, "recoveries": recoveries, "rebalances": rebalances, "lags": lags
    }  # fmt: skip
    for name, table in tables.items():
        content = pa.BufferOutputStream()
        pq.write_table(table, content, compression="zstd")
        write_bytes(path / f"{name}.parquet", content.getvalue().to_pybytes())


def write_verdicts(path: Place, verdicts: Iterable[Verdict]) -> None:
    """Put what the checkers said beside the record that they judged."""
    write_json(
        path / "verdicts.json",
        {
            "schema": VERDICTS_SCHEMA,
            "verdicts": [
                {
                    "claim": verdict.claim,
                    "answer": verdict.answer.value,
                    "considered": verdict.considered,
                    "anomalies": verdict.anomalies,
                    "reason": verdict.reason,
                    "witnesses": list(verdict.witnesses),
                }
                for verdict in verdicts
            ],
        },
    )
