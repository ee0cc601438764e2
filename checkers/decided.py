"""For how long coordinators said of transactions that they are decided and not yet complete."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from highwater.checkers.findings import Witness
from highwater.checkers.last_stable import UNHEALED
from highwater.checkers.parts import Samples
from highwater.checkers.rows import NONE

ALLOWED_NS = 40_000_000_000  # an answer that never comes, and another attempt
DECIDED = frozenset({"PrepareCommit", "PrepareAbort"})
WAITING = "a transaction is decided, and may be completed yet"
SAID = ["transactional_id", "at_ns", "coordinator", "producer_id", "epoch", "began_ms", "state"]


class Stay(NamedTuple):
    """Looks one after the other at which one coordinator said the same of one transaction."""

    coordinator: int
    producer_id: int
    epoch: int
    began_ms: int
    state: str
    since_ns: int
    until_ns: int


def judged_by_id(part: Samples) -> Iterator[Witness | str | None]:
    """Of each transactional id an anomaly, or why nobody can tell, or nothing."""
    looks = part["transaction_states"].sort_values(SAID, kind="stable")
    for transactional_id, mine in looks.groupby("transactional_id"):
        rows = mine[SAID[1:]].to_numpy(object).tolist()
        yield _judged(part.facts.promises.healed_ns, str(transactional_id), list(_stays(rows)))


def _stays(looks: list[list[Any]]) -> Iterator[Stay]:
    last: Stay | None = None
    for at_ns, coordinator, producer_id, epoch, began_ms, state in looks:
        seen = Stay(coordinator, producer_id, epoch, began_ms, state, at_ns, at_ns)
        if last is not None and seen[:5] == last[:5]:
            last = last._replace(until_ns=at_ns)
            continue
        if last is not None:
            yield last
        last = seen
    if last is not None:
        yield last


def _judged(healed_ns: int | None, name: str, stays: list[Stay]) -> Witness | str | None:
    since_ns = NONE if healed_ns is None else healed_ns
    long = [
        each
        for each in stays
        if each.state in DECIDED and each.until_ns - max(each.since_ns, since_ns) > ALLOWED_NS
    ]
    if not long:
        return WAITING if stays[-1].state in DECIDED else None
    if healed_ns is None:
        return UNHEALED
    first = long[0]
    return {
        "transactional_id": name,
        "producer_id": first.producer_id,
        "epoch": first.epoch,
        "state": first.state,
        "coordinator": first.coordinator,
        "since_ns": max(first.since_ns, since_ns),
        "until_ns": first.until_ns,
    }
