"""When replicas came to have what was lost or differs, when they had it no more, and after what.

Looks tell where logs ended, not what was in them: a record was there from the first look at which a
log had got beyond its offset, until the first one at which it had not.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from highwater.checkers.facts import Place
from highwater.checkers.findings import Findings, Witness
from highwater.checkers.rows import Ints
from highwater.checkers.samples import PLACE
from highwater.checkers.whereabouts import CLAIM as LOSS

if TYPE_CHECKING:
    import pandas as pd

DIVERGENCE = "replica-divergence"
Ends = Mapping[int, tuple[Ints, Ints]]  # by broker: times of looks, and log end offsets


def trace(findings: Mapping[str, Findings], looks: pd.DataFrame | None) -> None:
    """Complete the witnesses of losses and divergence from looks at replicas, if there were any."""
    steps = {LOSS: _seen, DIVERGENCE: _written}
    found = [
        (witness, step)
        for claim, step in steps.items()
        if claim in findings
        for witness in findings[claim].witnesses
    ]
    places = {(each["topic"], each["partition"]) for each, _ in found}
    ends = {} if looks is None or not places else _ends(looks, places)
    for witness, step in found:
        witness.update(step(ends.get((witness["topic"], witness["partition"]), {}), witness))


def readable(events: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Those of a timeline that say when, what and in words, whoever wrote them."""
    kinds = {"at_ns": int, "kind": str, "text": str}
    return [
        each
        for each in events
        if all(isinstance(each.get(name), kind) for name, kind in kinds.items())
    ]


def explain(findings: Mapping[str, Findings], events: Sequence[Mapping[str, Any]]) -> None:
    """Say what the timeline has last before that: an election, a broker's own end."""
    for claim, when, who, why in (
        (LOSS, "gone_ns", "last_seen_on", "removed_by"),
        (DIVERGENCE, "last_written_ns", "last_written_on", "written_after"),
    ):
        for witness in findings[claim].witnesses if claim in findings else []:
            witness[why] = _last_before(events, witness[when], witness[who])


def _last_before(
    events: Sequence[Mapping[str, Any]], at_ns: int | None, broker: int | None
) -> str | None:
    before = [] if at_ns is None else [each for each in events if each["at_ns"] <= at_ns]
    led = [each["text"] for each in before if each["kind"] == "metadata"]
    own = [each["text"] for each in before if each.get("broker") == broker]
    return "; ".join([*led[-1:], *own[-1:]]) or None


def _ends(looks: pd.DataFrame, wanted: set[Place]) -> Mapping[Place, Ends]:
    told = looks[looks["log_end_offset"].notna()].sort_values("at_ns", kind="stable")
    found: dict[Place, dict[int, tuple[Ints, Ints]]] = {}
    replica: Any
    for replica, group in told.groupby([*PLACE, "broker"]):
        topic, partition, broker = replica
        if (topic, partition) in wanted:
            times, offsets = (
                group[name].to_numpy(np.int64) for name in ("at_ns", "log_end_offset")
            )
            found.setdefault((topic, int(partition)), {})[int(broker)] = times, offsets
    return found


def _seen(ends: Ends, witness: Witness) -> Witness:
    """Of all brokers the one that lost it last."""
    first_seen: list[int] = []
    lost: list[tuple[int | None, ...]] = []  # when last seen there, on whom, and when no more
    for broker, (times, offsets) in ends.items():
        has = (times >= witness["invoked_ns"]) & (offsets > (witness["offset"] or 0))
        if has.any() and witness["offset"] is not None:
            first = int(np.argmax(has))
            first_seen.append(int(times[first]))
            gone = first + int(np.argmax(~has[first:]))
            if gone > first:
                lost.append((int(times[gone - 1]), broker, int(times[gone])))
    last_seen_ns, last_seen_on, gone_ns = max(lost, default=(None, None, None))
    return {
        "first_seen_ns": min(first_seen, default=None),
        "last_seen_ns": last_seen_ns,
        "last_seen_on": last_seen_on,
        "gone_ns": gone_ns,
        "removed_by": None,
    }


def _written(ends: Ends, witness: Witness) -> Witness:
    """Of all copies that are there at the end the one that was written last, and when."""
    written = []
    for broker, (times, offsets) in ends.items():
        has = offsets > witness["offset"]
        if has[-1]:
            lacked = np.flatnonzero(~has)
            written.append((int(times[lacked[-1] + 1 if len(lacked) else 0]), broker))
    last_written_ns, last_written_on = max(written, default=(None, None))
    return {
        "last_written_ns": last_written_ns,
        "last_written_on": last_written_on,
        "written_after": None,
    }
