"""How long leaders' last stable offsets stayed below their high watermarks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from highwater.checkers.facts import Facts, Place
from highwater.checkers.findings import Witness
from highwater.checkers.parts import Samples
from highwater.checkers.rows import NONE
from highwater.checkers.samples import PLACE
from highwater.checkers.stays import Stay, stays

POSITIONS = "__consumer_offsets"  # in which any transaction may commit some
LOOK_MS = 10_000  # by default
TO_WRITE_MS = 10_000  # the markers
MS = 1_000_000
OPEN = "a transaction may be open"
UNHEALED = "nobody told from when on no fault was in effect"
NO_TIMEOUT = "nobody told the transaction timeout of all that sent there"
NOBODY = "nobody is known to have sent there in a transaction"
LOOKED_AT = [
    *PLACE, "at_ns", "last_stable_offset", "high_watermark", "broker", "leader_epoch",
]  # fmt: skip


class Seen(NamedTuple):
    """Of one leader, in one epoch."""

    broker: int
    leader_epoch: int
    last_stable_offset: int
    is_below: bool  # the high watermark


def judged_by_place(part: Samples) -> Iterator[Witness | str | None]:
    """Of each partition an anomaly, or why nobody can tell, or nothing."""
    looks = part["replica_states"]
    leads = (looks["leader"] == looks["broker"]).fillna(value=False)
    told = looks[leads & looks[LOOKED_AT].notna().all(axis=1)].sort_values(LOOKED_AT, kind="stable")
    for _, mine in told.groupby(PLACE):
        place = str(mine["topic"].iloc[0]), int(mine["partition"].iloc[0])
        rows = mine[LOOKED_AT[2:]].to_numpy("int64").tolist()
        yield _judged(part.facts, place, list(stays(_seen(rows))))


def _seen(looks: list[list[int]]) -> Iterator[tuple[int, Seen]]:
    for at_ns, offset, watermark, broker, epoch in looks:
        yield at_ns, Seen(broker, epoch, offset, offset < watermark)


def _judged(facts: Facts, place: Place, looks: list[Stay[Seen]]) -> Witness | str | None:
    healed_ns, timeout_ms = facts.promises.healed_ns, _timeout_ms(facts, place)
    allowed_ms = max(facts.promises.brokers.look_ms, LOOK_MS) + TO_WRITE_MS
    least_ns = (allowed_ms + (timeout_ms if isinstance(timeout_ms, int) else 0)) * MS
    since_ns = NONE if healed_ns is None else healed_ns
    long = [
        each
        for each in looks
        if each.said.is_below and each.until_ns - max(each.since_ns, since_ns) > least_ns
    ]
    if not long:
        return OPEN if looks[-1].said.is_below else None
    if healed_ns is None:
        return UNHEALED
    if isinstance(timeout_ms, str):
        return timeout_ms
    first = long[0]
    return {
        "topic": place[0],
        "partition": place[1],
        "last_stable_offset": first.said.last_stable_offset,
        "leader": first.said.broker,
        "leader_epoch": first.said.leader_epoch,
        "since_ns": max(first.since_ns, since_ns),
        "until_ns": first.until_ns,
        "longest_timeout_ms": timeout_ms,
    }


def _timeout_ms(facts: Facts, place: Place) -> int | str:
    """The longest of those that sent there, or why nobody knows it."""
    clients = [facts.promises.client(name) for name in _senders(facts, place)]
    told = [each.transaction_timeout_ms for each in clients if each.transactional is not False]
    if not told:
        return NOBODY
    known = [max(0, each) for each in told if each is not None]
    return max(known) if len(known) == len(told) else NO_TIMEOUT


def _senders(facts: Facts, place: Place) -> set[str]:
    """Whoever may have had something there in a transaction."""
    if place[0] != POSITIONS:
        return facts.senders(place)
    producers = {name for name, one in facts.promises.clients.items() if one.is_producer}
    return producers | {client for _, client in facts.progress_by.keys() | facts.unended}
