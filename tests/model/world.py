"""A cluster and its clients, one step after the other, as the choices say.

The world knows by its own state what was committed, lost, and handed to whom; `truth` asks it.
Every event has a moment of its own on `now_ns`, so that the order of events is known exactly.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from tests.model.choices import Choices
from tests.model.clients import Commit, Handing, Holding, Processed, Reader, Send, Stop
from tests.model.logs import Partition, Transaction
from tests.model.sights import Fetch, Look

PLACES = (("orders", 0), ("orders", 1), ("events", 0))

# What a broker, a disk, a client or a look may do wrong. Without them all is as in Kafka.
CLIENT_BUGS = (
    "acknowledges what it never wrote",
    "acknowledges at a wrong offset",
    "writes twice",
    "hands over what is not committed",
    "hands over what was aborted",
    "hands over a corrupted payload",
    "hands over what nobody sent",
    "hands over a record of another partition",
    "hides a record from one reader",
    "hides a record from all readers",
    "goes back",
    "tells an end too low",
    "loses a marker",
)
REPLICA_BUGS = (
    "forgets its watermark",
    "keeps a laggard in sync",
    "shows a leader out of the ISR",
    "shows a watermark too high",
    "shows a watermark too low",
)
HAZARDS = ("unclean elections", "power failures", "truncates by watermark")


@dataclass
class Settings:
    """What a world is like; by default a calm one."""

    places: int = 1
    brokers: int = 3
    least_in_sync: int = 1
    steps: int = 40
    hazards: frozenset[str] = frozenset()
    bugs: frozenset[str] = frozenset()
    transactions: bool = False
    faults: bool = False
    weak_acks: bool = False
    retention: bool = False
    sends_again: bool = False  # applications that send a record again which may have failed
    late_readers: bool = False
    leaps: bool = False  # now and then much time goes by


def settings_of(choices: Choices, steps: int = 60) -> Settings:
    """A world of chance: two of five have nothing wrong in them."""
    bugs: set[str] = set()
    hazards: set[str] = set()
    if choices.happens(45):
        bugs.add(choices.pick(CLIENT_BUGS if choices.happens(70) else REPLICA_BUGS))
        if choices.happens(20):
            bugs.add(choices.pick(CLIENT_BUGS))
    faults = choices.happens(60)
    if faults and choices.happens(50):
        hazards.add(choices.pick(HAZARDS))
        if choices.happens(20):
            hazards.add(choices.pick(HAZARDS))
    return Settings(
        places=1 if bugs and choices.happens(60) else choices.between(1, len(PLACES)),
        brokers=3 - choices.weighted({0: 7, 1: 2, 2: 1}),
        least_in_sync=choices.between(1, 2),
        steps=choices.between(steps // 2 if bugs else 4, steps),
        hazards=frozenset(hazards),
        bugs=frozenset(bugs),
        transactions=choices.happens(40) or bool(bugs & {CLIENT_BUGS[4], CLIENT_BUGS[12]}),
        faults=faults,
        weak_acks=choices.happens(30),
        retention=choices.happens(20),
        sends_again=choices.happens(20),
        late_readers=choices.happens(30),
        leaps=choices.happens(20) or "keeps a laggard in sync" in bugs,
    )


@dataclass
class World:
    """All that there is, and all that has happened."""

    choices: Choices
    settings: Settings
    partitions: list[Partition] = field(default_factory=list)
    sends: list[Send] = field(default_factory=list)
    waiting: list[Send] = field(default_factory=list)
    late: list[Send] = field(default_factory=list)  # given up by the client, still under way
    transactions: dict[str, Transaction] = field(default_factory=dict)  # open ones, by client
    deciding: list[Transaction] = field(default_factory=list)  # decided, markers under way
    readers: list[Reader] = field(default_factory=list)
    handings: list[Handing] = field(default_factory=list)
    stops: list[Stop] = field(default_factory=list)
    commits: list[Commit] = field(default_factory=list)
    processed: list[Processed] = field(default_factory=list)
    holdings: list[Holding] = field(default_factory=list)
    committed: dict[tuple[int, Partition], int] = field(default_factory=dict)  # groups' positions
    hidden: set[tuple[Partition, int]] = field(default_factory=set)
    marker_lost: set[tuple[Transaction, Partition]] = field(default_factory=set)
    torn: set[tuple[Transaction, Partition]] = field(default_factory=set)  # aborted there alone
    looks: list[Look] = field(default_factory=list)
    fetches: list[Fetch] = field(default_factory=list)
    committed_up_to: dict[Partition, int] = field(default_factory=dict)
    fallen: set[Partition] = field(default_factory=set)  # whose in-sync replicas lacked some of it
    story: list[str] = field(default_factory=list)
    now_ns: int = 0
    ops: int = 0
    values: int = 0
    named: int = 0  # readers
    first_group: int = 0
    takes_uncommitted: bool = False  # its readers
    beside: World | None = None  # what readers of uncommitted records see of it

    def __post_init__(self) -> None:
        brokers = tuple(range(1, self.settings.brokers + 1))
        least = min(self.settings.least_in_sync, len(brokers))
        for place in PLACES[: self.settings.places]:
            partition = Partition(place, brokers, least)
            partition.by_watermark = "truncates by watermark" in self.settings.hazards
            self.partitions.append(partition)

    def tick(self, most_us: int = 5000) -> int:
        """Some time goes by; returns what it is then."""
        self.now_ns += 1000 * (1 + self.choices.below(most_us))
        return self.now_ns

    def next_op(self) -> int:
        self.ops += 1
        return self.ops

    def next_reader(self) -> int:
        self.named += 1
        return self.named

    def a_partition(self) -> Partition:
        return self.choices.pick(self.partitions)

    def errs(self, bug: str, percent: int = 15) -> bool:
        return bug in self.settings.bugs and self.choices.happens(percent)

    @property
    def misshown(self) -> bool:
        """Whether looks may show what is not so."""
        return any(bug.startswith(("shows", "forgets")) for bug in self.settings.bugs)

    def note_committed(self) -> None:
        """After each step: is what a leader has called committed on every replica in sync?"""
        for one in self.partitions:
            most = self.committed_up_to.get(one, 0)
            if one.leader is not None:
                most = max(most, one.lead.watermark)
            self.committed_up_to[one] = most
            in_sync = [one.replicas[broker] for broker in one.in_sync]
            if any(replica.alive and replica.end < most for replica in in_sync):
                self.fallen.add(one)

    def tell(self, line: str) -> None:
        self.story.append(f"{self.now_ns / 1e6:10.3f} ms  {line}")
