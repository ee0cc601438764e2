"""What is seen of transactions at one moment, how near to a failure that is, and what is one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from highwater.harness.probes.records import Stretch

Values = frozenset[int]
COMMIT = 1  # the type of a control record: ControlRecordType of Kafka's


@dataclass(frozen=True, slots=True, kw_only=True)
class Transacted:
    """Of the producers of one partition, and of its leader's log.

    `visible` is what readers of committed records are handed of the log, in the end.
    """

    standings: tuple[tuple[int, str], ...] = ()  # number, and where that producer stands
    last_stable: int | None = None
    mark: int | None = None
    committed: Values = frozenset()
    aborted: Values = frozenset()
    doubtful: tuple[Values, ...] = ()  # each of one transaction
    visible: Values = frozenset()
    there: Values = frozenset()
    repeated: Values = frozenset()  # records of theirs that are there more than once
    are_alike: bool = True  # all in sync have the same visible
    unclosed: tuple[str, ...] = ()  # producers that could not begin anew in the end
    is_withheld: bool = False  # a marker may be under way
    delayed: tuple[int, ...] = ()  # brokers to which one is, and another one was sent in its place
    stuck: tuple[str, ...] = ()  # producers that no coordinator lets go on, when all is healed

    @property
    def is_stable(self) -> bool:
        """Every record is decided."""
        return self.last_stable == self.mark

    @property
    def are_quiet(self) -> bool:
        """No producer has anything open, or asks for anything."""
        known = [told.split() for _, told in self.standings]
        return all(first in {"new", "ready"} and "busy" not in others for first, *others in known)

    @property
    def deceived(self) -> int | None:
        """A producer that has records in an open transaction, though the log has none open."""
        is_open = (number for number, told in self.standings if told == "open")
        return next(is_open, None) if self.is_stable else None

    @property
    def too_late(self) -> int | None:
        """A producer of whose last transaction, which is over, a request is under way yet."""
        return next((number for number, told in self.standings if told.endswith("too late")), None)

    @property
    def stray(self) -> int | None:
        """A broker to which an old marker is under way, while a producer has a transaction open."""
        is_open = any(told == "open" for _, told in self.standings)
        return next(iter(self.delayed), None) if is_open else None

    @property
    def words(self) -> tuple[str, ...]:
        """What is new in kind."""
        stable = "all decided" if self.is_stable else "undecided"
        return (stable, *sorted(f"producer {told}" for _, told in self.standings))

    def danger(self, is_committed: bool) -> int:
        """3: the log has something open and producers have not, or they have and it has not.

        And all of it `is_committed`, as replicas go: what is above the high watermark says nothing.
        2: a request, or a marker, is late for its transaction. 1: a request is under way yet.
        """
        hangs = not self.is_stable and self.are_quiet and not self.is_withheld
        if is_committed and (hangs or self.deceived is not None):
            return 3
        if self.too_late is not None or self.stray is not None:
            return 2
        return int(any(told.endswith("late") for _, told in self.standings))

    def violated(self) -> Iterator[tuple[str, str]]:
        """Each claim and what is told of it, when everything has been healed and ended.

        Nothing where a producer has not ended: its markers may be due.
        """
        if self.stuck:
            yield "stuck-transaction", f"nothing ends the transactions of {', '.join(self.stuck)}"
        if self.unclosed:
            return
        yield from _violated("aborted-read", self.aborted & self.visible, "aborted and visible")
        hidden = (self.committed & self.there) - self.visible
        yield from _violated("unseen", hidden, "committed and not visible")
        yield from _violated("lost-write", self.committed - self.there, "committed and gone")
        torn = [each & self.there for each in self.doubtful]
        half = next((each for each in torn if each & self.visible and each - self.visible), None)
        yield from _violated(
            "torn-transaction", half or frozenset(), "of one transaction, half seen"
        )
        yield from _violated("duplicate", self.repeated, "there more than once")
        if not self.are_alike:
            yield "replica-divergence", "replicas disagree about which transactions are committed"
        if not self.is_stable and self.last_stable is not None:
            yield (
                "hanging-transaction",
                f"the last stable offset stays at {self.last_stable}, below {self.mark}",
            )


def _violated(claim: str, values: Values, told: str) -> Iterator[tuple[str, str]]:
    if values:
        yield claim, f"{len(values)} records are {told}, the first of them {min(values)}"


@dataclass(slots=True)
class Readable:
    """What readers of committed records are handed of a log, as its stretches come."""

    visible: set[int] = field(default_factory=set)
    _open: dict[int | None, set[int]] = field(default_factory=dict)  # by producer id

    def take(self, stretch: Stretch, values: list[int | None]) -> None:
        batch, known = stretch.batch, {each for each in values if each is not None}
        if batch.is_control:
            decided = self._open.pop(batch.producer_id, set())
            if _commits(stretch):
                self.visible |= decided
        elif batch.is_transactional:
            self._open.setdefault(batch.producer_id, set()).update(known)
        else:
            self.visible |= known


def _commits(stretch: Stretch) -> bool:
    keys = [each.key or b"" for each in stretch.records]
    return any(int.from_bytes(key[2:4], "big") == COMMIT for key in keys)
