"""For how long coordinators said of transactions that they are decided and not yet complete."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from highwater.checkers.findings import Witness
from highwater.checkers.last_stable import MS, UNHEALED
from highwater.checkers.parts import Samples
from highwater.checkers.promises import Promises
from highwater.checkers.rows import NONE
from highwater.checkers.stays import Stay, stays

REQUEST_MS = 30_000  # by default: for so long an answer is waited for that never comes
TO_COMPLETE_MS = 10_000  # for another attempt
DECIDED = frozenset({"PrepareCommit", "PrepareAbort"})
WAITING = "a transaction is decided, and may be completed yet"
SAID = ["transactional_id", "at_ns", "coordinator", "producer_id", "epoch", "began_ms", "state"]


class Said(NamedTuple):
    """By one coordinator, of one transaction."""

    coordinator: int
    producer_id: int
    epoch: int
    began_ms: int
    state: str


def judged_by_id(part: Samples) -> Iterator[Witness | str | None]:
    """Of each transactional id an anomaly, or why nobody can tell, or nothing."""
    looks = part["transaction_states"].sort_values(SAID, kind="stable")
    for transactional_id, mine in looks.groupby("transactional_id"):
        rows = mine[SAID[1:]].to_numpy(object).tolist()
        told = list(stays((at_ns, Said(*said)) for at_ns, *said in rows))
        yield _judged(part.facts.promises, str(transactional_id), told)


def _judged(promises: Promises, name: str, looks: list[Stay[Said]]) -> Witness | str | None:
    healed_ns = promises.healed_ns
    since_ns = NONE if healed_ns is None else healed_ns
    allowed_ns = (max(promises.brokers.request_ms, REQUEST_MS) + TO_COMPLETE_MS) * MS
    long = [
        each
        for each in looks
        if each.said.state in DECIDED and each.until_ns - max(each.since_ns, since_ns) > allowed_ns
    ]
    if not long:
        return WAITING if looks[-1].said.state in DECIDED else None
    if healed_ns is None:
        return UNHEALED
    first = long[0]
    return {
        "transactional_id": name,
        "producer_id": first.said.producer_id,
        "epoch": first.said.epoch,
        "state": first.said.state,
        "coordinator": first.said.coordinator,
        "since_ns": max(first.since_ns, since_ns),
        "until_ns": first.until_ns,
    }
