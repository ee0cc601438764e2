"""The clock of an adapter, and what it must have read if it tells the truth."""

from __future__ import annotations

from dataclasses import dataclass

from highwater.harness.foreign.lines import MONOTONIC, BreachError, Event


@dataclass(frozen=True, slots=True)
class Clock:
    """On ours, a reading of it lies somewhere between `least_ns` and `most_ns` further on.

    CLOCK_MONOTONIC is one clock for all processes of a machine: both are 0. Any other is mapped by
    its reading in the first line, which was made between the start of the program and the moment
    at which the line was read.
    """

    spawned_ns: int
    least_ns: int = 0
    most_ns: int = 0

    @staticmethod
    def of(hello: Event, spawned_ns: int, read_ns: int) -> Clock:
        """Raises BreachError for one that cannot have said what it said."""
        if hello["clock"] == MONOTONIC:
            clock = Clock(spawned_ns)
        else:
            clock = Clock(spawned_ns, spawned_ns - hello["at_ns"], read_ns - hello["at_ns"])
        clock.require(hello["at_ns"], spawned_ns, read_ns)
        return clock

    def require(self, at_ns: int, since_ns: int, read_ns: int) -> None:
        """Raises BreachError for a reading from before `since_ns`, or from after it was read."""
        if at_ns + self.most_ns >= since_ns and at_ns + self.least_ns <= read_ns:
            return
        if at_ns + self.least_ns > read_ns:
            off = f"{at_ns + self.least_ns - read_ns:,} ns after its line was read"
        else:
            off = f"{since_ns - at_ns - self.most_ns:,} ns before it was asked for"
        raise BreachError("an at_ns between what it tells of and now", f"{at_ns}, {off}")
