"""The strip of one partition: a column per offset, a row for clients and for each replica."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from highwater.reports.holdings import Acked, Holdings, Stored
from highwater.reports.wording import counted, ranges

MOST_OFFSETS = 60
CONTEXT = 2  # healthy offsets shown on either side of a finding
SYMBOLS = {"lost": "✕", "diverged": "≠", "extra": "+", "damaged": "!", "deleted": "<"}


@dataclass(frozen=True, slots=True)
class Square:
    """One offset in one row: `kind` is a CSS class, `symbol` says the same without colour."""

    kind: str
    text: str = ""
    said: str = ""
    epoch: int | None = None

    @property
    def symbol(self) -> str:
        return SYMBOLS.get(self.kind, "")


@dataclass(frozen=True, slots=True)
class GridRow:
    label: str
    note: str
    squares: Sequence[Square]


@dataclass(frozen=True, slots=True)
class Grid:
    title: str
    offsets: Sequence[int]
    breaks: frozenset[int]  # offsets before which some are left out
    rows: Sequence[GridRow]
    note: str
    fates: Sequence[str]
    settled: bool | None


def grid(holdings: Holdings) -> Grid:
    lost = holdings.lost()
    known = _known_offsets(holdings)
    trouble = {acked.offset for acked in lost} | _divergent_offsets(holdings, known)
    offsets = _window(known, trouble)
    gone = {id(acked) for acked in lost}
    rows = [
        GridRow("acked", "", [_acked_square(holdings, offset, gone) for offset in offsets]),
        GridRow("read", "", [_read_square(holdings, offset) for offset in offsets]),
        *(_replica_row(holdings, broker, offsets) for broker in holdings.replicas),
    ]
    hidden = len(known) - len(offsets)
    worse = len(trouble - set(offsets))
    return Grid(
        f"{holdings.where[0]}-{holdings.where[1]}",
        offsets,
        frozenset(after for before, after in pairwise(offsets) if after != before + 1),
        rows,
        " ".join(
            said
            for said in (
                _again(holdings.where[0]),
                _agreement(holdings, trouble),
                _left_out(hidden, worse),
            )
            if said
        ),
        fates(holdings, lost) if holdings.is_whole else (),
        all(end.settled for end in holdings.ends.values()) if holdings.ends else None,
    )


def fates(holdings: Holdings, lost: Sequence[Acked]) -> list[str]:
    """For lost records: on which replicas they still are, and what the leader has instead."""
    groups: dict[tuple[str, str], list[Acked]] = defaultdict(list)
    for acked in lost:
        still_on = [
            broker for broker in holdings.replicas if acked.value in holdings.values_of(broker)
        ]
        remains = f"still on broker {ranges(still_on)}" if still_on else "on no replica"
        groups[f"acks={acked.acks}", f"{remains}; {_instead(holdings, acked.offset)}"].append(acked)
    return [_fate(group, acks, fate) for (acks, fate), group in groups.items()]


def _fate(group: Sequence[Acked], acks: str, fate: str) -> str:
    plural = "s" if len(group) > 1 else ""
    offsets = ranges(acked.offset for acked in group)
    values = ranges(acked.value for acked in group if acked.value is not None)
    allowed = "" if acks == "acks=all" else f", which {acks} allows"
    return (
        f"{len(group):,} acknowledged record{plural} ({acks}, offset{plural} {offsets}, "
        f"value{plural} {values}): {fate}{allowed}."
    )


def _instead(holdings: Holdings, offset: int) -> str:
    leader = holdings.leader
    if leader is None:
        return "no leader was known at the end"
    if holdings.logs.get(leader, {}).get(offset):
        return f"leader {leader} holds other records at these offsets"
    end = holdings.ends[leader].log_end_offset
    if end is not None and offset >= end:
        return f"the log of leader {leader} ends at offset {end}"
    return f"leader {leader} holds nothing at these offsets"


def _again(topic: str) -> str:
    """Of which name it is one of several; no topic of Kafka's has such a character."""
    name, _, number = topic.rpartition("#")
    return f"Topic {number} of those that were called {name}, one after the other." if name else ""


def _agreement(holdings: Holdings, trouble: set[int]) -> str:
    unread = [broker for broker in holdings.replicas if not holdings.was_read(broker)]
    if unread or not holdings.replicas:
        which = f"of broker {ranges(unread)}" if unread else "of no replica"
        return f"The log {which} was {'not ' if unread else ''}read."
    if not holdings.is_whole:
        return "What is around anomalies is here, and no more of the log."
    return "" if trouble else "Every replica agrees with what was acknowledged."


def _left_out(hidden: int, worse: int) -> str:
    if not hidden:
        return ""
    findings = f", {worse:,} of them with a finding" if worse else ", none with a finding"
    return f"{counted(hidden, 'offset')} left out{findings}."


def _known_offsets(holdings: Holdings) -> list[int]:
    known = set(holdings.acked) | set(holdings.read)
    for records in holdings.logs.values():
        known |= set(records)
    return sorted(known)


def _divergent_offsets(holdings: Holdings, known: Sequence[int]) -> set[int]:
    return {
        offset
        for offset in known
        for broker in holdings.replicas
        if _square(holdings, broker, offset).kind in ("diverged", "extra", "damaged")
    }


def _window(known: Sequence[int], trouble: set[int]) -> list[int]:
    if not trouble:
        return list(known[-MOST_OFFSETS:])
    near = {offset + step for offset in trouble for step in range(-CONTEXT, CONTEXT + 1)}
    return [offset for offset in known if offset in near][:MOST_OFFSETS]


def _acked_square(holdings: Holdings, offset: int, gone: set[int]) -> Square:
    records = holdings.acked.get(offset, [])
    if not records:
        return Square("empty")
    lost = any(id(acked) in gone for acked in records)
    text = " ".join(str(acked.value) for acked in records)
    said = ", ".join(
        f"value {acked.value} acked with acks={acked.acks}"
        + (" and lost" if id(acked) in gone else "")
        for acked in records
    )
    return Square("lost" if lost else "same", text, said)


def _read_square(holdings: Holdings, offset: int) -> Square:
    values = holdings.read.get(offset, [])
    expected = {acked.value for acked in holdings.acked.get(offset, [])}
    text = " ".join(str(value) for value in dict.fromkeys(values))
    if not values:
        return Square("empty")
    if expected and not expected & set(values):
        return Square("diverged", text, "read another record than the acknowledged one")
    return Square("same", text, "read")


def _replica_row(holdings: Holdings, broker: int, offsets: Sequence[int]) -> GridRow:
    end = holdings.ends.get(broker)
    notes = []
    if end:
        notes.append("leader" if end.is_leader else "follower")
        notes += [] if end.in_isr else ["not in ISR"]
        notes.append(f"LEO {_number(end.log_end_offset)}, HW {_number(end.high_watermark)}")
    squares = [_square(holdings, broker, offset) for offset in offsets]
    return GridRow(f"broker {broker}", ", ".join(notes), squares)


def _number(offset: int | None) -> str:
    return "?" if offset is None else str(offset)


def _square(holdings: Holdings, broker: int, offset: int) -> Square:
    records = holdings.logs.get(broker, {}).get(offset, [])
    if not records:
        return _absence(holdings, broker, offset)
    text = " ".join("c" if each.is_control else str(each.value) for each in records)
    epoch = records[-1].epoch
    damaged = [each.problem for each in records if each.problem]
    if damaged:
        return Square("damaged", text, f"damaged: {damaged[0]}", epoch)
    return Square(*_comparison(holdings, broker, offset, records, text), epoch=epoch)


def _comparison(
    holdings: Holdings, broker: int, offset: int, records: Sequence[Stored], text: str
) -> tuple[str, str, str]:
    led = holdings.logs.get(holdings.leader, {}) if holdings.leader is not None else None
    expected = {acked.value for acked in holdings.acked.get(offset, [])}
    if led is not None and broker != holdings.leader:
        theirs = led.get(offset, [])
        if not theirs:
            return "extra", text, "the leader holds nothing at this offset"
        if [each.digest for each in theirs] != [each.digest for each in records]:
            return "diverged", text, "the leader holds another record at this offset"
    if expected and not expected & {each.value for each in records}:
        return "diverged", text, "another record than the one acknowledged at this offset"
    return "same", text, "control record" if records[-1].is_control else "held"


def _absence(holdings: Holdings, broker: int, offset: int) -> Square:
    if not holdings.was_read(broker):
        return Square("unread", "?", "this log was not read")
    if offset < holdings.start_of(broker):
        return Square("deleted", said="below the log start offset")
    missed = [
        acked
        for acked in holdings.acked.get(offset, [])
        if acked.value not in holdings.values_of(broker)
    ]
    if missed:
        values = " ".join(str(acked.value) for acked in missed)
        return Square("lost", said=f"acknowledged value {values} is not in this log")
    return Square("empty")
