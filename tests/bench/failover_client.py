"""A producer that sends to one partition all the time, and knows how long nothing was answered."""

from __future__ import annotations

import threading
import time

from confluent_kafka import KafkaError, Message, Producer

from highwater.harness.lifetime import Lifetime
from highwater.harness.model import TopicPartition
from highwater.harness.wait import wait_until

TICK_S = 0.02
PATIENCE_S = 120.0


class Client(Lifetime):
    """Sends a record every 20 ms, for the length of a `with`."""

    def __init__(self, bootstrap: str, where: TopicPartition) -> None:
        super().__init__()
        self.longest_gap_s = 0.0
        self._where, self._last_s = where, time.monotonic()
        told = {"bootstrap.servers": bootstrap, "acks": "all", "log_level": 0}
        patient = {"message.timeout.ms": 300_000, "topic.metadata.refresh.fast.interval.ms": 50}
        self._producer = Producer({**told, **patient})
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._send, name="failover-client", daemon=True)

    def _begin(self) -> None:
        self._thread.start()
        self._ending.callback(self._thread.join)
        self._ending.callback(self._over.set)

    def forget_gaps(self) -> None:
        """Count from now on: a client that has just begun has waited for other things."""
        self.longest_gap_s = 0.0

    def await_acked(self, for_s: float) -> None:
        """Wait until records are acknowledged again that were sent so much later."""
        since = time.monotonic() + for_s
        wait_until(lambda: self._last_s > since, "the client's records", PATIENCE_S)

    def _send(self) -> None:
        while not self._over.wait(TICK_S):
            topic, number = self._where.topic, self._where.partition
            self._producer.produce(topic, b"x", partition=number, on_delivery=self._delivered)
            self._producer.poll(0)

    def _delivered(self, error: KafkaError | None, _message: Message) -> None:
        now_s = time.monotonic()
        if error is None:
            self.longest_gap_s = max(self.longest_gap_s, now_s - self._last_s)
            self._last_s = now_s
