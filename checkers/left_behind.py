"""For how long replicas were left out of the ISR though nothing kept them from coming in."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from highwater.checkers.facts import Place
from highwater.checkers.findings import Witness
from highwater.checkers.parts import Samples
from highwater.checkers.samples import PLACE

if TYPE_CHECKING:
    import pandas as pd

LONG_NS = 30 * 10**9
APART_NS = 10 * 10**9  # what is further apart says nothing of the time between
OPEN = "a replica may be about to come into the ISR"
UNHEALED = "nobody told from when on no fault was in effect"
SEEN = ("the replica", "its broker", "the leader's log")
TOLD = ["leader", "leader_epoch", "isr", "replicas"]
Values = Mapping[str, set[object]]  # what one moment tells of each of several things


class Moment(NamedTuple):
    """All that was seen of one replica, and of its partition, at one time."""

    is_in_order: bool  # no look saw anything else than a replica left out, and its broker well
    seen: Mapping[str, bool]  # whether there was a look at each of SEEN
    told: Values


class Left(NamedTuple):
    since_ns: int
    until_ns: int


@dataclass(slots=True)
class Stretch:
    """The time, up to the last moment, in which all looks agree that a replica is left out.

    It begins after `floor_ns`, the last moment that says something else of anything.
    """

    healed_ns: int
    floor_ns: int = -(1 << 63)
    seen_ns: dict[str, list[int]] = field(default_factory=lambda: {each: [] for each in SEEN})
    last: dict[str, tuple[object, int]] = field(default_factory=dict)

    def hear(self, at_ns: int, moment: Moment) -> Left | None:
        """How long it has been left out by now."""
        if not moment.is_in_order or any(len(values) > 1 for values in moment.told.values()):
            self.floor_ns = at_ns
            return None
        for name, values in moment.told.items():
            for value in values:
                before, when_ns = self.last.get(name, (value, at_ns))
                if before != value:
                    self.floor_ns = max(self.floor_ns, when_ns)
                self.last[name] = value, at_ns
        for what in SEEN:
            if moment.seen[what]:
                before_ns = self.seen_ns[what][-1:]
                if before_ns and at_ns - before_ns[0] > APART_NS:
                    self.floor_ns = max(self.floor_ns, before_ns[0])
                self.seen_ns[what].append(at_ns)
        return self._left()

    def _left(self) -> Left | None:
        since_ns = self.healed_ns
        for seen_ns in self.seen_ns.values():
            first = bisect_right(seen_ns, self.floor_ns)
            if first == len(seen_ns):
                return None
            since_ns = max(since_ns, seen_ns[first])
        return Left(since_ns, min(seen_ns[-1] for seen_ns in self.seen_ns.values()))


def judged_by_replica(part: Samples) -> Iterator[Witness | str | None]:
    """Of each replica whose broker was watched an anomaly, or why nobody can tell, or nothing."""
    looks = part["replica_states"]
    looks = looks[looks[TOLD].notna().all(axis=1)]
    watched: dict[int, list[dict[str, Any]]] = defaultdict(list)
    for row in _rows(part["liveness"]):
        watched[row["broker"]].append(row)
    for _, mine in looks.groupby(PLACE):
        rows = _rows(mine)
        place = str(rows[0]["topic"]), int(rows[0]["partition"])
        members = {each for row in rows for each in row["replicas"].split(",")}
        for broker in sorted(each for each in watched if str(each) in members):
            moments = _moments(broker, rows, watched[broker])
            yield _judged(part.facts.promises.healed_ns, (place, broker), moments)


def _judged(
    healed_ns: int | None, whose: tuple[Place, int], moments: Iterable[tuple[int, Moment]]
) -> Witness | str | None:
    stretch, found, is_open = Stretch(-(1 << 63) if healed_ns is None else healed_ns), None, False
    for at_ns, moment in moments:
        left = stretch.hear(at_ns, moment)
        is_open = left is not None
        if left is None or left.until_ns - left.since_ns <= LONG_NS:
            continue
        if found is not None and left.since_ns != found["since_ns"]:
            break
        found = _witness(whose, stretch, left)
    if found is None:
        return OPEN if is_open else None
    return UNHEALED if healed_ns is None else found


def _witness(whose: tuple[Place, int], stretch: Stretch, left: Left) -> Witness:
    (topic, partition), broker = whose
    term, end = stretch.last["term"][0], stretch.last.get("leader_end", (None, 0))[0]
    leader, epoch = term if isinstance(term, tuple) else (None, None)
    led = {"leader": leader, "leader_epoch": epoch, "log_end_offset": end}
    times = {"since_ns": left.since_ns, "until_ns": left.until_ns}
    return {"topic": topic, "partition": partition, "broker": broker, **led, **times}


def _moments(
    broker: int, looks: list[dict[str, Any]], watched: list[dict[str, Any]]
) -> Iterator[tuple[int, Moment]]:
    """In the order of time."""
    by_time: dict[int, tuple[list[dict[str, Any]], list[dict[str, Any]]]]
    by_time = defaultdict(lambda: ([], []))
    for of, rows in enumerate((looks, watched)):
        for row in rows:
            by_time[row["at_ns"]][of].append(row)
    for at_ns in sorted(by_time):
        seen, pulses = by_time[at_ns]
        out = [_is_left_out(broker, row) for row in seen]
        well = [row["running"] and row["registered"] and row["answers"] for row in pulses]
        told = {
            "term": {(row["leader"], row["leader_epoch"]) for row in seen},
            "leader_end": {row["log_end_offset"] for row in seen if row["leader"] == row["broker"]},
            "own_end": {row["log_end_offset"] for row in seen if row["broker"] == broker},
        }
        told = {name: values - {None} for name, values in told.items()}
        there = dict(zip(SEEN, (bool(out), bool(well), bool(told["leader_end"])), strict=True))
        yield at_ns, Moment(all(out) and all(well), there, told)


def _is_left_out(broker: int, look: Mapping[str, Any]) -> bool:
    return (
        look["leader"] >= 0 and _is_of(broker, look["replicas"]) and not _is_of(broker, look["isr"])
    )


def _is_of(broker: int, listed: str) -> bool:
    return str(broker) in listed.split(",")


def _rows(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """With None for what is missing."""
    kept = frame.astype(object).where(frame.notna(), None)
    return [dict(zip(kept.columns, row, strict=True)) for row in kept.itertuples(index=False)]
