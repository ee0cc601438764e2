"""What a member has said that it was handed and did, and whether brokers were asked for that."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field

from highwater.harness.errors import PreconditionError
from highwater.harness.foreign.lines import Event
from highwater.harness.gate.rows import Row

Handed = list[tuple[int, str | None, str | None]]  # offset, value and key


@dataclass(slots=True)
class Deeds:
    """What a member said that it was handed and did, in this order."""

    events: list[Event] = field(default_factory=list)
    handed: Handed = field(default_factory=list)
    headers: list[str | None] = field(default_factory=list)  # where it was told to tell one

    def __call__(self, event: Event) -> None:
        self.events.append(event)
        if event["event"] == "polled":
            self.handed += [(offset, value, key) for offset, value, key, *_ in event["records"]]
            self.headers += [header for *_, header in event["records"]]

    def end_of(self, said: str) -> int:
        """One past the highest offset that it said this of; 0: of none."""
        return max((place[-1] for each in self.told(said) for place in each["offsets"]), default=0)

    def longest_rest_s(self, record_s: float) -> float:
        """Between two of its deeds that follow upon each other, by its clock, but for the time that
        what it was handed in the first of them takes.
        """
        deeds = [each for each in self.events if each["event"] in ("polled", "processed")]
        rests = [
            (after["at_ns"] - deed["at_ns"]) / 1e9 - record_s * len(deed.get("records", ()))
            for deed, after in itertools.pairwise(deeds)
        ]
        return max(rests, default=0.0)

    def first(self, said: str) -> int:
        """Which of the events was the first of these; raises PreconditionError without one."""
        found = (n for n, each in enumerate(self.events) if each["event"] == said)
        number = next(found, None)
        if number is None:
            raise PreconditionError(f"expected it to say {said!r}, saw that it did not")
        return number

    def told(self, said: str) -> list[Event]:
        return [each for each in self.events if each["event"] == said]

    def require_unanswered(self, until_ns: int) -> None:
        """No broker's answer had come by then, so that it cannot have told one."""
        early = [each for each in self.told("committed") if each["at_ns"] < until_ns]
        if early:
            raise PreconditionError(
                f"expected no committed before its broker has answered, saw {dict(early[0])!r:.200}"
            )

    def require_asked(self, rows: Sequence[Row]) -> None:
        """It said each commit before it asked for that, and was answered as it says."""
        for row in rows:
            place = [row["topic"], row["partition"], row["offset"]]
            before = [each for each in self.told("commit") if place in each["offsets"]]
            if not any(each["at_ns"] <= row["asked_ns"] for each in before):
                raise PreconditionError(
                    f"expected commit of {place} said before its broker is asked for it, saw it "
                    f"{'said later' if before else 'asked without a word'}"
                )
        done = {
            (row["topic"], row["partition"], row["offset"])
            for row in rows
            if row["error_code"] == 0
        }
        for each in self.told("committed"):
            never = [place for place in each["offsets"] if (*place,) not in done]
            if each["error"] is None and never:
                raise PreconditionError(
                    f"expected committed only of what a broker has committed, saw it of {never[0]}"
                )

    def require_generation(self, rows: Sequence[Row]) -> None:
        """Of what it was assigned, where it tells one: that with which it commits."""
        told = {each["generation"] for each in self.told("assigned")}
        asked = {row["generation"] for row in rows}
        if None not in told and not told & asked:
            raise PreconditionError(
                f"expected the generation with which it commits, {sorted(asked)}, saw assigned "
                f"with {sorted(told)}"
            )
