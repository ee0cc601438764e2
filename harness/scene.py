"""What a play and its partitions share: a cluster, a record, and how much is demanded."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from typing import Any, cast

from highwater.harness.cluster import Cluster
from highwater.harness.errors import DeadlineError, PreconditionError, UsageError
from highwater.harness.foreign.programs import OURS
from highwater.harness.model import TopicPartition
from highwater.harness.move_looks import MoveLooks
from highwater.harness.probes.replicas import ReplicaProbe
from highwater.harness.record.writer import RunRecord
from highwater.harness.sampling import Sampler
from highwater.harness.wait import wait_until
from highwater.harness.workloads.payload import Values
from highwater.harness.workloads.producer import ProducerSettings
from highwater.harness.workloads.promises import require_brokers, require_timeout
from highwater.harness.workloads.reader import Source
from highwater.harness.workloads.requests import Acks, Request, Target
from highwater.harness.workloads.sent import Sent

ABLATED_TIMEOUT_S = 3.0

Looking = Callable[[], Mapping[str, Any]]  # says what is seen now
# Given how many records to send, how, and where brokers are found: by whom they were sent, and how.
Sends = Callable[[TopicPartition, int, ProducerSettings, str], tuple[str, Sent]]


def _nobody(*_asked: object) -> tuple[str, Sent]:
    raise UsageError("nobody can send: expected this within a play")


class Gone:
    """Stands where a scene was, for those to whom nothing can happen any more."""

    def __init__(self, why: str) -> None:
        self._why = why

    def __getattr__(self, _name: str) -> None:
        raise UsageError(self._why)


class Scene:
    """A running cluster and the record of one play on it.

    `without` is the name of a fault that is left out: an ablation, in which less is demanded.
    `client` is who sends in a scenario that can be played with any client.
    """

    def __init__(self, cluster: Cluster, record: RunRecord) -> None:
        self.cluster = cluster
        self.record = record
        self.sampler = Sampler(cluster, record)
        self.moves = MoveLooks(cluster, record)
        self.values = Values()
        self.without = ""
        self.client = OURS
        self._requests = itertools.count(1)
        self.foreign = record.history.foreign
        self.sends: Sends = _nobody
        self.transacts: Callable[[str], None] = lambda _transactional_id: None  # is told of each
        self.waits: list[Callable[[str], int]] = []  # see `waiting`

    def retire(self) -> None:
        """The play is over, and others are on its cluster: whatever is asked raises UsageError."""
        gone = cast("Any", Gone("the play is over: expected its words within its test or scenario"))
        self.cluster = self.record = self.sampler = self.moves = gone

    def require_there(self) -> None:
        """Raises UsageError when the play is over."""
        _ = self.record.path

    def probe(self, broker: int) -> ReplicaProbe:
        """Raises UsageError for who is no broker."""
        require_brokers((broker,), self.cluster.brokers)
        return self.cluster.probe(broker)

    @property
    def source(self) -> Source:
        """What readers read from, and record into."""
        foreign = frozenset(self.foreign)
        return Source(self.cluster.bootstrap, self.record.history, self.note, foreign)

    def identities(self, where: TopicPartition, count: int) -> range:
        """Of records that are about to be sent; UsageError where nobody may send any."""
        self.record.history.require_sendable(where)
        return self.values.take(count)

    def waiting(self, topic: str) -> int:
        """How many records that were sent to it step by step have no outcome yet."""
        told = sum(waiting(topic) for waiting in [*self.waits])  # a thread may end one meanwhile
        return told + self.record.history.waiting(topic)

    def request(self, where: TopicPartition, broker: int, records: int, acks: Acks) -> Request:
        """Send records to a broker in one request, a client of its own: see `Partition.request`.

        Raises UsageError where the topic has a pattern, which nothing that is sent so has.
        """
        if self.record.history.patterns.get(where.topic):
            raise UsageError(f"expected a topic without a Pattern for a request, saw {where.topic}")
        client, history = f"request-{next(self._requests)}", self.record.history
        history.promised(client, "producer", acks=acks.value, idempotence=False, keeps_order=False)
        target = Target(self.cluster.address(broker), where, self.cluster.kafka.has_record_batches)
        request = Request(target, history, client, self.values.take(records), acks)
        self.step(f"one request to broker {broker}: {records} records with acks={acks.value}")
        return request

    def step(self, text: str, **more: Any) -> None:
        """Say what happens now; the report shows it on the timeline.

        `to` is the topic that is changed by it: groups are not left alone while that goes on.
        """
        self.record.event("step", text, **more)

    def note(self, text: str) -> None:
        """Say what is no step of the play, and should be known all the same."""
        self.record.event("note", text)

    def judge(self, what: str, met: bool, seen: Mapping[str, Any], **more: Any) -> None:
        """Put a precondition on the record with what was seen.

        Raises PreconditionError when it is not met, unless an ablation is the reason.
        """
        if not met and self.without:
            self.record.event("note", f"without {self.without}, not so: {what}", observed=seen)
            return
        self.record.event("precondition", what, met=met, observed=seen, **more)
        if not met:
            expected = f"expected {more['expected']}" if more else "not so"
            raise PreconditionError(f"{what}: {expected}; seen: {seen}")

    def demand(
        self, what: str, fact: Callable[[], bool], timeout_s: float, looking: Looking
    ) -> None:
        """Wait for a fact; raises DeadlineError with what is seen instead.

        Raises UsageError for no time that somebody can wait.
        """
        require_timeout(timeout_s)
        try:
            wait_until(fact, what, timeout_s)
        except DeadlineError as error:
            seen = looking()
            self.record.event("precondition", what, met=False, observed=seen)
            raise DeadlineError(f"{error}; the replicas: {seen}") from error
        self.record.event("precondition", what, met=True, observed=looking())

    def expect(
        self, what: str, fact: Callable[[], bool], timeout_s: float, looking: Looking
    ) -> None:
        """The same; in an ablation this is what may well never come, so it is given little time."""
        if not self.without:
            self.demand(what, fact, timeout_s, looking)
            return
        require_timeout(timeout_s)
        try:
            wait_until(fact, what, ABLATED_TIMEOUT_S)
        except DeadlineError:
            self.judge(what, False, looking())
