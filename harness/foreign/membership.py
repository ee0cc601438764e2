"""What a member of a group may say when, by what it has said before.

What a member says and may do is left to the judge: a commit beyond what it was handed, say, or one
record twice. What cannot be true, or cannot be understood, breaks the protocol.
"""

from __future__ import annotations

from collections import Counter

from highwater.harness.foreign.lines import BreachError, Event

MEMBERS = (
    "assigned", "revoked", "lost", "polled", "reached", "processed", "commit", "committed",
)  # fmt: skip

Place = tuple[str, int]


class Membership:
    """Of one life of a member."""

    def __init__(self) -> None:
        self.held: set[Place] = set()
        self._known: set[Place] = set()  # assigned at some time
        self._ends: dict[Place, int] = {}  # one past the highest offset that it was handed
        self._asked: Counter[tuple[str, int, int]] = Counter()  # commits without an answer

    @property
    def unanswered(self) -> int:
        """How many positions it is about to commit and has not been answered."""
        return self._asked.total()

    def hear(self, event: Event) -> None:
        """Raises BreachError for what cannot be."""
        match event["event"]:
            case "assigned":
                self._assigned({(topic, number) for topic, number in event["partitions"]})
            case "revoked" | "lost":
                self._left({(topic, number) for topic, number in event["partitions"]}, event)
            case "polled":
                self._polled((event["topic"], event["partition"]), event)
            case "processed":
                self._processed(event)
            case "commit":
                self._asked.update(_positions(event))
            case "committed":
                self._committed(event)

    def _assigned(self, places: set[Place]) -> None:
        twice = sorted(places & self.held)
        if twice:
            raise BreachError("assigned only of partitions that it does not hold", f"{twice[0]}")
        self.held |= places
        self._known |= places

    def _left(self, places: set[Place], event: Event) -> None:
        others = sorted(places - self.held)
        if others:
            raise BreachError(f"{event['event']} only of partitions that it holds", f"{others[0]}")
        self.held -= places

    def _polled(self, place: Place, event: Event) -> None:
        """What was on its way may be handed out after a partition was given up."""
        if place not in self._known:
            raise BreachError("polled only of partitions that it was assigned", f"{place}")
        end = max((offset + 1 for offset, *_ in event["records"]), default=0)
        self._ends[place] = max(end, self._ends.get(place, 0))

    def _processed(self, event: Event) -> None:
        for topic, number, _, end in event["offsets"]:
            most = self._ends.get((topic, number), 0)
            if end > most:
                raise BreachError(
                    f"processed of {topic}-{number} below {most}, up to which it was handed "
                    "records",
                    f"it up to {end}",
                )

    def _committed(self, event: Event) -> None:
        for position in _positions(event):
            if not self._asked[position]:
                raise BreachError("committed of what it said to commit, once", f"{position}")
            self._asked[position] -= 1


def _positions(event: Event) -> list[tuple[str, int, int]]:
    return [(topic, number, position) for topic, number, position in event["offsets"]]
