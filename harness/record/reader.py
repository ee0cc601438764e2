"""The reading side of a run directory: tolerant of a run that was killed, strict about the rest."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

import pyarrow as pa
import pyarrow.parquet as pq

from highwater.harness.errors import RecordError
from highwater.harness.measurements import LAGS, MEASURES, REBALANCES, RECOVERIES
from highwater.harness.model import SCHEMA_VERSION, Answer, Verdict
from highwater.harness.record.columns import check_columns, check_rows, conformed
from highwater.harness.record.part_copies import refuse_copies
from highwater.harness.record.place import Place
from highwater.harness.tables import TABLES, fields_in

PlaceT = TypeVar("PlaceT", bound=Place)


@dataclass(frozen=True)
class RunAt(Generic[PlaceT]):
    """A run directory that has been opened; raises RecordError where a part is unreadable."""

    path: PlaceT
    identity: Mapping[str, Any]

    @property
    def name(self) -> str:
        return self.path.name

    @property
    def schema(self) -> int:
        """Which one its tables are written by."""
        return int(self.identity["schema"])

    def events(self) -> list[Mapping[str, Any]]:
        """The timeline; a last line cut short by a kill is left out."""
        path = self.path / "events.jsonl"
        # Bytes, and only b"\n": a text may hold other separators, or be cut inside a character.
        lines = path.read_bytes().split(b"\n") if path.exists() else []
        return list(_parsed(path, lines if not lines or lines[-1] else lines[:-1]))

    def parts(self, table: str) -> list[PlaceT]:
        """The Parquet files of one table, in the order written."""
        found = sorted((self.path / table).glob("part-*.parquet"))
        if not found and (self.path / table).exists() and not (self.path / table).is_dir():
            raise RecordError(f"{self.path / table}: expected a directory of parts, saw a file")
        return found

    def table(self, name: str) -> pa.Table:
        """One whole table in memory (an empty one when the run did not get that far)."""
        found = self.parts(name)
        refuse_copies(found)
        parts = [_read_part(part, TABLES[name], fields_in(name, self.schema)) for part in found]
        whole = pa.concat_tables(parts) if parts else TABLES[name].empty_table()
        check_rows(self.path / name, name, whole)
        return whole

    def row_count(self, name: str) -> int:
        """How many rows the parts of a table say that they have; reads none of them."""
        found = self.parts(name)
        refuse_copies(found)
        return sum(map(_rows_of, found))

    def each_part(self, name: str) -> Iterator[pa.Table]:
        """The parts of a table one by one, for what need not be in memory at once."""
        for part in self.parts(name):
            yield _read_part(part, TABLES[name], fields_in(name, self.schema))

    def measures(self) -> pa.Table:
        """What the judge measured (columns of MEASURES); an empty table where nobody did."""
        return self._measured("measures", MEASURES)

    def recoveries(self) -> pa.Table:
        """The same of how partitions recovered from faults (columns of RECOVERIES)."""
        return self._measured("recoveries", RECOVERIES)

    def rebalances(self) -> pa.Table:
        """The same of how long partitions of groups had no owner (columns of REBALANCES)."""
        return self._measured("rebalances", REBALANCES)

    def lags(self) -> pa.Table:
        """The same of how far groups lagged behind (columns of LAGS)."""
        return self._measured("lags", LAGS)

    def _measured(self, name: str, schema: pa.Schema) -> pa.Table:
        path = self.path / f"{name}.parquet"
        return _read_part(path, schema, schema) if path.exists() else schema.empty_table()

    def verdicts(self) -> list[Verdict]:
        path = self.path / "verdicts.json"
        if not path.exists():
            return []
        content = _read_json(path)
        try:
            found = [
                Verdict(**{**verdict, "answer": Answer(verdict["answer"])})
                for verdict in content["verdicts"]
            ]
            _require_forms(found)
        except (KeyError, TypeError, ValueError) as error:
            raise RecordError(f"{path} holds no verdicts as we write them: {error!r}") from error
        return found


def _require_forms(found: list[Verdict]) -> None:
    """Raises TypeError for what is of another type than a verdict has it."""
    for each in found:
        texts, counts = (each.claim, each.reason), (each.considered, each.anomalies)
        known = all(isinstance(text, str) for text in texts)
        known = known and all(type(count) is int and 0 <= count <= 1 << 62 for count in counts)
        if not known or not isinstance(each.witnesses, list | tuple):
            raise TypeError(f"{each!r:.200}")
        if not all(isinstance(witness, dict) for witness in each.witnesses):
            raise TypeError(f"witnesses of {each.claim}: {each.witnesses!r:.120}")


StoredRun = RunAt[Path]  # on this machine, where reports are written as well


def open_run(path: PlaceT) -> RunAt[PlaceT]:
    """Open a run directory.

    Raises RecordError when it is not one, is damaged, or was written by a newer schema.
    """
    if not path.is_dir():
        raise RecordError(f"{path} is not a directory; expected a run directory with a run.json")
    if isinstance(path, Path):
        _require_files(path)
    identity = _read_json(path / "run.json")
    schema = identity.get("schema")
    if type(schema) is not int or schema < 1:  # neither true nor 1.0
        raise RecordError(f'{path / "run.json"}: expected a number as "schema", saw {schema!r}')
    if schema > SCHEMA_VERSION:
        raise RecordError(
            f"{path} has schema {schema}, and this highwater reads up to {SCHEMA_VERSION}; "
            "judge it with the highwater that recorded it, or a newer one"
        )
    return RunAt(path, identity)


def _require_files(run: Path) -> None:
    """Raises RecordError for what would keep whoever reads it waiting, such as a pipe."""
    for each in run.rglob("*"):
        if each.exists() and not each.is_file() and not each.is_dir():
            raise RecordError(
                f"{each} is a pipe, a socket or a device; expected a run directory to have files "
                "and directories, and nothing else"
            )


def find_runs(path: PlaceT) -> list[RunAt[PlaceT]]:
    """The run at `path`, or every run below it (the output of a comparison), oldest first.

    Raises RecordError when there is none, and for one that cannot be opened.
    """
    return [open_run(found) for found in run_directories(path)]


def run_directories(path: PlaceT) -> list[PlaceT]:
    """Where these runs are, whatever is in their run.json; raises RecordError for no run at all."""
    if not path.is_dir():
        raise RecordError(f"{path} is not a directory; expected a run directory with a run.json")
    if (path / "run.json").exists():
        return [path]
    found = [each.parent for each in sorted(path.glob("**/run.json"))]
    if not found:
        raise RecordError(f"no run.json in {path} or below it; is it a run directory?")
    return found


def _read_json(path: Place) -> dict[str, Any]:
    try:
        content = json.loads(path.read_bytes().decode("utf-8-sig"))
    except FileNotFoundError as error:
        raise RecordError(f"{path} is missing; is {path.parent} a run directory?") from error
    except (OSError, ValueError, RecursionError) as error:
        raise RecordError(f"{path} cannot be read: {error}") from error
    if not isinstance(content, dict):
        raise RecordError(f"{path}: expected a JSON object, saw {type(content).__name__}")
    return content


def _parsed(path: Place, lines: list[bytes]) -> Iterator[Mapping[str, Any]]:
    for number, line in enumerate(lines, start=1):
        try:
            event = json.loads(line)
        except (ValueError, RecursionError) as error:
            if number == len(lines):
                return
            raise RecordError(f"{path}, line {number}: not JSON: {error}") from error
        if not isinstance(event, dict):
            raise RecordError(f"{path}, line {number}: expected a JSON object, saw {event!r}")
        yield event


def _rows_of(part: Place) -> int:
    try:
        with part.open("rb") as file:
            return int(pq.read_metadata(file).num_rows)
    except (OSError, ValueError, pa.ArrowException) as error:
        raise RecordError(f"{part} cannot be read: {error}") from error


def _read_part(path: Place, schema: pa.Schema, told: pa.Schema) -> pa.Table:
    """With all columns of `schema`, of which those that are not `told` have nothing in them."""
    try:
        # One file as it is: read_table() would take directories called name=value for columns.
        with path.open("rb") as file:
            part = pq.ParquetFile(file)
            check_columns(path, part.schema_arrow, told)
            there = [name for name in told.names if name in part.schema_arrow.names]
            read = part.read(columns=there)
    except (OSError, KeyError, ValueError, pa.ArrowException) as error:
        raise RecordError(f"{path} cannot be read: {error}") from error
    return conformed(path, read, schema).cast(schema)
