"""What Spark's tasks do: survey pieces of a run, spread them, and judge parts.

A run that fits into memory is one task. A larger one is surveyed piece by piece, then its rows are
spread over parts, and these are judged. Whatever breaks is told as a finding of its own claim, or
as a table that cannot be read, or else of the whole run, and never ends a task: other runs are
judged in the same job.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from highwater.checkers.claim import Claim
from highwater.checkers.contracts import contracts_of
from highwater.checkers.facts import Facts, Place, checkpoints_of, replicas_of
from highwater.checkers.fates import Fates, Told, told_of
from highwater.checkers.findings import Findings
from highwater.checkers.flushes import flushes_of
from highwater.checkers.groups import groups_of, unseen_of
from highwater.checkers.heights import Heights, heights_of_looks, heights_of_sends
from highwater.checkers.lags import Followed, followed_of
from highwater.checkers.layout import TABLES as LAID_OUT
from highwater.checkers.layout import buckets, lay_out, part_rows
from highwater.checkers.left_alone import left_alone
from highwater.checkers.owners import handovers_of
from highwater.checkers.packing import Packed, apart, unpacked
from highwater.checkers.parts import Samples, Values
from highwater.checkers.positions import positions_of
from highwater.checkers.progress import Progress
from highwater.checkers.promises import promises_of
from highwater.checkers.reading import (
    PieceError,
    Pieces,
    read_rows,
    read_tables,
    read_whole,
    settings_of,
)
from highwater.checkers.recovery import Open
from highwater.checkers.rows import Rows, from_arrow, joined
from highwater.checkers.samples import incarnations, to_frame
from highwater.checkers.shares import shares_of
from highwater.checkers.states import States, states_of
from highwater.checkers.survey import survey_history, survey_logs
from highwater.checkers.tallies import Tallies, tallied
from highwater.checkers.traces import trace
from highwater.checkers.whereabouts import (
    LOOKED_AT,
    Found,
    Wanted,
    look_for,
    tell,
    together,
    wanted,
)
from highwater.harness.errors import RecordError

SURVEYED = {"history": survey_history, "replica_logs": survey_logs}

SAMPLED = frozenset({
    "replica_states", "replica_ends", "fetches", "liveness", "transaction_states", "commits",
    "reassignments",
})  # fmt: skip


@dataclass(slots=True)
class Judged:
    """What has been found in a run so far."""

    findings: dict[str, Findings] = field(default_factory=lambda: defaultdict(Findings))
    unreadable: dict[str, str] = field(default_factory=dict)
    progress: list[Progress] = field(default_factory=list)  # of each partition, when all is judged
    broken: str = ""  # why no claim can be judged
    tallies: Tallies = field(default_factory=Tallies)
    states: dict[Place, States] = field(default_factory=dict)
    faults: Sequence[Open] = ()  # of the timeline
    told: Sequence[Told] = ()  # by members of groups, of what they held
    followed: Sequence[Followed] = ()
    heights: Heights = field(default_factory=Heights)
    fates: Fates = field(default_factory=Fates)  # of the timeline

    def take_in(self, other: Judged) -> None:
        for claim, found in other.findings.items():
            self.findings[claim].take_in(found)
        self.tallies.take_in(other.tallies)
        self.heights.take_in(other.heights)
        self.unreadable = {**other.unreadable, **self.unreadable}
        self.broken = min(filter(None, (self.broken, other.broken)), default="")


NOTES = 0  # the part that has no rows, but what was seen in all others

At = tuple[str, tuple[int, ...]]  # a piece: its path, and its row groups


def spread(some: Pieces, kinds: Mapping[int, type[Any]], count: int) -> Iterator[tuple[int, Any]]:
    """Survey some pieces of one table, and send their rows to the parts that they belong in.

    `kinds` has the number of each kind's first part; it has `count` of them. NOTES get the Facts,
    and why something could not be read.
    """
    facts = Facts()
    ((table, pieces),) = some.items()
    surveyed = SURVEYED[table]
    try:
        for rows in read_rows(table, pieces):
            facts.take_in(surveyed(rows))
            for first, kind in kinds.items():
                if table in LAID_OUT[kind]:
                    laid_out = lay_out(kind, table, rows)
                    yield from apart(laid_out, first + buckets(kind, laid_out, count))
    except PieceError as error:
        yield NOTES, {table: (error.at, str(error))}
    except Exception as error:  # noqa: BLE001 - whatever breaks, breaks nothing but this table
        yield NOTES, {table: ((pieces[0].path, pieces[0].row_groups), failure_in_words(error))}
    yield NOTES, facts


def notes(part: Iterable[tuple[int, Any]]) -> list[tuple[Facts, dict[str, str]]]:
    """All that was noted; of the pieces of a table that cannot be read, the first one."""
    facts, unreadable = Facts(), dict[str, tuple[At, str]]()
    for _, content in part:
        if isinstance(content, Facts):
            facts.take_in(content)
        else:
            for table, found in content.items():
                unreadable[table] = min(found, unreadable.get(table, found))
    return [(facts, {table: why for table, (_, why) in unreadable.items()})]


def judge_parts(
    found: Iterable[tuple[int, Any]],
    claims: Sequence[Claim],
    kinds: Mapping[int, type[Any]],
    facts: Facts,
) -> Judged:
    """Judge what has been spread to one of Spark's partitions, which is one part."""
    judged = Judged()
    collected: dict[int, list[Packed]] = defaultdict(list)
    for number, content in found:
        if number != NOTES:
            collected[number].append(content)
    for number in sorted(collected):
        kind = kinds[max(first for first in kinds if first <= number)]
        try:
            part = kind(unpacked(collected.pop(number)), facts)
        except Exception as error:  # noqa: BLE001 - see above
            judged.broken = failure_in_words(error)
        else:
            _judge(judged, part, claims)
    return judged


def judge_whole(pieces: Pieces, claims: Sequence[Claim]) -> Judged:
    """Judge a run that fits into memory."""
    try:
        return _judge_whole(pieces, claims)
    except Exception as error:  # noqa: BLE001 - whatever breaks, breaks this run only
        return Judged(broken=failure_in_words(error))


def _judge_whole(pieces: Pieces, claims: Sequence[Claim]) -> Judged:
    judged = Judged()
    facts = facts_of(judged, pieces)
    tables: dict[str, Rows] = {}
    for table, surveyed in SURVEYED.items():
        parts = _all_of(judged, table, read_rows(table, pieces.get(table, ())))
        if parts:
            tables[table] = joined(parts)
            facts.take_in(surveyed(tables[table]))
    facts.finish()
    for kind, laid_out in LAID_OUT.items():
        if tables.keys() & laid_out.keys():
            rows = part_rows(kind, tables)
            if len(rows):
                _judge(judged, kind(rows, facts), claims)
    finish(judged, pieces, claims, facts)
    places = wanted(judged.findings, facts)
    if places:
        logs = [tables["replica_logs"]] if "replica_logs" in tables else []
        tell(judged.findings, [look_for(places, rows) for rows in logs], facts)
    return judged


def look_for_all(places: Wanted, some: Pieces) -> Found:
    """What stands at these places; what cannot be read has been told before."""
    pieces = some["replica_logs"]
    read = _all_of(Judged(), "replica_logs", read_rows("replica_logs", pieces, LOOKED_AT))
    return together(look_for(places, rows) for rows in read)


def facts_of(judged: Judged, pieces: Pieces) -> Facts:
    """What the small tables say of the whole run."""

    def whole(table: str) -> pa.Table | None:
        read = _all_of(judged, table, read_whole(table, pieces.get(table, ())))
        return read[0] if read else None

    def rows(table: str) -> list[dict[str, Any]]:
        read = whole(table)
        return [] if read is None else read.to_pylist()

    def columns(table: str) -> Rows | None:
        read = whole(table)
        return None if read is None else from_arrow(read)

    promises, commits = promises_of(rows("clients"), settings_of(pieces)), columns("commits")
    processed, assignments = columns("processed"), columns("assignments")
    judged.told = told_of(assignments)
    with told_apart(judged, "lags"):
        judged.followed = followed_of(commits, judged.told, promises)
    return Facts(
        replicas=replicas_of(rows("replica_ends")),
        checkpoints=checkpoints_of(rows("epoch_checkpoints")),
        promises=promises,
        groups=groups_of(commits, processed, promises),
        unseen=unseen_of(commits, processed, promises),
        positions=positions_of(commits, processed),
        handovers=handovers_of(assignments, processed),
        left_alone=left_alone(assignments, commits, promises),
        shares=shares_of(columns("shares")),
        contracts=contracts_of(columns("contracts")),
        flushes=flushes_of(columns("flushes")),
        followed=frozenset(one.place for one in judged.followed),
    )


def finish(judged: Judged, pieces: Pieces, claims: Sequence[Claim], facts: Facts) -> None:
    """Judge what is small in any record, and let those conclude that had to see all of it."""
    judged.progress = list(facts.progress.values())
    there = SAMPLED & pieces.keys()
    frames = {}
    for table in SAMPLED if there else ():
        read = _all_of(judged, table, read_tables(table, pieces.get(table, ())))
        frames[table] = to_frame(table, read)
    asked = [claim for claim in claims if SAMPLED.intersection(claim.needs) <= there]
    several = incarnations(frames)
    for of_one in several:
        _judge(judged, Samples(of_one, facts), asked)
    looks = [one["replica_states"] for one in several if one]
    with told_apart(judged, "recoveries"):
        judged.states = states_of(looks)
    with told_apart(judged, "lags"):
        judged.heights.take_in(heights_of_looks(looks, facts.followed))
    trace(judged.findings, frames.get("replica_states"))
    for claim in claims:
        if claim.conclude is not None:
            found = judged.findings[claim.name]
            try:
                judged.findings[claim.name] = claim.conclude(found, facts)
            except Exception as error:  # noqa: BLE001 - whatever breaks, breaks its own claim only
                found.broken = failure_in_words(error)


def _all_of(judged: Judged, table: str, read: Iterator[Any]) -> list[Any]:
    """A table, or nothing of one that cannot be read: why is noted."""
    try:
        return list(read)
    except RecordError as error:
        judged.unreadable[table] = str(error)
        return []


def _judge(judged: Judged, part: Any, claims: Sequence[Claim]) -> None:
    if isinstance(part, Values):
        with told_apart(judged, "measures"):
            judged.tallies.take_in(tallied(part))
        with told_apart(judged, "lags"):
            judged.heights.take_in(heights_of_sends(part, part.facts.followed))
    for claim in claims:
        if isinstance(part, claim.part):
            try:
                judged.findings[claim.name].take_in(claim.judge(part))
            except Exception as error:  # noqa: BLE001 - as above
                judged.findings[claim.name].take_in(Findings(broken=failure_in_words(error)))


@contextmanager
def told_apart(judged: Judged, what: str) -> Iterator[None]:
    """Whatever breaks in something that is measured takes no verdict along."""
    try:
        yield
    except Exception as error:  # noqa: BLE001 - as above
        judged.unreadable[what] = failure_in_words(error)


def failure_in_words(error: Exception) -> str:
    """As the reason of a verdict that has none but itself."""
    first_line = next(iter(str(error).strip().splitlines()), "")
    return f"the checker broke: {type(error).__name__}: {first_line}"
