"""An idempotent producer of a schedule, by hand: a batch has a number, however often it is sent.

It does what a client library does with one request in flight (KIP-98): the next batch is sent when
the one before is acknowledged, or when its producer has given up, which begins with another id. A
request may be late: it comes to its broker when a schedule says so, whatever was sent meanwhile.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, field

from highwater.exploration.asking import PATIENCE_S, patiently
from highwater.harness.errors import ENVIRONMENT
from highwater.harness.gate.messages.errors import NAMES
from highwater.harness.model import Outcome, TopicPartition
from highwater.harness.play import Play
from highwater.harness.probes.transacting import begin_idempotent
from highwater.harness.probes.transactions import Identity
from highwater.harness.probes.wire import Wire
from highwater.harness.record.sends import NO_OFFSET, Sends
from highwater.harness.workloads.requests import (
    ENCODE,
    Acks,
    Producing,
    ask_once,
    produce_body,
    record_batch,
)

AGAIN_S = 1.0  # in the end; until then a schedule says when
THERE_ALREADY = "DUPLICATE_SEQUENCE_NUMBER"  # older than what a broker remembers the offsets of
FOR_GOOD = frozenset(  # for a client library its producer has come to its end with these
    {"OUT_OF_ORDER_SEQUENCE_NUMBER", "UNKNOWN_PRODUCER_ID", "INVALID_PRODUCER_EPOCH"}
)
Ask = Callable[[str, bytes], tuple[int, int]]  # to an address: the error code, and the offset


@dataclass(slots=True)
class Batch:
    """Records under one number; `outcome` is INVOKED while their producer waits."""

    values: range
    body: bytes
    sends: Sends
    acks: Acks = Acks.ALL
    outcome: Outcome = Outcome.INVOKED
    offset: int = NO_OFFSET
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def is_over(self) -> bool:
        return self.outcome is not Outcome.INVOKED

    @property
    def acked(self) -> range:
        return self.values if self.outcome is Outcome.OK else range(0)

    @property
    def places(self) -> Iterator[tuple[int, int | None]]:
        """Each value, and the offset at which it was acknowledged, if that was told."""
        is_known = self.outcome is Outcome.OK and self.offset != NO_OFFSET
        for place, value in enumerate(self.values):
            yield value, self.offset + place if is_known else None

    def answered(self, code: int, offset: int) -> None:
        """What was said to one of its requests; what asks for another one changes nothing."""
        name = NAMES.get(code, str(code))
        with self._lock:
            if self.is_over:
                return
            if code and name != THERE_ALREADY:
                if name in FOR_GOOD:
                    self._end(name)
                return
            for place, value in enumerate(self.values):
                self.sends.acknowledged(value, NO_OFFSET if code else offset + place)
            self.offset = NO_OFFSET if code else offset
            self.outcome = Outcome.OK

    def _end(self, told: str) -> None:
        for value in self.values:
            self.sends.ended(value, Outcome.UNKNOWN, told)
        self.outcome = Outcome.UNKNOWN


class Numbered:
    """One producer of one partition."""

    def __init__(self, play: Play, where: TopicPartition, number: int, ask: Ask = ask_once) -> None:
        self.name = f"idempotent-{number}"
        self.batches: list[Batch] = []
        self.late: tuple[str, Batch] | None = None  # a request, and the address that it is for
        self._play, self._where, self._ask = play, where, ask
        self._owner: Identity | None = None
        self._sequence = 0
        self._request_of: threading.Thread | None = None  # the last one, and when it was sent
        self._asked_at_s = 0.0
        play.record.history.promised(
            self.name, "producer", acks="all", idempotence=True, keeps_order=False
        )

    @property
    def waits(self) -> bool:
        """The last batch is neither acknowledged nor given up."""
        return bool(self.batches) and not self.batches[-1].is_over

    def __str__(self) -> str:
        """As a state has it: whether it waits, and whether a request is late for what it sends."""
        late = "late" if self.late else ""
        if self.late and self.late[1].is_over:
            late = "too late"
        return " ".join(filter(None, ["idempotent", "waits" if self.waits else "", late]))

    def send(self, records: int, *, is_late: bool = False) -> None:
        """The next batch, to who leads; raises what is of ENVIRONMENT where nobody can be asked."""
        has_given_up = bool(self.batches) and self.batches[-1].outcome is Outcome.UNKNOWN
        if has_given_up:
            self._play.note(f"{self.name} has given up, and begins with another producer id")
        if self._owner is None or has_given_up:
            self._begin()
        address = self._leader()
        if address is None:
            return
        batch = self._next(records)
        if is_late:
            self.late = address, batch
        else:
            self._request(address, batch)

    def again(self) -> None:
        """What it waits for, to who leads by now; a request before may be under way yet."""
        address = self._leader() if self.waits else None
        if address is not None:
            self._request(address, self.batches[-1])

    def arrive(self) -> None:
        """What is late comes to the broker that it was sent to."""
        late, self.late = self.late, None
        if late is not None:
            self._request(*late)

    def settle(self) -> None:
        """When all is healed: what is late is lost, and what has no answer is sent again.

        Not just behind a request that is under way. Until somebody leads nobody can be asked.
        """
        self.late = None
        is_under_way = self._request_of is not None and self._request_of.is_alive()
        if not is_under_way or time.monotonic() > self._asked_at_s + AGAIN_S:
            with suppress(*ENVIRONMENT):
                self.again()

    def _begin(self) -> None:
        cluster = self._play.cluster
        up = (each for each in cluster.brokers if cluster.nodes.running(each))
        running = next(up, cluster.brokers[0])
        with closing(Wire.at(cluster.address(running), PATIENCE_S)) as wire:
            owner = patiently(lambda: begin_idempotent(wire))  # a broker fetches ids in blocks
        self._owner, self._sequence = owner, 0

    def _leader(self) -> str | None:
        leader = self._play.cluster.metadata.partition(self._where).leader
        return self._play.cluster.address(leader) if leader > 0 else None

    def _next(self, records: int) -> Batch:
        assert self._owner is not None
        values = self._play.scene.identities(self._where, records)
        sends = self._play.record.history.sends(self.name, self._where, Acks.ALL.value, values)
        encoded = [ENCODE(each) for each in values]
        sends.invoke(values, [checksum for _, checksum in encoded])
        producing = Producing(*self._owner, self._sequence)
        now_ms = int(time.time() * 1000)
        content = record_batch([each for each, _ in encoded], now_ms, producing)
        self._sequence += records
        batch = Batch(values, produce_body(self._where, content, Acks.ALL), sends)
        self.batches.append(batch)
        return batch

    def _request(self, address: str, batch: Batch) -> None:
        def run() -> None:
            with suppress(OSError, EOFError, ValueError):  # it is not known, and may be sent again
                batch.answered(*self._ask(address, batch.body))

        self._asked_at_s = time.monotonic()
        self._request_of = threading.Thread(target=run, name=self.name, daemon=True)
        self._request_of.start()
