"""An application that sends orders by itself, and says which it begins to send, which are there.

As its library tells it ("delivered"), as soon as they are in a queue ("queued"), or as its library
does, after it has sent what failed once more ("again"). It knows nothing of the harness.
"""

from __future__ import annotations

import itertools
import json
import os
import sys
import threading

from confluent_kafka import KafkaError, Message, Producer

NOTHING = threading.Event()  # an order takes its time
EACH_S = 0.005
QUIET = {"bootstrap.servers": os.environ["BOOTSTRAP"], "log_level": 2, "client.id": "shop"}
SETTINGS: dict[str, dict[str, bool | int]] = {
    "delivered": {"enable.idempotence": True},
    "queued": {"enable.idempotence": True, "linger.ms": 400},
    "again": {"enable.idempotence": False, "retries": 0},
}


def say(**what: str) -> None:
    print(json.dumps(what), flush=True)


class Shop:
    def __init__(self, orders: str, way: str) -> None:
        self._orders, self._way = orders, way
        self._producer = Producer({**QUIET, **SETTINGS[way]})

    def sell(self, order: str) -> None:
        say(begun=order)
        self._send(order)
        if self._way == "queued":
            say(acked=order)
        self._producer.poll(EACH_S)

    def _send(self, order: str) -> None:
        def delivered(error: KafkaError | None, _message: Message) -> None:
            if error is None and self._way != "queued":
                say(acked=order)
            elif error is not None and self._way == "again":
                self._send(order)

        self._producer.produce(self._orders, json.dumps({"order": order}), on_delivery=delivered)


def main(orders: str, way: str) -> None:
    shop = Shop(orders, way)
    for number in itertools.count():
        shop.sell(f"{os.getpid()}-{number}")
        NOTHING.wait(EACH_S)


if __name__ == "__main__":
    main(*sys.argv[1:])
