"""What a member of a group may say when, by what it has said before.

What a member says and may do is left to the judge: a commit beyond what it was handed, say, or one
record twice. What cannot be true, or cannot be understood, breaks the protocol.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Collection, Sequence

from highwater.harness.foreign.lines import BreachError, Event
from highwater.harness.foreign.passing import Passed

MEMBERS = (
    "assigned", "revoked", "lost", "polled", "reached", "processed", "commit", "committed",
)  # fmt: skip

Place = tuple[str, int]
Position = tuple[str, int, int]


class Membership:
    """Of one life of a member, which is told to read these topics."""

    def __init__(
        self,
        topics: Collection[str] = (),
        headed: Collection[str] = (),
        *,
        is_automatic: bool = False,
    ) -> None:
        """`headed` are the topics of which it tells a header; `is_automatic`: it is its library
        that commits, and the gate that sees it.
        """
        self.held: set[Place] = set()
        self._topics, self._headed = topics, headed
        self._is_automatic = is_automatic
        self._dealt_ns: dict[Place, int] = {}  # when each was assigned, or given up, last
        self._passed: dict[Place, Passed] = defaultdict(Passed)  # assigned at some time
        self._asked: dict[Position, deque[int]] = {}  # commits without an answer: since when

    @property
    def unanswered(self) -> int:
        """How many positions it is about to commit and has not been answered."""
        return sum(map(len, self._asked.values()))

    def hear(self, event: Event) -> None:
        """Raises BreachError for what cannot be."""
        self._require_topics(event)
        match event["event"]:
            case "assigned":
                self._assigned(_places(event), event)
            case "revoked" | "lost":
                self._left(_places(event), event)
            case "polled":
                self._polled((event["topic"], event["partition"]), event)
            case "processed":
                self._processed(event)
            case "commit":
                self._commits(event)
            case "committed":
                self._committed(event)

    def _require_topics(self, event: Event) -> None:
        """The record has a name of its own for each topic: of others nobody knows what is meant."""
        told = [topic for topic, *_ in (*event.get("partitions", ()), *event.get("offsets", ()))]
        strange = sorted({*told, *([event["topic"]] if "topic" in event else [])} - {*self._topics})
        if strange:
            read = ", ".join(self._topics)
            raise BreachError(f"{event['event']} only of what it reads: {read}", f"{strange[0]!r}")

    def _assigned(self, places: Sequence[Place], event: Event) -> None:
        for place in places:
            if place in self.held:
                raise BreachError("assigned only of partitions that it does not hold", f"{place}")
            self._deal(place, event)
            self.held.add(place)
            self._passed[place].begin()

    def _left(self, places: Sequence[Place], event: Event) -> None:
        for place in places:
            if place not in self.held:
                raise BreachError(f"{event['event']} only of partitions that it holds", f"{place}")
            self._deal(place, event)
            self.held.remove(place)

    def _deal(self, place: Place, event: Event) -> None:
        _require_after(self._dealt_ns.get(place, 0), event, "what came before it")
        self._dealt_ns[place] = event["at_ns"]

    def _polled(self, place: Place, event: Event) -> None:
        """What was on its way may be handed out after a partition was given up."""
        if place not in self._passed:
            raise BreachError("polled only of partitions that it was assigned", f"{place}")
        if place in self.held:
            _require_after(self._dealt_ns[place], event, "assigned")
        parts = 4 if place[0] in self._headed else 3
        odd = next((each for each in event["records"] if len(each) != parts), None)
        if odd is not None:
            raise BreachError(
                f"{parts} parts of each record of {place[0]}: offset, value, key, and a header "
                "where it was told which",
                f"{len(odd)}",
            )
        self._passed[place].hand([offset for offset, *_ in event["records"]], event["at_ns"])

    def _processed(self, event: Event) -> None:
        for topic, number, first, end in event["offsets"]:
            passed = self._passed.get((topic, number), Passed())
            since_ns = passed.since_ns(first, end)
            if since_ns is None:
                raise BreachError(
                    f"processed of what it was handed, which of {topic}-{number} is {passed}",
                    f"it of {first} to {end - 1}",
                )
            _require_after(since_ns, event, "polled")

    def _commits(self, event: Event) -> None:
        if self._is_automatic:
            raise BreachError("no commit where its library commits by itself", "one")
        for position in _positions(event):
            self._asked.setdefault(position, deque()).append(event["at_ns"])

    def _committed(self, event: Event) -> None:
        for position in _positions(event):
            if position not in self._asked:
                raise BreachError("committed of what it said to commit, once", f"{position}")
            _require_after(self._asked[position].popleft(), event, "commit")
            if not self._asked[position]:
                del self._asked[position]


def _require_after(since_ns: int, event: Event, what: str) -> None:
    if event["at_ns"] < since_ns:
        raise BreachError(
            f"an at_ns of {event['event']} not before that of {what}, {since_ns}",
            f"{event['at_ns']}",
        )


def _places(event: Event) -> list[Place]:
    return [(topic, number) for topic, number in event["partitions"]]


def _positions(event: Event) -> list[Position]:
    return [(topic, number, position) for topic, number, position in event["offsets"]]
