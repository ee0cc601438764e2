"""Last stable offsets that do not move, and transactions that are not completed."""

from __future__ import annotations

from highwater.checkers.second_opinion.opinion import Opinion, opinion_of
from highwater.checkers.second_opinion.record import Record
from highwater.checkers.second_opinion.rows import Row, grouped, place
from highwater.checkers.second_opinion.settings import longest_ms

LARGEST, DECIDED = 1 << 62, ("PrepareCommit", "PrepareAbort")
MORE_MS = 10_000
LOOKS, ANSWERS = (  # how long brokers take for it at most, and by default
    ("transaction.abort.timed.out.transaction.cleanup.interval.ms", 10_000),
    ("request.timeout.ms", 30_000),
)
TOLD = ("last_stable_offset", "high_watermark", "leader_epoch")


def hanging_transaction(record: Record) -> Opinion:
    looks = [
        row
        for row in record["replica_states"]
        if row["leader"] == row["broker"] and None not in {row[name] for name in TOLD}
    ]
    return opinion_of(_hangs(record, rows) for rows in grouped(looks, place).values())


def _hangs(record: Record, rows: list[Row]) -> bool | None:
    healed = _healed_ns(record)
    timeout_ms = _timeout_ms(record, rows[0])
    allowed_ms = longest_ms(record.identity, *LOOKS) + MORE_MS
    looks = sorted(rows, key=_order)
    for at, first in enumerate(looks):
        since = max(first["at_ns"], healed) if healed is not None else first["at_ns"]
        for last in looks[at:]:
            if not _is_below(last) or _state(last) != _state(first):
                break
            if last["at_ns"] - since > (allowed_ms + (timeout_ms or 0)) * 10**6:
                return True if healed is not None and timeout_ms is not None else None
    return None if _is_below(looks[-1]) else False


def _order(row: Row) -> tuple[int, ...]:
    names = ("at_ns", "last_stable_offset", "high_watermark", "broker", "leader_epoch")
    return tuple(row[name] for name in names)


def _state(row: Row) -> tuple[int, ...]:
    return row["broker"], row["leader_epoch"], row["last_stable_offset"]


def _is_below(row: Row) -> bool:
    return bool(row["last_stable_offset"] < row["high_watermark"])


def _timeout_ms(record: Record, look: Row) -> int | None:
    """The longest of whoever sent there; None where nobody knows it."""
    anywhere = look["topic"] == "__consumer_offsets"  # there positions stand, of any transaction
    senders = {row["client"] for row in record.sends if anywhere or place(row) == place(look)}
    if anywhere:
        senders |= {row["client"] for row in record["clients"] if row["role"] == "producer"}
    asked = [record.client(each) for each in senders if not record.is_plain(each)]
    told = [each.get("transaction_timeout_ms") for each in asked]
    known = [max(0, each) for each in told if each is not None]
    return max(known) if known and len(known) == len(told) else None


def stuck_transaction(record: Record) -> Opinion:
    by_id = grouped(record["transaction_states"], lambda row: row["transactional_id"])
    return opinion_of(_is_stuck(record, rows) for rows in by_id.values())


def _is_stuck(record: Record, rows: list[Row]) -> bool | None:
    healed = _healed_ns(record)
    allowed_ms = longest_ms(record.identity, *ANSWERS) + MORE_MS
    names = ("coordinator", "producer_id", "epoch", "began_ms", "state")
    looks = sorted((row["at_ns"], *(row[name] for name in names)) for row in rows)
    for at, (since_ns, *first) in enumerate(looks):
        began_ns = since_ns if healed is None else max(since_ns, healed)
        for at_ns, *said in looks[at:]:
            if said != first or said[-1] not in DECIDED:
                break
            if at_ns - began_ns > allowed_ms * 10**6:
                return None if healed is None else True
    return None if looks[-1][-1] in DECIDED else False


def _healed_ns(record: Record) -> int | None:
    healed = record.identity.get("healed_ns")
    return healed if type(healed) is int and -LARGEST <= healed <= LARGEST else None
