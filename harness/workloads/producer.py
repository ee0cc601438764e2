"""Sends records with confluent-kafka and records every invocation and every outcome."""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from confluent_kafka import KafkaError, KafkaException, Message, Producer

from highwater.harness.errors import InfrastructureError, UsageError
from highwater.harness.lifetime import Lifetime
from highwater.harness.model import ByKey, Outcome, TopicPartition
from highwater.harness.record.history import History
from highwater.harness.record.sends import Numbers
from highwater.harness.versions.catalogue import Kafka
from highwater.harness.workloads import payload
from highwater.harness.workloads.arrivals import Arrivals
from highwater.harness.workloads.keys import BY_KEY, BY_TURN, Produced, require_keys
from highwater.harness.workloads.librdkafka import SETTINGS, library_of
from highwater.harness.workloads.outcomes import await_metadata, flush
from highwater.harness.workloads.promises import ACKS, can_be_idempotent, refuse_settings
from highwater.harness.workloads.reaching import reached
from highwater.harness.workloads.sent import Sending
from highwater.harness.workloads.shapes import Delivered, Shapes, reporting
from highwater.harness.workloads.tally import Tally

# Refused before anything was appended; everything else may have happened.
REFUSED = frozenset(
    {
        KafkaError.NOT_ENOUGH_REPLICAS,
        KafkaError.MSG_SIZE_TOO_LARGE,
        KafkaError.INVALID_REQUIRED_ACKS,
        KafkaError.TOPIC_AUTHORIZATION_FAILED,
        KafkaError._UNKNOWN_TOPIC,  # noqa: SLF001 - the library's own name for its error
        KafkaError._UNKNOWN_PARTITION,  # noqa: SLF001
    }
)

HANDED_BACK = frozenset({KafkaError.MSG_SIZE_TOO_LARGE, KafkaError._UNKNOWN_TOPIC})  # noqa: SLF001

AT_ONCE = 1024  # records handed over in one call: far cheaper than one by one


@dataclass(frozen=True, slots=True, kw_only=True)
class ProducerSettings:
    """What a producer promises itself: the names are Kafka's.

    `idempotence` None is what Kafka's own producer does since 3.0 (KIP-679): idempotent wherever
    the broker knows it, with acks=all and retries. `request_timeout_s` None is the library's own;
    ours waits as long as its delivery timeout.
    """

    acks: str = "all"  # or "-1", which is the same; "1"; "0"
    idempotence: bool | None = None
    retries: int = 5
    linger_ms: float = 0
    batch_records: int = 10_000  # batch.num.messages; 1 makes every record a batch of its own
    compression: str = "none"
    delivery_timeout_s: float = 20.0
    request_timeout_s: float | None = None  # how long an answer is waited for; None: its own
    size_bytes: int = 64
    batch_bytes: int = 1_000_000  # batch.size
    request_bytes: int = 1_000_000  # message.max.bytes of librdkafka; max.request.size in Java
    in_flight: int = 1  # max.in.flight.requests.per.connection
    transaction_timeout_s: float = 10.0  # after which a coordinator aborts what is left open
    keys: int = 0  # how many different ones its records have; 0: none has any
    unanswered: int | None = None  # of a load: records on their way, at most; None: any number
    key_choice: str = "sequence"  # each in its turn; "uniform": by chance; "skewed": Zipf's law
    partition_by: str = "turn"  # of a load: each has its turn; "key": as Kafka's clients choose

    @staticmethod
    def of(told: object, **chosen: Any) -> ProducerSettings:
        """These, or the usual ones for None, and what is chosen; UsageError for anything else."""
        settings = ProducerSettings() if told is None else told
        if not isinstance(settings, ProducerSettings):
            raise UsageError(f"expected ProducerSettings, saw {settings!r:.120}")
        return replace(settings, **chosen)

    def on(self, kafka: Kafka) -> ProducerSettings:
        """The same with `idempotence` decided, as it will be, and `acks` in our words.

        Raises UsageError for what no producer can be set to on these brokers.
        """
        require_keys(self.keys)
        told = asdict(self)
        refuse_settings(told, knows_idempotence=kafka.knows_idempotence)
        able = kafka.knows_idempotence and can_be_idempotent(told)
        chosen = able if self.idempotence is None else self.idempotence
        return replace(self, acks=ACKS[self.acks], idempotence=chosen)

    def into_one_partition(self, kafka: Kafka) -> ProducerSettings:
        """The same, where it is said to which partition the records go: keys have no choice."""
        if self.partition_by == BY_KEY:
            raise UsageError(
                f"expected partition_by={BY_TURN!r} where records go to the partition that is "
                f"named, saw {BY_KEY!r}: keys choose partitions of play.load(...)"
            )
        return self.on(kafka)


@dataclass(frozen=True, slots=True)
class Named:
    """Who a producer is: in the record, and what Kafka is told.

    `group_id` is the group whose members send what they make of the records that they are handed.
    """

    name: str
    client_id: str = ""  # as `name`
    transactional_id: str = ""  # as `client_id`
    group_id: str | None = None

    @property
    def told(self) -> str:
        """client.id"""
        return self.client_id or self.name


ACKS_ONE = ProducerSettings(acks="1")  # the leader alone decides


class RecordingProducer(Lifetime):
    """A producer whose every send is in the history before it leaves; flushed on leaving."""

    _names = itertools.count(1)

    def __init__(
        self,
        bootstrap: str,
        history: History,
        settings: ProducerSettings,
        values: payload.Values,
        *,
        named: Named | None = None,
    ) -> None:
        super().__init__()
        named = named or Named(f"producer-{next(self._names)}")
        self.name = named.name
        self.tally = Tally()
        self._history = history
        self._settings = settings
        self._values = values
        keyed = settings.keys, settings.key_choice
        self._shapes = Shapes(settings.size_bytes, keyed, history.patterns)
        self._arrived: list[Arrivals] = []  # what has come and is not recorded yet
        history.promised(
            self.name,
            "producer",
            client_id=named.told,
            acks=settings.acks,
            idempotence=bool(settings.idempotence),
            keeps_order=bool(settings.idempotence),
            linger_ms=math.ceil(settings.linger_ms),
            group_id=named.group_id,
        )
        told = {**SETTINGS, **library_of(asdict(settings)), **reached(bootstrap)}
        self._producer = Producer({**told, "client.id": named.told})

    def _begin(self) -> None:
        self._ending.callback(self.flush)

    def send(
        self,
        where: TopicPartition | ByKey,
        count: int,
        due_ns: Numbers | None = None,
        made_of: Sequence[int | None] = (),
    ) -> Sending:
        """Hand over `count` records; their outcomes arrive in what is returned, until `flush`.

        `due_ns` is when each of them was to be sent, by the clock of `time.monotonic_ns`, and
        `made_of` the values of the records that they are made of, if they are.
        """
        values, shape = self._values.take(count), self._shapes.of(where.topic)
        sends = self._history.sends(self.name, where, self._settings.acks, values)
        if due_ns is not None:
            sends.intend(due_ns)
        sends.made_of(made_of)
        shape.keys.tell(sends, where)
        sent = Sending(sends)
        delivered = self._outcome(Arrivals(sends, shape), sent)
        for start in range(values.start, values.stop, AT_ONCE):
            some = range(start, min(start + AT_ONCE, values.stop))
            contents, checksums = shape.encoder.all(some)
            sends.invoke(some, checksums)
            for partition, messages in shape.keys.apart(some, contents, where).items():
                # A call for each: produce_batch heeds no partition of a single message.
                to = TopicPartition(where.topic, partition)
                for message, error in self._hand_over(to, messages, delivered):
                    self.tally.count(Outcome.FAILED)  # it has never left
                    sent.end(shape.value_handed(message), Outcome.FAILED, error)
        return sent

    def flush(self) -> int:
        """Wait for every outcome; librdkafka gives up on its own after the delivery timeout.

        Returns how many records have none then.
        """
        try:
            return flush(self._producer, self._settings.delivery_timeout_s + 5)
        finally:
            self._record_arrivals()

    def poll(self, timeout_s: float) -> None:
        """Let outcomes arrive."""
        self._producer.poll(timeout_s)
        self._record_arrivals()

    def await_metadata(self, wheres: Sequence[TopicPartition]) -> None:
        """Look up who leads these partitions of one topic.

        Records that waited for that would leave in batches of chance.
        """
        await_metadata(self._producer, wheres, self._settings.delivery_timeout_s)

    def _hand_over(
        self, where: TopicPartition, messages: list[Produced], delivered: Delivered
    ) -> list[tuple[Produced, KafkaError]]:
        """Into librdkafka's queue, in order; waits while it is full. Returns what it refuses.

        That is what is too large, and any record where a broker knows its topic no more: one of
        0.11 that has just started may say so, and knows it again soon. Raises InfrastructureError
        for another reason.
        """
        refusals: list[tuple[Produced, KafkaError]] = []
        while messages:
            self._queue(where, messages, delivered)
            refused = [message for message in messages if "_error" in message]
            messages = []
            for message in refused:
                error = message.pop("_error")
                if error.code() in HANDED_BACK:
                    refusals.append((message, error))
                    continue
                messages.append(message)
                if error.code() != KafkaError._QUEUE_FULL:  # noqa: SLF001 - as above
                    raise InfrastructureError(f"{self.name}: a record was refused: {error}")
            self.poll(0.1 if messages else 0)
        return refusals

    def _queue(self, where: TopicPartition, messages: list[Produced], delivered: Delivered) -> None:
        """What is refused has an `_error`; produce_batch knows no headers."""
        if "headers" not in messages[0]:
            self._producer.produce_batch(where.topic, messages, where.partition, delivered)
            return
        for at, message in enumerate(messages):
            try:
                told = reporting(delivered, message)
                self._producer.produce(
                    where.topic, **message, partition=where.partition, on_delivery=told
                )
            except BufferError:
                for each in messages[at:]:  # in order
                    each["_error"] = KafkaError(KafkaError._QUEUE_FULL)  # noqa: SLF001 - as above
                return
            except KafkaException as error:
                message["_error"] = error.args[0]

    def _outcome(self, arrivals: Arrivals, sent: Sending) -> Delivered:
        """One callback for all records: a closure for each would cost more than sending it."""
        shape, waiting, now_ns = arrivals.shape, self._arrived, time.monotonic_ns
        arrived, at, messages = arrivals.messages.append, arrivals.at_ns.append, arrivals.messages

        def delivered(error: KafkaError | None, message: Message) -> None:
            if error is None:
                if not messages:
                    waiting.append(arrivals)
                at(now_ns())
                arrived(message)
                return
            outcome = self._classify(error)
            self.tally.count(outcome)
            sent.end(shape.value_in(message), outcome, error)

        return delivered

    def _record_arrivals(self) -> None:
        """All at once, after librdkafka has called back for each: that is far cheaper."""
        for arrivals in self._arrived:
            self.tally.acked += arrivals.record()
        self._arrived.clear()

    def _classify(self, error: KafkaError) -> Outcome:
        """A refusal is final only if it answered the first attempt."""
        refused = error.code() in REFUSED and self._settings.retries == 0
        return Outcome.FAILED if refused else Outcome.UNKNOWN
