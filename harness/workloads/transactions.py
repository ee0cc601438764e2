"""Sends records in transactions; what became of a record is what became of its transaction."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Sequence
from contextlib import suppress

from confluent_kafka import KafkaError, KafkaException, Message, Producer
from confluent_kafka import TopicPartition as Assigned

from highwater.harness.errors import InfrastructureError
from highwater.harness.lifetime import Lifetime
from highwater.harness.model import ByKey, Outcome, TopicPartition
from highwater.harness.patience import left_s
from highwater.harness.record.history import History
from highwater.harness.record.sends import NO_OFFSET, Numbers, Sends
from highwater.harness.workloads import payload
from highwater.harness.workloads.keys import Produced
from highwater.harness.workloads.librdkafka import SETTINGS
from highwater.harness.workloads.outcomes import await_metadata, flush
from highwater.harness.workloads.producer import Named, ProducerSettings
from highwater.harness.workloads.reaching import reached
from highwater.harness.workloads.shapes import Shapes, reporting
from highwater.harness.workloads.tally import Tally

TIMEOUT_S = 30.0
# How long a record may be on its way before an abort goes ahead without it: librdkafka ends no
# transaction while a request is in flight.
BRIEF = ProducerSettings(delivery_timeout_s=3.0, transaction_timeout_s=60.0)
SLICE_S = 1.0
PAUSE_S = 0.1  # before what was refused for now is tried again
LANDING_S = 10.0  # who is told to stop has to end yet after that, and may have to begin anew before


class AbortDemandedError(InfrastructureError):
    """The transaction cannot be committed, and has to be aborted."""


class TransactionalProducer(Lifetime):
    """One transaction at a time; all of them with one transactional id of its own.

    Sends are recorded when they leave, and get their outcome with the transaction's: ok when it is
    committed, failed when it is aborted (both as the coordinator has confirmed), else unknown. So
    does `tally`. Methods raise InfrastructureError for what Kafka refuses.
    """

    _names = itertools.count(1)

    def __init__(
        self,
        bootstrap: str,
        history: History,
        values: payload.Values,
        settings: ProducerSettings = BRIEF,
        *,
        named: Named | None = None,
    ) -> None:
        super().__init__()
        self._named = named = named or Named(f"transactional-producer-{next(self._names)}")
        self.name = named.name
        self._id = named.transactional_id or named.told
        self.tally = Tally()
        self._history = history
        self._values = values
        self._settings = settings
        keyed = settings.keys, settings.key_choice
        self._shapes = Shapes(settings.size_bytes, keyed, history.patterns)
        history.promised(
            self.name,
            "producer",
            client_id=named.told,
            acks="all",
            idempotence=True,
            keeps_order=True,
            transactional_id=self._id,
            group_id=named.group_id,
            transaction_timeout_ms=_ms(settings.transaction_timeout_s),
        )
        self._open: list[Sends] = []
        self.transaction = 0  # the number of the last one that was begun
        self._offsets: dict[int, int] = {}
        self._bootstrap = bootstrap
        self._producer = self._new()

    def _begin(self) -> None:
        self._confirmed("joining", self._producer.init_transactions)
        self._ending.callback(self._end, Outcome.UNKNOWN, "the transaction was left open")

    def _new(self) -> Producer:
        settings = self._settings
        config = {
            **SETTINGS,
            "max.in.flight.requests.per.connection": settings.in_flight,
            **reached(self._bootstrap),
            "client.id": self._named.told,
            "transactional.id": self._id,
            "message.timeout.ms": _ms(
                min(settings.delivery_timeout_s, settings.transaction_timeout_s)
            ),
            "transaction.timeout.ms": _ms(settings.transaction_timeout_s),
            "linger.ms": settings.linger_ms,
            "batch.num.messages": settings.batch_records,
            "compression.type": settings.compression,
        }
        return Producer(config)

    def renew(self) -> None:
        """Another producer of the same id, which ends whatever the one before has left open.

        What was sent in that has the outcome unknown.
        """
        self._end(Outcome.UNKNOWN, "the producer could not go on")
        self._producer = self._new()
        self._confirmed("joining", self._producer.init_transactions)

    @property
    def is_open(self) -> bool:
        """Whether a record was sent whose transaction has not ended."""
        return bool(self._open)

    def begin(self) -> None:
        self.transaction += 1
        self._confirmed("beginning", lambda _slice_s: self._producer.begin_transaction())

    def send(self, where: TopicPartition, *, wait: bool = True) -> None:
        """Send a record; with `wait`, until the broker has acknowledged it."""
        (value,) = self.hand_over(where, 1)
        if wait and (flush(self._producer, TIMEOUT_S) or value not in self._offsets):
            raise InfrastructureError(f"{self.name}: a record was not acknowledged in {where}")

    def hand_over(
        self,
        where: TopicPartition | ByKey,
        count: int,
        due_ns: Numbers | None = None,
        made_of: Sequence[int | None] = (),
    ) -> Sequence[int]:
        """Send `count` records, without waiting for anything; returns their values.

        `due_ns` is when each of them was to be sent, by the clock of `time.monotonic_ns`, and
        `made_of` the values of the records that they are made of, if they are.
        """
        values, shape = self._values.take(count), self._shapes.of(where.topic)
        encoded = shape.encoder.all(values)
        sends = self._history.sends(self.name, where, "all", values)
        sends.within(self.transaction)
        sends.made_of(made_of)
        shape.keys.tell(sends, where)
        if due_ns is not None:
            sends.intend(due_ns)
        sends.invoke(values, encoded.checksums)
        self._open.append(sends)
        for partition, messages in shape.keys.apart(values, encoded.contents, where).items():
            for message in messages:
                self._produce(where.topic, {**message, "partition": partition})
        self.poll(0)
        return values

    def await_metadata(self, wheres: Sequence[TopicPartition]) -> None:
        """Look up who leads these partitions of one topic."""
        await_metadata(self._producer, wheres, TIMEOUT_S)

    def poll(self, timeout_s: float) -> None:
        """Let outcomes arrive. Of an error that is fatal whoever asks for the next step is told."""
        with suppress(KafkaException):
            self._producer.poll(timeout_s)

    def send_offsets(self, offsets: Sequence[Assigned], group: object) -> None:
        """Let positions of a group be committed with the transaction; `group` is its metadata."""
        self._confirmed(
            "sending offsets in",
            lambda slice_s: self._producer.send_offsets_to_transaction(
                list(offsets), group, slice_s
            ),
        )

    def land(self) -> None:
        """Wait until no record is on its way, but not for long: see LANDING_S.

        To be called before an abort that nothing demands: librdkafka takes the answer to an abort
        for fatal when a coordinator has not yet accepted the transaction's partitions (its issue
        4849); and what was never in the log shows nobody that readers leave it out.
        """
        flush(self._producer, min(self._settings.delivery_timeout_s, LANDING_S))

    def commit(self) -> None:
        self._finish(Outcome.OK, self._producer.commit_transaction)

    def settle(self) -> bool:
        """Commit, or abort where Kafka demands that; whether it was committed."""
        try:
            self._finish(Outcome.OK, self._producer.commit_transaction)
        except AbortDemandedError:
            self.abort()
            return False
        return True

    def abort(self) -> None:
        """Records in flight are given up first, which takes as long as one may be delivered."""
        self._finish(Outcome.FAILED, self._producer.abort_transaction)

    def _finish(self, outcome: Outcome, call: Callable[[float], None]) -> None:
        try:
            self._confirmed("ending", call)
        except AbortDemandedError:
            raise  # the transaction is open yet
        except InfrastructureError as error:
            self._end(Outcome.UNKNOWN, str(error))
            raise
        self._end(outcome, "the transaction was aborted")

    def _end(self, outcome: Outcome, reason: str) -> None:
        for sends in self._open:
            for value in sends.values:
                if outcome is Outcome.OK:
                    sends.acknowledged(value, self._offsets.get(value, NO_OFFSET))
                    self.tally.acked += 1
                else:
                    sends.ended(value, outcome, reason)
                    self.tally.count(outcome)
        self._open.clear()
        self._offsets.clear()

    def _produce(self, topic: str, message: Produced) -> None:
        """Into librdkafka's queue; waits while it is full."""
        told = reporting(self._delivered, message) if "headers" in message else self._delivered
        while True:
            try:
                self._producer.produce(topic, on_delivery=told, **message)
            except BufferError:
                self.poll(SLICE_S)
            except KafkaException as error:
                raise InfrastructureError(f"{self.name}: a record was refused: {error}") from error
            else:
                return

    def _delivered(self, error: KafkaError | None, message: Message) -> None:
        offset = message.offset()
        if error is None and offset is not None:
            value = self._shapes.of(message.topic() or "").value_in(message)
            self._offsets[value] = offset

    def _confirmed(self, what: str, call: Callable[[float], None]) -> None:
        """Call, and call again: no signal interrupts what librdkafka waits for, and what a
        coordinator refuses for now it may do a moment later.

        A call that has timed out goes on where it was when it is made again.
        """
        deadline_s = time.monotonic() + TIMEOUT_S
        while True:
            try:
                call(SLICE_S)
            except KafkaException as error:
                why = error.args[0]
                is_timeout = why.code() == KafkaError._TIMED_OUT  # noqa: SLF001 - its name
                if (is_timeout or why.retriable()) and left_s(deadline_s - time.monotonic()) > 0:
                    self.poll(0 if is_timeout else PAUSE_S)
                    continue
                kind = AbortDemandedError if why.txn_requires_abort() else InfrastructureError
                raise kind(f"{self.name}, {what} a transaction: {error}") from error
            return


def _ms(seconds: float) -> int:
    return int(seconds * 1000)
