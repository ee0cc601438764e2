"""One partition of a schedule: what was sent to it, and what its replicas have."""

from __future__ import annotations

from pathlib import Path

from highwater.exploration.logs import ReplicaLog, ValueOf, of_payload
from highwater.exploration.numbered import Batch, Numbered
from highwater.exploration.views import Log, Promised, View
from highwater.harness.errors import ENVIRONMENT
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.sampling import Look
from highwater.harness.workloads.requests import Acks, Request


class Plot:
    """Of a partition; `value_of` says what a record in a log of it is called."""

    def __init__(self, play: Play, partition: Partition, value_of: ValueOf = of_payload) -> None:
        self.partition = partition
        self.requests: list[Request] = []
        self.idempotent: dict[int, Numbered] = {}  # producers, by their numbers
        self.logs = {each: ReplicaLog(value_of) for each in play.cluster.brokers}
        self._play = play

    def send(self, count: int, acks: Acks) -> Request:
        """Send records to the leader in one request; who answers it, and when, is seen later."""
        request = self.partition.request(count, acks)
        self.requests.append(request)
        return request

    def producer(self, number: int) -> Numbered:
        """The idempotent producer of this number, which begins with nothing."""
        if number not in self.idempotent:
            self.idempotent[number] = Numbered(self._play, self.partition.where, number)
        return self.idempotent[number]

    @property
    def _numbered(self) -> list[Batch]:
        return [batch for each in self.idempotent.values() for batch in each.batches]

    @property
    def _sent(self) -> list[Request | Batch]:
        return [*self.requests, *self._numbered]

    @property
    def is_answered(self) -> bool:
        return all(each.is_over for each in self._sent)

    @property
    def promised(self) -> Promised:
        acked = [each for each in self._sent if each.acked]
        return Promised(
            values=frozenset(value for each in acked for value in each.acked),
            end_offset=max((each.offset + len(each.acked) for each in acked), default=0),
            waiting=any(not each.is_over and each.acks is Acks.ALL for each in self._sent),
            once={value: place for each in self._numbered for value, place in each.places},
            standings=tuple(sorted(map(str, self.idempotent.values()))),
        )

    def has_settled(self) -> bool:
        """When all is healed: whether all is answered; whoever waits is asked to send again."""
        for each in self.idempotent.values():
            each.settle()
        return self.is_answered

    def look(self) -> Look | None:
        """None where nobody knows anything; who has a replica by now is looked at from now on."""
        try:
            seen = self.partition.look()
        except ENVIRONMENT:
            return None
        has = seen.partition.replicas if seen.partition is not None else ()
        if has and {*has} != {*self.partition.replicas}:
            self.partition.replicas = tuple(has)
            self._play.scene.sampler.watch(self.partition.where, has)
        return seen

    def begin_anew(self, partition: Partition) -> None:
        """Another topic of the same name, to which nothing has been sent."""
        self.partition = partition
        self.requests.clear()
        self.idempotent.clear()  # numbers of producers are of one topic

    def bare(self, seen: Look | None) -> View:
        """What a look says, without logs; nobody leads where nobody knows."""
        if seen is None:
            nothing = dict.fromkeys(self._play.cluster.brokers)
            return View(partition=None, ends=nothing, marks=nothing, logs={})
        ends, marks = seen.ends(), seen.high_watermarks()
        return View(partition=seen.partition, ends=ends, marks=marks, logs={})

    def read(self) -> dict[int, Log]:
        return {each: log.read(self.directory(each)) for each, log in self.logs.items()}

    def directory(self, broker: int) -> Path:
        return self._play.cluster.files.log_dir(broker) / str(self.partition.where)
