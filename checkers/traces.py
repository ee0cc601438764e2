"""When replicas were seen to have what was lost, when they had it no more, and after what.

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
from highwater.checkers.whereabouts import CLAIM

if TYPE_CHECKING:
    import pandas as pd

NAMES = ("first_seen_ns", "last_seen_ns", "last_seen_on", "gone_ns", "removed_by")
Ends = Mapping[int, tuple[Ints, Ints]]  # by broker: times of looks, and log end offsets


def trace(findings: Mapping[str, Findings], looks: pd.DataFrame | None) -> None:
    """Complete the witnesses of losses from looks at replicas, if there were any."""
    found = findings[CLAIM].witnesses if CLAIM in findings else []
    ends = (
        {}
        if looks is None
        else _ends(looks, {(each["topic"], each["partition"]) for each in found})
    )
    for witness in found:
        witness.update(_seen(ends.get((witness["topic"], witness["partition"]), {}), witness))


def explain(witnesses: Iterable[Witness], events: Sequence[Mapping[str, Any]]) -> None:
    """Say what the timeline has last before a record was gone: an election, a broker's own end."""
    for witness in witnesses:
        gone, broker = witness["gone_ns"], witness["last_seen_on"]
        before = [] if gone is None else [each for each in events if each["at_ns"] <= gone]
        led = [each["text"] for each in before if each["kind"] == "metadata"]
        own = [each["text"] for each in before if each.get("broker") == broker]
        witness["removed_by"] = "; ".join([*led[-1:], *own[-1:]]) or None


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
    told = (min(first_seen, default=None), *max(lost, default=(None, None, None)), None)
    return dict(zip(NAMES, told, strict=True))
