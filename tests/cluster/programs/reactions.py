"""What an application sees of librdkafka, by Confluent's client: as Reactions.java has it."""

from __future__ import annotations

import select
import sys
from collections.abc import Callable
from typing import Any

from confluent_kafka import Consumer, KafkaError, KafkaException, Producer, TopicPartition

SUBSCRIBED = ("JoinGroup", "SyncGroup", "OffsetFetch", "ListOffsets")  # asked for then
LONGEST_S = 20.0


class Seen:
    """What has been told: the last error counts, and a fatal one for good."""

    def __init__(self) -> None:
        self.kind, self.told, self.after = "none", "-", "ok"

    def tell(self, error: KafkaError) -> None:
        if self.kind != "fatal":
            self.told = error.name()
            self.kind = "fatal" if error.fatal() else "told"
            if error.txn_requires_abort():
                self.kind = "abortable"
            elif error.retriable():
                self.kind = "retriable"

    def heard(self, error: KafkaError) -> None:
        """Of the callback for errors: all but fatal ones are for a log."""
        if error.fatal():
            self.tell(error)


def say(*words: str) -> None:
    print(*words, flush=True)


def ready() -> None:
    say("ready")
    sys.stdin.readline()


def settings(bootstrap: str, name: str, seen: Seen) -> dict[str, Any]:
    return {
        "bootstrap.servers": bootstrap,
        "client.id": name,
        "socket.timeout.ms": 4000,
        "error_cb": seen.heard,
    }


def send(producer: Producer, name: str, value: str) -> KafkaError | None:
    ended: list[KafkaError | None] = []
    try:
        producer.produce(name, value, partition=0, on_delivery=lambda error, _: ended.append(error))
        producer.flush(LONGEST_S)
    except KafkaException as refused:
        return refused.args[0]  # type: ignore[no-any-return]
    except SystemError as error:  # a fatal error while a record's outcome is told comes as this
        if not isinstance(error.__cause__, KafkaException):
            raise
        return error.__cause__.args[0]  # type: ignore[no-any-return]
    return ended[0] if ended else KafkaError(KafkaError._TIMED_OUT)


def producing(bootstrap: str, name: str, *, idempotent: bool, at_start: bool) -> Seen:
    seen = Seen()
    its = settings(bootstrap, name, seen) | {"enable.idempotence": idempotent}
    if at_start:
        ready()
    producer = Producer(its | {"message.timeout.ms": 15000, "linger.ms": 0, "acks": "all"})
    if not at_start:
        if error := send(producer, name, "first"):
            raise KafkaException(error)
        ready()
    if error := send(producer, name, "second"):
        seen.tell(error)
    if error := send(producer, name, "third"):
        seen.after = error.name()
        seen.kind = "fatal"
    return seen


def within(producer: Producer, name: str, group: Any) -> None:
    """A whole transaction with a record and a position. Raises KafkaException."""
    producer.begin_transaction()
    producer.produce(name, "within", partition=0)
    producer.flush(LONGEST_S)
    producer.send_offsets_to_transaction([TopicPartition(name, 0, 0)], group, LONGEST_S)
    producer.commit_transaction(LONGEST_S)


def transaction(bootstrap: str, name: str, *, at_start: bool) -> Seen:
    seen = Seen()
    its = settings(bootstrap, name, seen)
    consumer = Consumer({"bootstrap.servers": bootstrap, "group.id": name, "client.id": "nobody"})
    group = consumer.consumer_group_metadata()
    producer = Producer(its | {"transactional.id": name, "transaction.timeout.ms": 15000})
    if at_start:
        ready()
    if _told(seen, lambda: producer.init_transactions(LONGEST_S)) and seen.kind == "retriable":
        producer.init_transactions(LONGEST_S)
    if not at_start:
        within(producer, name, group)
        ready()
    if seen.kind != "fatal" and _told(seen, lambda: within(producer, name, group)):
        _go_on(seen, producer, lambda: within(producer, name, group))
    consumer.close()
    return seen


def _told(seen: Seen, act: Callable[[], object]) -> bool:
    try:
        act()
    except KafkaException as refused:
        seen.tell(refused.args[0])
        return True
    return False


def _go_on(seen: Seen, producer: Producer, act: Callable[[], object]) -> None:
    """As an application does that is told so: what is abortable is aborted, and done again."""
    try:
        producer.abort_transaction(LONGEST_S)
        act()
    except KafkaException as refused:
        seen.kind, seen.after = "fatal", refused.args[0].name()


def member(api: str, bootstrap: str, name: str, *, modern: bool) -> Seen:
    seen = Seen()
    its = settings(bootstrap, name, seen) | {"group.id": name, "auto.offset.reset": "earliest"}
    its |= {"enable.auto.commit": False, "fetch.wait.max.ms": 200}
    its |= (
        {"group.protocol": "consumer"}
        if modern
        else {"heartbeat.interval.ms": 500, "session.timeout.ms": 8000}
    )
    if api == "FindCoordinator":  # which the library asks as soon as it is there
        ready()
    consumer = Consumer(its)
    if api in SUBSCRIBED:  # and these without being polled
        ready()
    consumer.subscribe([name])
    if api not in (*SUBSCRIBED, "FindCoordinator"):
        while not poll(consumer, seen):
            pass
        ready()
    if api == "OffsetCommit":
        _told(seen, lambda: consumer.commit(asynchronous=False))
    while not select.select([sys.stdin], [], [], 0)[0]:
        poll(consumer, seen)
    sys.stdin.readline()
    consumer.close()
    return seen


def poll(consumer: Consumer, seen: Seen) -> bool:
    message = consumer.poll(0.1)
    if message is None:
        return False
    error = message.error()
    if error is not None:
        seen.tell(error)
        return False
    say("got", (message.value() or b"-").decode())
    return True


def main() -> None:
    for line in iter(sys.stdin.readline, ""):
        story, api, bootstrap, name = line.split()
        match story:
            case "start" | "produce" | "plain":
                at_start, idempotent = story == "start", story != "plain"
                seen = producing(bootstrap, name, idempotent=idempotent, at_start=at_start)
            case "transaction" | "transactional-start":
                seen = transaction(bootstrap, name, at_start=story != "transaction")
            case _:
                seen = member(api, bootstrap, name, modern=story == "modern-member")
        say("done", seen.kind, seen.told, seen.after)


if __name__ == "__main__":
    main()
