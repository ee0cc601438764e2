"""What clients did and were told: sends, and what readers were handed."""

from __future__ import annotations

from dataclasses import dataclass, field

from tests.model.logs import Entry, Partition, Transaction

OK, FAILED, UNKNOWN, INVOKED = "ok", "failed", "unknown", "invoked"
SECOND_NS = 1_000_000_000
GROUPS = range(4)  # the latter half of them of readers of uncommitted records
KEEPS_ORDER = {"p0": True, "tx0": True, "p1": False}  # what clients are told to promise


def checksum_of(value: int) -> int:
    return value * 7919 % 2**32


def key_of(value: int) -> int:
    """Some records have none."""
    return value % 5 - 1


@dataclass(eq=False, slots=True)
class Send:
    """One call of a producer, with all that it tried."""

    op: int
    client: str
    partition: Partition
    value: int
    acks: str
    invoked_ns: int
    transaction: Transaction | None = None
    completed_ns: int | None = None
    outcome: str = INVOKED
    offset: int | None = None  # that the client was told
    placed: list[Entry] = field(default_factory=list)  # every copy that was ever appended
    is_acknowledged: bool = False  # by the broker; in a transaction the client still waits
    is_answer_lost: bool = False

    @property
    def entry(self) -> Entry | None:
        return self.placed[-1] if self.placed else None

    @property
    def is_promised(self) -> bool:
        """Acknowledged with acks=all: the promise that most claims are about."""
        return self.outcome == OK and self.acks == "all"


@dataclass(eq=False, slots=True)
class Reader:
    """A consumer on one partition; one that seeks gets another name."""

    name: str
    partition: Partition
    position: int
    start: int  # where it began
    group: int | None = None
    began_ns: int = 0
    reset_past: int | None = None  # retention took records away below this offset, unannounced
    low: int | None = None  # first and last offset that it was handed
    high: int = -1
    is_stuck: bool = False
    takes_uncommitted: bool = False

    def end(self) -> int:
        """Of the log, as far as it may be told: its leader's last stable offset, or watermark."""
        partition = self.partition
        return partition.lead.watermark if self.takes_uncommitted else partition.stable()

    @property
    def member(self) -> str:
        """Its name in Kafka, whatever it is called in the record since it was reset."""
        return self.name.rstrip("'")


@dataclass(eq=False, slots=True)
class Handing:
    """One record that a reader was handed."""

    op: int
    reader: Reader
    partition: Partition
    offset: int
    value: int | None
    checksum: int | None
    invoked_ns: int
    completed_ns: int
    entry: Entry | None  # the record that stood there; None for one that nobody wrote
    below: int  # the true end of what its reader may be handed, at that moment
    is_sound: bool = True
    has_another_key: bool = False


@dataclass(frozen=True, slots=True)
class Commit:
    """Where a group goes on when another member takes over; it was confirmed at once."""

    group: int
    partition: Partition
    offset: int
    client: str
    at_ns: int


@dataclass(frozen=True, slots=True)
class Processed:
    """What a member has finished with at once."""

    group: int
    partition: Partition
    first: int
    end: int
    client: str
    at_ns: int


@dataclass(eq=False, slots=True)
class Holding:
    """A partition that a member of a group was given, until it was told that it is not its own."""

    group: int
    partition: Partition
    client: str
    since_ns: int
    until_ns: int | None = None
    what: str | None = None  # revoked, lost; None: nobody told


@dataclass(eq=False, slots=True)
class Stop:
    """Where a reader found the log's end, or got no further."""

    op: int
    reader: Reader
    offset: int
    action: str  # end, stall
    invoked_ns: int
    completed_ns: int
    stable: int  # the true one
    watermark: int
    visible: dict[int, int | None] = field(default_factory=dict)
