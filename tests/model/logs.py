"""A replicated partition: replicas, leader epochs, the ISR, high watermarks, truncation.

What stands here is what Kafka does, one step at a time, and a second, older rule for truncation
(before KIP-101), which loses and forks.
"""

from __future__ import annotations

from dataclasses import dataclass, field

OPEN, COMMITTED, ABORTED = "open", "committed", "aborted"


@dataclass(eq=False, slots=True)
class Transaction:
    """Of one client; its records are handed over when it is committed and its marker is."""

    client: str
    number: int = 0
    state: str = OPEN


@dataclass(eq=False, slots=True)
class Entry:
    """A record, or a marker of a transaction; replicas that copy it hold the same object."""

    value: int | None
    checksum: int | None = None
    transaction: Transaction | None = None
    is_control: bool = False
    epoch: int = 0


@dataclass(eq=False, slots=True)
class Replica:
    """A log from offset 0 on; what lies below `start` has been deleted, and is kept to know it."""

    log: list[Entry] = field(default_factory=list)
    start: int = 0
    watermark: int = 0
    epoch: int = 0  # in which it last compared its log with the leader's
    alive: bool = True

    @property
    def end(self) -> int:
        return len(self.log)


class Partition:
    """One partition of a topic."""

    def __init__(
        self, place: tuple[str, int], brokers: tuple[int, ...], least_in_sync: int
    ) -> None:
        self.topic, self.number = place
        self.replicas = {broker: Replica() for broker in brokers}
        self.least_in_sync = least_in_sync
        self.by_watermark = False  # the rule before KIP-101
        self.leader: int | None = brokers[0]
        self.epoch = 0
        self.epoch_start = 0
        self.in_sync = set(brokers)
        self.fetched: dict[int, int] = {}  # log ends by followers' fetches in this epoch
        self.longest = 0  # that any replica's log has ever been
        self.rewritten: set[int] = set()  # offsets that a leader's log has held twice

    @property
    def name(self) -> str:
        return f"{self.topic}-{self.number}"

    @property
    def lead(self) -> Replica:
        assert self.leader is not None
        return self.replicas[self.leader]

    @property
    def followers(self) -> list[int]:
        return [broker for broker in self.replicas if broker != self.leader]

    def append(self, entry: Entry) -> int:
        """Returns its offset."""
        entry.epoch = self.epoch
        self.lead.log.append(entry)
        self.longest = max(self.longest, self.lead.end)
        self.advance()
        return self.lead.end - 1

    def advance(self) -> None:
        """The leader's high watermark follows the smallest log end in the ISR."""
        ends = [self.fetched.get(broker, -1) for broker in self.in_sync if broker != self.leader]
        self.lead.watermark = max(self.lead.watermark, min([self.lead.end, *ends]))

    def ask(self, follower: int) -> None:
        """A follower's request reaches the leader; before its first one it compares logs."""
        mine = self.replicas[follower]
        if mine.epoch != self.epoch:
            self._truncate(mine)
        self.fetched[follower] = mine.end
        if mine.end >= max(self.lead.watermark, self.epoch_start):
            self.in_sync.add(follower)

    def answer(self, follower: int, limit: int) -> None:
        """At most so many records, and the leader's high watermark."""
        mine, lead = self.replicas[follower], self.lead
        mine.log.extend(lead.log[mine.end : mine.end + limit])
        mine.watermark = min(mine.end, lead.watermark)
        mine.start = min(max(mine.start, lead.start), mine.end)

    def _truncate(self, mine: Replica) -> None:
        lead = self.lead
        if self.by_watermark:
            del mine.log[mine.watermark :]
        else:
            pairs = zip(mine.log, lead.log, strict=False)
            common = next((at for at, (one, other) in enumerate(pairs) if one is not other), None)
            if common is not None:
                del mine.log[common:]
        del mine.log[lead.end :]
        mine.watermark = min(mine.watermark, mine.end)
        mine.start = min(mine.start, mine.end)
        mine.epoch = self.epoch

    def drop(self, broker: int) -> None:
        """The ISR never gets empty: its last member stays."""
        if len(self.in_sync) > 1:
            self.in_sync.discard(broker)
            if self.leader is not None:
                self.advance()

    def elect(self, broker: int) -> None:
        """Unclean where the broker is not in the ISR: it is alone then."""
        dead = {one for one in self.in_sync if not self.replicas[one].alive}
        self.in_sync = self.in_sync - dead if broker in self.in_sync else {broker}
        self.leader = broker
        self.epoch += 1
        self.fetched = {}
        self.lead.epoch = self.epoch
        self.epoch_start = self.lead.end
        self.advance()

    def crash(self, broker: int, lost: int) -> None:
        """It stops; `lost` records at the end of its log had not reached the disk."""
        mine = self.replicas[broker]
        mine.alive = False
        if lost:
            del mine.log[max(mine.start, mine.end - lost) :]
            mine.watermark = min(mine.watermark, mine.end)
        mine.epoch = -1
        self.drop(broker)
        if self.leader == broker:
            self.leader = None

    def candidates(self, *, unclean: bool) -> list[int]:
        alive = [broker for broker, one in self.replicas.items() if one.alive]
        return alive if unclean else [broker for broker in alive if broker in self.in_sync]

    def stable(self) -> int:
        """The last stable offset: below it no transaction is open."""
        lead, undecided = self.lead, dict[Transaction, int]()
        for offset in range(lead.start, lead.watermark):
            entry = lead.log[offset]
            if entry.transaction is None:
                continue
            if entry.is_control:
                undecided.pop(entry.transaction, None)
            else:
                undecided.setdefault(entry.transaction, offset)
        return min([lead.watermark, *undecided.values()])

    def settled(self) -> bool:
        ends = {(one.end, one.watermark) for one in self.replicas.values()}
        whole = len(self.in_sync) == len(self.replicas) and self.leader is not None
        return whole and len(ends) == 1 and len(set(*ends)) == 1
