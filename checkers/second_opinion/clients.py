"""What clients were promised and told."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from highwater.checkers.second_opinion.record import (
    Leader,
    Opinion,
    Place,
    Record,
    Row,
    grouped,
    opinion_of,
    place,
    ran_backwards,
)

TENTH_NS = 100_000_000
STALLED_TENTHS = 300


def lost_write(record: Record) -> Opinion:
    read = _read(record.polls)
    as_committed = _read(record.committed_polls)
    findings: list[bool | None] = []
    for row in record.sends:
        if row["outcome"] not in {"ok", "unknown"}:
            continue
        identity = (place(row), row["value"])
        leader = record.leaders.get(place(row))
        promised = row["outcome"] == "ok" and row["acks"] == "all"
        if leader is not None and leader.is_recorded and row["value"] is not None:
            promised = promised or identity in as_committed
        if promised:
            findings.append(_is_lost(record, row, was_read=identity in read))
    return opinion_of(findings)


def _is_lost(record: Record, row: Row, *, was_read: bool) -> bool | None:
    leader = record.leaders.get(place(row))
    if row["value"] is None:
        return None
    if leader is None:
        return _is_lost_to_readers(record, row, was_read=was_read)
    if not leader.is_recorded:
        return False if was_read else None
    is_there = any(kept["value"] == row["value"] for kept in leader.rows)
    if not leader.settled:
        return False if is_there and was_read else None
    if is_there:
        return False
    return _is_gone(record, leader, row, was_read=was_read)


def _is_gone(record: Record, leader: Leader, row: Row, *, was_read: bool) -> bool | None:
    """Of what the settled leader's log lacks."""
    at = -1 if row["offset"] is None else row["offset"]
    if leader.log_start is None or at < leader.log_start != 0:
        return False if was_read else None
    nameless = {
        kept["offset"]
        for kept in leader.rows
        if kept["value"] is None and kept["problem"] is None and not kept["is_control"]
    }
    hides = at in nameless or (at < 0 and bool(nameless))
    return None if leader.is_damaged or record.is_compacted or hides else True


def _is_lost_to_readers(record: Record, row: Row, *, was_read: bool) -> bool | None:
    if was_read:
        handed = record.first_handed
        ends = [one for one in record.endings if not ran_backwards(one)]
        return None if any(_misses(handed, one, row) for one in ends) else False
    at = row["offset"]
    if at is None or at < 0 or not record.was_passed(place(row), at):
        return None
    return None if record.is_compacted else True


def _read(polls: Iterable[Row]) -> set[tuple[Place, int]]:
    return {(place(row), row["value"]) for row in polls if row["value"] is not None}


def _misses(handed: dict[tuple[Place, int], int], reading: Row, sent: Row) -> bool:
    """Whether a reader took for the end what a record committed before lies at or above."""
    if place(reading) != place(sent) or None in {reading["offset"], sent["offset"]}:
        return False
    if reading["offset"] < 0 or sent["offset"] < reading["offset"] or sent["value"] is None:
        return False
    if sent["outcome"] != "ok":
        return False
    since = [handed.get(_identity(sent))]
    if sent["acks"] == "all" and not ran_backwards(sent):
        since.append(sent["completed_ns"])
    return any(at is not None and at < reading["invoked_ns"] for at in since)


def stale_read(record: Record) -> Opinion:
    handed, read = record.first_handed, _read(record.polls)
    return opinion_of(
        None
        if ran_backwards(reading) or reading["offset"] is None or reading["offset"] < 0
        else _is_stale(
            record, reading, [one for one in record.sends if _misses(handed, reading, one)], read
        )
        for reading in record.endings
    )


def _is_stale(
    record: Record, reading: Row, missed: list[Row], read: set[tuple[Place, int]]
) -> bool | None:
    leader = record.leaders.get(place(reading))
    kept = set() if leader is None else {row["value"] for row in leader.rows} - {None}
    by_log = leader is not None and leader.is_recorded and leader.settled
    there, nowhere = False, False
    for sent in missed:
        if not (by_log and sent["value"] not in kept):
            is_there = (place(sent), sent["value"]) in read or sent["value"] in kept
            there, nowhere = there or is_there, nowhere or not is_there
    if not there and not nowhere:
        return False
    if any(_holds(record, reading, rows) for rows in _by_identity(record).values()):
        return None
    return True if there else None


def _by_identity(record: Record) -> dict[tuple[Place, int], list[Row]]:
    return grouped(record.sends, lambda row: (place(row), row["value"]))


def _holds(record: Record, reading: Row, sends: list[Row]) -> bool:
    """Whether one of these, of one value, may be of a transaction open at a reader's offset."""
    stands = max(
        (row["offset"] for row in sends if row["outcome"] == "ok" and row["offset"] is not None),
        default=-1,
    )
    return (stands == reading["offset"] or stands < 0) and _may_be_open(record, reading, sends)


def _may_be_open(record: Record, reading: Row, sends: list[Row]) -> bool:
    if place(sends[0]) != place(reading) or all(record.is_plain(row["client"]) for row in sends):
        return False
    if reading["completed_ns"] is None:
        return True
    if min(row["invoked_ns"] for row in sends) > reading["completed_ns"]:
        return False
    known = _known(sends)
    return known is None or known >= reading["invoked_ns"]


def _known(sends: list[Row]) -> int | None:
    """When the end of all of these was known, if it ever was."""
    ended = [
        row["completed_ns"]
        for row in sends
        if row["outcome"] in {"ok", "failed"} and not ran_backwards(row)
    ]
    return max((at for at in ended if at is not None), default=None)


def stuck_reader(record: Record) -> Opinion:
    readings = [
        row
        for row in record["history"]
        if row["action"] in {"end", "stall"} and row["outcome"] == "ok"
    ]
    return opinion_of(
        False if reading["action"] == "end" else _is_stuck(record, reading) for reading in readings
    )


def _is_stuck(record: Record, reading: Row) -> bool | None:
    if ran_backwards(reading) or reading["offset"] is None or reading["offset"] < 0:
        return None
    values = _by_identity(record).values()
    if any(_may_be_open(record, reading, rows) for rows in values):
        return None
    for rows in values:
        known = _known(rows)
        if place(rows[0]) == place(reading) and known is not None:
            stands = [row["offset"] for row in rows if row["outcome"] == "ok"]
            is_beyond = any(at is not None and at >= reading["offset"] for at in stands)
            if is_beyond and known < reading["invoked_ns"]:
                return True
    return None


def duplicate(record: Record) -> Opinion:
    kept = [row for leader in record.leaders.values() for row in leader.rows]
    sends = _by_identity(record)
    copies = grouped((row for row in kept if row["value"] is not None), _identity)
    counted = [
        row
        for identity, rows in copies.items()
        for row in rows
        if not 0 < len(rows) - 1 <= _failures(sends.get(identity, []))
        and not (len(rows) == 1 and _failures(sends.get(identity, [])))
    ]
    seen = [
        row
        for row in (*record.polls, *counted)
        if None not in {row["value"], row["offset"]} and row["offset"] >= 0
    ]
    promised = grouped(_placed(record), _identity)
    return opinion_of(
        len({row["offset"] for row in (*rows, *promised.get(identity, ()))}) > 1
        and not any(
            record.client(row["client"]).get("idempotence") is False
            for row in sends.get(identity, [])
        )
        for identity, rows in grouped(seen, _identity).items()
    )


def _failures(sends: list[Row]) -> int:
    return sum(row["outcome"] == "failed" for row in sends)


def _identity(row: Row) -> tuple[Place, int]:
    return place(row), row["value"]


def _placed(record: Record) -> list[Row]:
    """What was acknowledged at a known offset."""
    return [row for row in record.acknowledged if row["offset"] is not None and row["offset"] >= 0]


def inconsistent_offsets(record: Record) -> Opinion:
    polled = [row for row in record.polls if row["offset"] is not None and row["offset"] >= 0]
    named = [row for row in (*polled, *_placed(record)) if row["value"] is not None]
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
    written = {row["topic"] for row in record.sends}
    failed = {row["value"] for row in record.sends if row["outcome"] == "failed"}
    sends = _by_identity(record)

    def is_phantom(row: Row) -> bool | None:
        mine = sends.get(_identity(row), [])
        if not mine:
            return row["value"] not in failed
        if row["completed_ns"] is None or row["completed_ns"] >= min(
            one["invoked_ns"] for one in mine
        ):
            return False
        return None if any(map(ran_backwards, (row, *mine))) else True

    return opinion_of(is_phantom(row) for row in _named(record) if row["topic"] in written)


def aborted_read(record: Record) -> Opinion:
    failed = {row["value"] for row in record.sends if row["outcome"] == "failed"}
    good = grouped((row for row in record.told if row["outcome"] != "failed"), _identity)

    def may_be_other(row: Row) -> bool:
        stands = [one["offset"] for one in good.get(_identity(row), [])]
        if row["offset"] is None or row["offset"] < 0:
            return bool(stands)
        nowhere = any(at is None or at < 0 for at in stands)
        known = [at for at in stands if at is not None and at >= 0]
        return nowhere or (bool(known) and row["offset"] in {min(known), max(known)})

    return opinion_of(
        row["value"] in failed and not may_be_other(row)
        for row in _named(record)
        if not record.reads_uncommitted(row)
    )


def _named(record: Record) -> Iterator[Row]:
    return (row for row in record.polls if row["value"] is not None)


def nonmonotonic_send(record: Record) -> Opinion:
    return opinion_of(
        None
        if ran_backwards(row)
        else any(
            earlier["completed_ns"] is not None
            and not ran_backwards(earlier)
            and earlier["completed_ns"] < row["invoked_ns"]
            and earlier["offset"] > row["offset"]
            for earlier in sends
        )
        for sends in grouped(_placed(record), lambda row: (place(row), row["client"])).values()
        for row in sends
    )


def nonmonotonic_poll(record: Record) -> Opinion:
    placed = [row for row in record.polls if row["offset"] is not None and row["offset"] >= 0]
    return opinion_of(
        any(earlier["op"] < row["op"] and earlier["offset"] >= row["offset"] for earlier in polls)
        for polls in grouped(placed, lambda row: (place(row), row["client"])).values()
        for row in polls
    )


def poll_skip(record: Record) -> Opinion:
    placed = [row for row in record.polls if row["offset"] is not None and row["offset"] >= 0]
    there = {
        where: {row["offset"] for row in rows} for where, rows in grouped(placed, place).items()
    }
    starts = {where: leader.log_start or 0 for where, leader in record.leaders.items()}
    readers = grouped(placed, lambda row: (place(row), row["client"]))
    failed = {row["value"] for row in record.sends if row["outcome"] == "failed"} - {None}
    first = {
        at: rows[0]["value"]
        for at, rows in grouped(placed, lambda row: (place(row), row["offset"])).items()
    }

    def is_skipped(where: Place, offset: int, own: set[int]) -> bool | None:
        if offset in own:
            return False
        may_be_gone = record.is_compacted or offset < starts.get(where, 0)
        return None if may_be_gone or first[where, offset] in failed else True

    return opinion_of(
        is_skipped(where, offset, own)
        for (where, _), rows in readers.items()
        for own in [{row["offset"] for row in rows}]
        for offset in there[where]
        if min(own) <= offset <= max(own)
    )


def unseen(record: Record) -> Opinion:
    read = _read(record.polls)
    findings: list[bool | None] = []
    for row in record.acknowledged:
        leader = record.leaders.get(place(row))
        rows = [] if leader is None else leader.rows
        stands = [kept["offset"] for kept in rows if kept["value"] == row["value"] is not None]
        if leader is None or not stands or not record.was_passed(place(row), max(stands)):
            continue
        if leader.log_start is not None and max(stands) < leader.log_start:
            continue
        is_unread = _identity(row) not in read
        findings.append(None if is_unread and leader.log_start is None else is_unread)
    return opinion_of(findings)


def precommitted_read(record: Record) -> Opinion:
    sends = grouped(record.sends, lambda row: row["value"])

    def is_early(row: Row, mine: list[Row]) -> bool | None:
        if any(map(ran_backwards, (row, *mine))):
            return None
        ended = _ended(mine)
        if ended is None:
            return None
        if row["completed_ns"] is None or ended <= row["completed_ns"]:
            return False
        known = record.client(row["client"])
        return True if known.get("role") == "producer" else None

    return opinion_of(
        is_early(row, mine)
        for row in _named(record)
        for mine in [sends.get(row["value"], [])]
        if max((each["client"] for each in mine), default=None) == row["client"]
        and not record.is_plain(row["client"])
        and not record.reads_uncommitted(row)
    )


def _ended(sends: list[Row]) -> int | None:
    done = [row["completed_ns"] for row in sends if row["outcome"] in {"ok", "failed"}]
    return max((each for each in done if each is not None), default=None)


def corrupt_value(record: Record) -> Opinion:
    written = {row["topic"] for row in record.sends}
    summed = [row for row in record.sends if None not in {row["checksum"], row["value"]}]
    here = grouped(summed, _identity)
    anywhere = grouped(summed, lambda row: row["value"])
    polled = [row for row in record.polls if row["topic"] in written]
    kept = [
        row for row in record["replica_logs"] if row["problem"] is not None or not row["is_control"]
    ]

    def differs(row: Row) -> bool | None:
        if None in {row["value"], row["checksum"]}:
            return False
        sums = {one["checksum"] for one in here.get(_identity(row), anywhere.get(row["value"], []))}
        if not sums or row["checksum"] in {min(sums), max(sums)}:
            return False
        return True if len(sums) == 1 else None

    return opinion_of(
        [
            *(True if row["value"] is None else differs(row) for row in polled),
            *(True if row["problem"] is not None else differs(row) for row in kept),
        ]
    )


def stalled_sends(record: Record) -> Opinion:
    last_ns = max(
        (at for row in record["history"] for at in (row["invoked_ns"], row["completed_ns"] or 0)),
        default=0,
    )
    considered, anomalies, doubts = 0, 0, 0
    for sends in grouped(record.told, place).values():
        ended = [row for row in sends if row["completed_ns"] is not None]
        open_ = [{**row, "completed_ns": last_ns} for row in sends if row["outcome"] == "invoked"]
        considered += 1
        if any(row["outcome"] == "ok" for row in ended):
            ended += open_
        else:
            doubts += len(open_)
        anomalies += _stalls(ended)
    return Opinion(considered, anomalies, doubts)


def _stalls(sends: list[Row]) -> int:
    """How many times of thirty seconds and more there were, tenth after tenth."""
    answered = {row["completed_ns"] // TENTH_NS for row in sends if row["outcome"] == "ok"}
    slow = [row for row in sends if row["completed_ns"] - row["invoked_ns"] >= TENTH_NS]
    times, length = 0, 0
    first = min((row["invoked_ns"] for row in slow), default=0) // TENTH_NS
    last = max((row["completed_ns"] for row in slow), default=0) // TENTH_NS
    for tenth in range(first, last + 1):
        begin, end = tenth * TENTH_NS, (tenth + 1) * TENTH_NS
        waits = any(row["invoked_ns"] <= begin and row["completed_ns"] >= end for row in slow)
        length = length + 1 if waits and tenth not in answered else 0
        times += length == STALLED_TENTHS
    return times
