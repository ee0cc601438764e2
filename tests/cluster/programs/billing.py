"""An application: one bill for each order, committed within transactions, after bills, or before.

It knows nothing of the harness: an address in its environment, and topics on its command line.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Sequence

from confluent_kafka import Consumer, Message, Producer, TopicPartition

NOTHING = threading.Event()  # a bill takes its time
GROUP, AT_ONCE, EACH_S = "billing", 100, 0.005
QUIET = {"bootstrap.servers": os.environ["BOOTSTRAP"], "log_level": 2, "client.id": GROUP}


def consumer_of(orders: str) -> Consumer:
    consumer = Consumer(
        {
            **QUIET,
            "group.id": GROUP,
            "session.timeout.ms": 6_000,
            "enable.auto.commit": False,
            "auto.offset.reset": "earliest",
            "isolation.level": "read_committed",
        }
    )
    consumer.subscribe([orders])
    print("reads", orders, flush=True)
    return consumer


def bill(producer: Producer, bills: str, orders: Sequence[Message]) -> None:
    for one in orders:
        content = json.dumps({"order": (one.value() or b"").decode(), "amount": 17})
        producer.produce(bills, content, one.key())
        producer.flush(30)
        NOTHING.wait(EACH_S)


def main(orders: str, bills: str, commits: str) -> None:
    within = commits == "within"
    producer = Producer({**QUIET, **({"transactional.id": GROUP} if within else {})})
    if within:
        producer.init_transactions(30)
    consumer = consumer_of(orders)
    while True:
        messages = [one for one in consumer.consume(AT_ONCE, timeout=0.2) if one.error() is None]
        ends = {one.partition(): (one.offset() or 0) + 1 for one in messages}
        done = [TopicPartition(orders, partition or 0, end) for partition, end in ends.items()]
        if within:
            producer.begin_transaction()
        elif done and commits == "before":
            consumer.commit(offsets=done, asynchronous=False)
        bill(producer, bills, messages)
        if within:
            producer.send_offsets_to_transaction(done, consumer.consumer_group_metadata())
            producer.commit_transaction()
        elif done and commits == "after":
            consumer.commit(offsets=done, asynchronous=False)
        if messages:
            print(json.dumps({"billed": len(messages)}), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
