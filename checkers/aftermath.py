"""What each fault did to each partition: how long nothing was acknowledged, nobody led, the ISR
lacked a replica.

The time of a fault is from when it began to be injected to when the next one did, for from there on
nobody can tell which of them did it; what begins in that time is followed to its end, however late
that is.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from highwater.checkers.facts import Place
from highwater.checkers.recovery import Open
from highwater.checkers.rows import LAST, Ints
from highwater.checkers.states import States
from highwater.checkers.tallies import ACKED, HANDED, SLOT_NS, Tallies
from highwater.harness.measurements import RECOVERIES

Row = dict[str, Any]
RETRY_NS = 10**9  # who sends again within that has not stopped sending
NO_SLOTS = np.empty((4, 0), np.int64)
NO_STATES = States(None, None)


class Time(NamedTuple):
    """Of a fault: when it began, when it had taken effect, and before when another one began."""

    began_ns: int
    since_ns: int
    before_ns: int


@dataclass(frozen=True, slots=True)
class Sent:
    """Of one partition: slots with acknowledgements in the order of time, and times without.

    In these, which follow upon one another, sends waited and none was acknowledged.
    """

    least_ns: Ints
    most_ns: Ints
    silent_since_ns: Ints
    silent_until_ns: Ints
    until_ns: int  # when the last send ended

    def first_after(self, at_ns: int) -> int | None:
        """The first acknowledgement after that; in its own slot the last one, which is known."""
        later = int(np.searchsorted(self.least_ns, at_ns, "right"))
        near = slice(int(np.searchsorted(self.least_ns, at_ns - SLOT_NS)), later)
        around = self.most_ns[near]
        found = [*around[around > at_ns].tolist(), *self.least_ns[later : later + 1].tolist()]
        return min(found, default=None)

    def silent_ns(self, since_ns: int, before_ns: int) -> int:
        """The longest of the silences of which some lies in this time."""
        first = int(np.searchsorted(self.silent_until_ns, since_ns, "right"))
        end = int(np.searchsorted(self.silent_since_ns, before_ns))
        some = slice(first, max(first, end))
        lasted = self.silent_until_ns[some] - self.silent_since_ns[some]
        return int(lasted.view(np.uint64).max(initial=0))  # a record's longest needs all bits


def recoveries_of(
    faults: Sequence[Open], tallies: Tallies, states: Mapping[Place, States]
) -> pa.Table:
    """A row for each fault and partition to which somebody sent, and for each topic's worst."""
    sent = _sent(tallies)
    by_topic: dict[str, list[Place]] = defaultdict(list)
    for place in sorted(sent):
        by_topic[place[0]].append(place)
    began = sorted(fault.began_ns for fault in faults)
    rows: list[Row] = []
    for fault in sorted(faults, key=lambda each: each.since_ns):
        time = Time(
            fault.began_ns, fault.since_ns, [*began, LAST][bisect_right(began, fault.began_ns)]
        )
        named = {
            "fault_id": fault.id,
            "fault": fault.name,
            "from_ns": fault.since_ns,
            "until_ns": fault.until_ns,
        }
        for topic, places in by_topic.items():
            found: dict[int | None, Row] = {
                place[1]: {
                    **_acknowledged(sent[place], time),
                    **_replicated(states.get(place, NO_STATES), time),
                }
                for place in places
            }
            told = {None: _worst(list(found.values())), **found}
            rows += [
                {**named, "topic": topic, "partition": partition, **each}
                for partition, each in told.items()
            ]
    return pa.Table.from_pylist(rows, schema=RECOVERIES)


def _acknowledged(sent: Sent, time: Time) -> Row:
    sent_on = sent.until_ns > time.since_ns
    first_ns = sent.first_after(time.since_ns)
    return {
        "sent_on": sent_on,
        "first_ack_ms": None if first_ns is None else (first_ns - time.since_ns) / 1e6,
        "silent_ms": sent.silent_ns(time.began_ns, time.before_ns) / 1e6 if sent_on else None,
    }


def _replicated(states: States, time: Time) -> Row:
    since_ns, before_ns = time.began_ns, time.before_ns
    found: Row = {"leaderless_ms": None, "isr_shrank": None, "full_isr_ms": None}
    led, shrunk = states.leaderless, states.shrunk
    if led is not None and led.is_known(since_ns, before_ns):
        spells = led.within(since_ns, before_ns)
        lasted = [min(one.until_ns, before_ns) - max(one.since_ns, since_ns) for one in spells]
        found["leaderless_ms"] = sum(lasted) / 1e6
    if shrunk is not None and shrunk.is_known(since_ns, before_ns):
        spells = shrunk.within(since_ns, before_ns)
        found["isr_shrank"] = bool(spells)
        if spells and spells[-1].is_over:
            found["full_isr_ms"] = max(spells[-1].until_ns - time.since_ns, 0) / 1e6
    return found


def _worst(rows: Sequence[Row]) -> Row:
    """Of a topic the worst, of each measure by itself; what never came is worse than any time."""
    never_acked = any(row["sent_on"] and row["first_ack_ms"] is None for row in rows)
    never_full = any(row["isr_shrank"] and row["full_isr_ms"] is None for row in rows)
    shrank = [row["isr_shrank"] for row in rows if row["isr_shrank"] is not None]
    return {
        "sent_on": any(row["sent_on"] for row in rows),
        "first_ack_ms": None if never_acked else _most(rows, "first_ack_ms"),
        "silent_ms": _most(rows, "silent_ms"),
        "leaderless_ms": _most(rows, "leaderless_ms"),
        "isr_shrank": any(shrank) if shrank else None,
        "full_isr_ms": None if never_full else _most(rows, "full_isr_ms"),
    }


def _most(rows: Sequence[Row], name: str) -> float | None:
    return max((row[name] for row in rows if row[name] is not None), default=None)


def _sent(tallies: Tallies) -> dict[Place, Sent]:
    """By partition, whoever sent to it."""
    acked: dict[Place, list[Ints]] = defaultdict(list)
    ended: dict[Place, list[Ints]] = defaultdict(list)
    for series, tally in tallies.of.items():
        if series.ended == ACKED:
            acked[series.place] += tally.slots
        if series.ended != HANDED:
            ended[series.place] += tally.slots
    return {
        place: _sent_to(np.concatenate([NO_SLOTS, *acked.get(place, ())], axis=1),
                        np.concatenate(slots, axis=1))
        for place, slots in ended.items()
    }  # fmt: skip


def _sent_to(acked: Ints, ended: Ints) -> Sent:
    acked = acked[:, np.argsort(acked[1], kind="stable")]
    _, least_ns, most_ns, _ = acked
    until_ns = int(ended[2].max())
    silences = np.array(list(_silences(acked, ended, until_ns)), np.int64).reshape(-1, 2)
    return Sent(least_ns, most_ns, silences[:, 0], silences[:, 1], until_ns)


def _silences(acked: Ints, ended: Ints, until_ns: int) -> Iterator[tuple[int, int]]:
    """Times without an acknowledgement in which sends waited, with no second between two of them.

    Each begins when a send waited that ended after the acknowledgement before. Those shorter than a
    slot are left out: within one nobody knows.
    """
    ended = ended[:, np.argsort(ended[2], kind="stable")]
    waited_since = np.minimum.accumulate(ended[3, ::-1])[::-1]
    _, least_ns, most_ns, _ = acked
    came_to = np.concatenate([[int(waited_since[0])], np.maximum.accumulate(most_ns)])
    came_to = np.maximum.accumulate(came_to)
    again = np.append(least_ns, until_ns)
    idle = np.flatnonzero(waited_since[1:] - ended[2, :-1] >= RETRY_NS) + 1  # nobody waited before
    for at in np.flatnonzero(again - SLOT_NS >= came_to).tolist():
        first = int(np.searchsorted(ended[2], came_to[at], "right"))
        since_ns = max(int(came_to[at]), int(waited_since[first]))
        pauses = idle[np.searchsorted(idle, first, "right") :]
        for pause in pauses[: np.searchsorted(waited_since[pauses], again[at])].tolist():
            yield from _silence(since_ns, int(ended[2, pause - 1]))
            since_ns = int(waited_since[pause])
        yield from _silence(since_ns, int(again[at]))


def _silence(since_ns: int, until_ns: int) -> Iterator[tuple[int, int]]:
    if until_ns - since_ns >= SLOT_NS:
        yield since_ns, until_ns
