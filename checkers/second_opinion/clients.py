"""What clients were promised and told."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

from highwater.checkers.second_opinion.astray import is_astray
from highwater.checkers.second_opinion.opinion import Opinion, opinion_of
from highwater.checkers.second_opinion.record import Record, by_identity, placed
from highwater.checkers.second_opinion.rows import (
    Place,
    Row,
    grouped,
    identity_of,
    place,
    ran_backwards,
)
from highwater.harness.refusals import is_of_the_record

TENTH_NS = 100_000_000
STALLED_TENTHS = 300
NEVER = -(1 << 62)


def duplicate(record: Record) -> Opinion:
    kept = [row for leader in record.leaders.values() for row in leader.rows]
    copies = grouped((row for row in kept if row["value"] is not None), identity_of)
    sends = by_identity(record)
    polled = grouped((row for row in record.polls if row["value"] is not None), identity_of)
    promised = grouped(placed(record), identity_of)
    final = grouped(record.final_sends, identity_of)

    def lasting(identity: tuple[Place, int], failures: int) -> list[Row]:
        """Copies in the log that so many failed sends do not explain."""
        mine = copies.get(identity, [])
        return mine if not failures or len(mine) > 1 + failures else []

    def is_twice(identity: tuple[Place, int]) -> bool | None:
        mine = sends.get(identity, [])
        told = [*polled.get(identity, []), *promised.get(identity, [])]
        failures, most = _aborted(record, mine), _may_have_failed(record, mine)
        there = [*told, *lasting(identity, failures)]
        if len(_offsets(there)) < 2:
            return False
        often = sum(row["outcome"] != "failed" for row in final.get(identity, [])) or 1
        loud = [row for row in polled.get(identity, []) if record.reads_uncommitted(row)]
        committed = [row for row in told if row not in loud]
        is_beyond = len(_offsets(committed)) > often or len(_offsets(there)) > often + failures
        if not is_beyond and not is_astray(record, promised.get(identity, [])):
            return False
        if any(record.client(row["client"]).get("idempotence") is False for row in mine):
            return False
        return True if len(_offsets([*told, *lasting(identity, most)])) > 1 else None

    return opinion_of(
        is_twice(identity)
        for identity in {**polled, **copies}
        for failures in [_aborted(record, sends.get(identity, []))]
        if _offsets([*polled.get(identity, []), *lasting(identity, failures)])
    )


def _offsets(rows: list[Row]) -> set[int]:
    told = [row["offset"] for row in rows]
    return {offset for offset in told if offset is not None and offset >= 0}


def _may_have_failed(record: Record, sends: list[Row]) -> int:
    """How many of these failed, or were of a transaction whose end nobody knows."""
    ended = {_operation(row) for row in sends if row["outcome"] != "invoked"}
    untold = [
        row
        for row in sends
        if not record.is_plain(row["client"])
        and (
            row["outcome"] == "unknown"
            or (row["outcome"] == "invoked" and _operation(row) not in ended)
        )
    ]
    return _aborted(record, sends) + len(untold)


def _aborted(record: Record, sends: list[Row]) -> int:
    """How many of these failed, and may have been in a transaction."""
    return _failures([row for row in sends if not record.is_plain(row["client"])])


def _operation(row: Row) -> tuple[object, ...]:
    return row["op"], row["client"], row["invoked_ns"]


def _failures(sends: list[Row]) -> int:
    return sum(row["outcome"] == "failed" for row in sends)


def inconsistent_offsets(record: Record) -> Opinion:
    polled = [row for row in record.polls if row["offset"] is not None and row["offset"] >= 0]
    named = [row for row in (*polled, *placed(record)) if row["value"] is not None]
    offsets = grouped(named, lambda row: (place(row), row["offset"]))
    read = {(place(row), row["offset"]) for row in polled if row["value"] is not None}
    kept = grouped(
        (
            row
            for leader in record.leaders.values()
            for row in leader.rows
            if row["value"] is not None and row["problem"] is None
        ),
        lambda row: (place(row), row["offset"]),
    )
    return opinion_of(
        len({row["value"] for row in (*rows, *(kept.get(at, ()) if at in read else ()))}) > 1
        for at, rows in offsets.items()
    )


def phantom_read(record: Record) -> Opinion:
    failed = {row["value"] for row in record.sends if row["outcome"] == "failed"}
    sends = by_identity(record)
    nameless = {place(row) for row in record.sends if row["value"] is None}

    def is_phantom(row: Row) -> bool | None:
        mine = sends.get(identity_of(row), [])
        if not mine and row["value"] not in failed:
            return None if place(row) in nameless else True
        if not mine:
            return False
        if row["completed_ns"] is None or row["completed_ns"] >= min(
            one["invoked_ns"] for one in mine
        ):
            return False
        return None if any(map(ran_backwards, (row, *mine))) else True

    return opinion_of(is_phantom(row) for row in _named(record) if record.writes_to(row["topic"]))


def aborted_read(record: Record) -> Opinion:
    failed = {row["value"] for row in record.sends if row["outcome"] == "failed"}
    others = {row["value"] for row in record.sends if not record.is_plain(row["client"])}
    plain = {row["value"] for row in record.sends} - others
    good = grouped((row for row in record.final_sends if row["outcome"] != "failed"), identity_of)

    failed_at = {
        (*identity_of(row), row["offset"])
        for row in record.sends
        if row["outcome"] == "failed" and row["offset"] is not None and row["offset"] >= 0
    }

    def may_be_other(row: Row) -> bool:
        mine = good.get(identity_of(row), [])
        if row["offset"] is None or row["offset"] < 0:
            return bool(mine)
        if any(one["offset"] == row["offset"] for one in mine):
            return True
        if (*identity_of(row), row["offset"]) in failed_at:
            return False
        ended = float("inf") if row["completed_ns"] is None else row["completed_ns"]
        return any(
            one["invoked_ns"] <= ended
            and (
                one["offset"] is None
                or one["offset"] < 0
                or record.client(one["client"]).get("idempotence") is False
            )
            for one in mine
        )

    found = opinion_of(
        row["value"] in failed and not may_be_other(row)
        for row in _named(record)
        if not record.reads_uncommitted(row) or row["value"] in plain
    )
    nameless = [row for row in record.sends if row["value"] is None]
    return replace(found, doubts=_failures(nameless))


def _named(record: Record) -> Iterator[Row]:
    return (row for row in record.polls if row["value"] is not None)


def precommitted_read(record: Record) -> Opinion:
    sends = grouped(record.sends, lambda row: row["value"])

    def is_early(row: Row, mine: list[Row]) -> bool | None:
        if any(map(ran_backwards, (row, *mine))):
            return None
        ended = _last_end(mine)
        if ended is None:
            return None
        if row["completed_ns"] is None or ended <= row["completed_ns"]:
            return False
        if sum(one["outcome"] != "invoked" for one in mine) > 1:
            return None
        known = record.client(row["client"])
        return True if known.get("role") == "producer" else None

    return opinion_of(
        is_early(row, mine)
        for row in _named(record)
        for mine in [sends.get(row["value"], [])]
        if row["client"] in {each["client"] for each in mine}
        and not record.is_plain(row["client"])
        and not record.reads_uncommitted(row)
    )


def _last_end(sends: list[Row]) -> int | None:
    done = [row["completed_ns"] for row in sends if row["outcome"] in {"ok", "failed"}]
    return max((each for each in done if each is not None), default=None)


def stalled_sends(record: Record) -> Opinion:
    last_ns = max(
        (at for row in record["history"] for at in (row["invoked_ns"], row["completed_ns"] or 0)),
        default=0,
    )
    known = [row for row in record.final_sends if row["acks"] != "0" and _is_told(row)]
    known = [row for row in known if row["outcome"] != "invoked" or row["transaction"] is None]
    heard_ns = {
        client: TENTH_NS * max(_last_tenth(row) for row in mine)
        for client, mine in grouped(known, lambda row: row["client"]).items()
    }
    asked = [row for row in known if not _is_refused(row)]
    considered, anomalies, doubts = 0, 0, 0
    for told in grouped(asked, place).values():
        sends = [row for row in told if not _ends_with_others(record, row)]
        answered = sorted(row["completed_ns"] // TENTH_NS for row in told if row["outcome"] == "ok")
        considered += bool(sends)
        if not answered:
            doubts += sum(row["outcome"] == "invoked" for row in sends)
            sends = [row for row in sends if row["outcome"] != "invoked"]
        least = STALLED_TENTHS + _linger_tenths(record, told[0])
        ended = [_ended(record, row, heard_ns[row["client"]]) for row in sends]
        sure = _stalls(ended, answered, least)
        anomalies += sure
        if not sure and _stalls([_ended(record, row, last_ns) for row in sends], answered, least):
            doubts += 1
    return Opinion(considered, anomalies, doubts)


def _ends_with_others(record: Record, row: Row) -> bool:
    """In a transaction, by what is told of it or of its client."""
    return row["transaction"] is not None or record.is_transactional(row["client"])


def _ended(record: Record, row: Row, otherwise_ns: int) -> Row:
    """An open send waits until its client ended, or until that where nobody told."""
    if row["outcome"] != "invoked":
        return row
    ended_ns = record.client(row["client"]).get("ended_ns")
    return {**row, "completed_ns": otherwise_ns if ended_ns is None else ended_ns}


def _last_tenth(row: Row) -> int:
    """In which its client lived for sure: it sent it then, or was told what had become of it."""
    if row["outcome"] == "invoked":
        return int(-(-row["invoked_ns"] // TENTH_NS))
    begun, ended = _tenths(row)
    return ended if row["outcome"] == "ok" or begun < ended else NEVER


def _is_told(row: Row) -> bool:
    """Whether it is known until when it waited, or that it still did so at the end."""
    return row["outcome"] == "invoked" or row["completed_ns"] is not None


def _is_refused(row: Row) -> bool:
    """For the record's own sake: it waits for nobody, and shows that its client was there."""
    return row["outcome"] == "failed" and is_of_the_record(row["error"])


def _linger_tenths(record: Record, row: Row) -> int:
    """For how long somebody who sends to its partition collects records at most."""
    senders = {each["client"] for each in record.sends if place(each) == place(row)}
    lingers = [record.client(each).get("linger_ms") or 0 for each in senders]
    return int(-(-max(0, *lingers) // 100))


def _stalls(sends: list[Row], answered: list[int], least: int) -> int:
    """How many times of so many tenths and more there were in which sends waited in vain."""
    waits: list[tuple[int, int]] = []  # from a tenth up to another, without overlaps
    for since, until in sorted(_tenths(row) for row in sends):
        if since < until and waits and since <= waits[-1][1] + 10:
            waits[-1] = waits[-1][0], max(until, waits[-1][1])
        elif since < until:
            waits.append((since, until))
    times = 0
    for since, until in waits:
        edges = [since - 1, *(at for at in answered if since <= at < until), until]
        times += sum(b - a - 1 >= least for a, b in pairwise(edges))
    return times


def _tenths(row: Row) -> tuple[int, int]:
    """Those that an acknowledged or open send filled, or that one sent in vain touched."""
    begun, ended = row["invoked_ns"], row["completed_ns"]
    if row["outcome"] in {"failed", "unknown"}:
        return begun // TENTH_NS, ended // TENTH_NS + 1
    return -(-begun // TENTH_NS), ended // TENTH_NS
