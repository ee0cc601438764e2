"""How sends fared while a fault was open, and when they were acknowledged again."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from operator import itemgetter
from typing import Any, NamedTuple

from highwater.checkers.progress import TENTH_NS, Progress, Tenths, stalls
from highwater.harness.errors import RecordError
from highwater.harness.tables import LARGEST

CLAIM = "stalled-sends"
TOLD = 5


@dataclass(frozen=True, slots=True)
class Open:
    """A fault from its injection to its healing; None: it was open to the end.

    `began_ns` is when it began to be injected, and `since_ns` when it had taken effect.
    """

    name: str
    since_ns: int
    until_ns: int | None
    began_ns: int
    id: str = ""

    @property
    def tenths(self) -> tuple[int, float]:
        """The first and the last in which it was open; the last one is open-ended if it was."""
        last = float("inf") if self.until_ns is None else self.until_ns // TENTH_NS
        return self.since_ns // TENTH_NS, last


def recoveries(progress: Sequence[Progress], faults: Sequence[Open]) -> str:
    """For each fault in which somebody sent: what was acknowledged meanwhile, and when again.

    Times are as exact as the tenths that progress is kept in. Empty if there is nothing to tell.
    """
    courses = [_course(each) for each in progress] if faults else []
    told = [text for fault in faults if (text := _account_of(fault, courses))]
    left = len(told) - TOLD
    return "; ".join([*told[:TOLD], *([f"and {left} faults more"] if left > 0 else [])])


def faults_of(events: Sequence[Mapping[str, Any]]) -> list[Open]:
    """Those of a timeline, as they stand in it; a healing is that of the last one of its id.

    Raises RecordError for one whose id cannot be one, and for a time that no record may have.
    """
    found: dict[int, Open] = {}
    open_by_id: dict[int | str, int] = {}
    for at, each in enumerate(events):
        if each["kind"] != "fault" or "id" not in each:
            continue
        if not isinstance(each["id"], int | str):
            raise RecordError(f"the id of a fault is {each['id']!r}, expected a number")
        at_ns, phase = _time(each, "at_ns"), each.get("phase")
        if phase == "opened":
            began_ns = min(_time(each, "began_ns"), at_ns) if "began_ns" in each else at_ns
            name = str(each.get("fault", each["text"]))
            found[at] = Open(name, at_ns, None, began_ns, str(each["id"]))
            open_by_id[each["id"]] = at
        elif phase == "closed" and each["id"] in open_by_id:
            opened = open_by_id.pop(each["id"])
            found[opened] = replace(found[opened], until_ns=at_ns)
    return list(found.values())


def _time(event: Mapping[str, Any], name: str) -> int:
    at_ns = event[name]
    if not isinstance(at_ns, int) or abs(at_ns) > LARGEST:
        raise RecordError(f"{name} of a fault is {at_ns!r}, expected it within {LARGEST} of zero")
    return at_ns


class _Course(NamedTuple):
    """The same as Progress, in the order of time: what many faults are compared with."""

    answered: Sequence[int]
    acked: Sequence[int]  # before each of these tenths, and in all
    stalls: Sequence[Tenths]  # which follow upon one another
    recovered: Collection[int]

    def acked_between(self, first: int, last: float) -> int:
        """In neither of the two."""
        begin, end = bisect_right(self.answered, first), bisect_left(self.answered, last)
        return self.acked[end] - self.acked[begin] if begin < end else 0

    def last_silence(self, first: int, last: float) -> Iterator[tuple[int, int, bool]]:
        """Of those of which some lies in this time: its end, its beginning, and if it ended."""
        at = bisect_right(self.stalls, last, key=itemgetter(0))
        if at and self.stalls[at - 1][1] > first:
            since, until = self.stalls[at - 1]
            yield until, since, until in self.recovered


def _course(progress: Progress) -> _Course:
    answered = sorted(progress.answered)
    counts = [progress.answered[at] for at in answered]
    return _Course(
        answered, [0, *accumulate(counts)], list(stalls(progress)), progress.answered.keys()
    )


def _account_of(fault: Open, courses: Sequence[_Course]) -> str:
    """Of the tenths in which it was injected and healed nobody knows what came before and after."""
    first, last = fault.tenths
    acked = sum(each.acked_between(first, last) for each in courses)
    silent = [silence for each in courses for silence in each.last_silence(first, last)]
    told = [f"at least {acked} acknowledged meanwhile"] if acked else []
    told += [_silence(fault, silent)] if silent else []
    lasted = "" if fault.until_ns is None else f" for {_seconds(fault.until_ns - fault.since_ns)}"
    return f"{fault.name} at {_seconds(fault.since_ns)}{lasted}: {', '.join(told)}" if told else ""


def _silence(fault: Open, silent: Sequence[tuple[int, int, bool]]) -> str:
    """Of all partitions the one that was silent last."""
    until, since, recovered = max(silent)
    none = f"none for {_seconds((until - since) * TENTH_NS)}"
    if not recovered:
        return f"{none}, as long as sends waited"
    again_ns = until * TENTH_NS
    if fault.until_ns is not None and again_ns >= fault.until_ns:
        return f"{none}, again {_seconds(again_ns - fault.until_ns)} after it was healed"
    return f"{none}, again {_seconds(again_ns - fault.since_ns)} after it began"


def _seconds(time_ns: int) -> str:
    return f"{time_ns / 1e9:.1f} s"
