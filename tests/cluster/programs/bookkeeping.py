"""An application: a row in PostgreSQL for each order; its position is committed before, or after.

It speaks to the database by psql, so that it needs nothing that Debian's packages do not bring.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading

from confluent_kafka import Consumer, TopicPartition

NOTHING = threading.Event()  # an entry takes its time
GROUP, AT_ONCE, EACH_S = "bookkeeping", 100, 0.005


class Database:
    """One session of psql; a statement has been done when `tell` returns."""

    def __init__(self, place: str) -> None:
        line = ["psql", "-h", place, "-U", "postgres", "-qAtX", "-v", "ON_ERROR_STOP=1"]
        self._psql = subprocess.Popen(
            line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )

    def tell(self, statement: str) -> None:
        assert self._psql.stdin is not None and self._psql.stdout is not None  # noqa: PT018
        self._psql.stdin.write(f"{statement};\n\\echo done\n")
        if self._psql.stdout.readline() != "done\n":
            sys.exit("the database is gone")


def main(orders: str, place: str, table: str) -> None:
    consumer = Consumer(
        {
            "bootstrap.servers": os.environ["BOOTSTRAP"],
            "group.id": GROUP,
            "session.timeout.ms": 6_000,
            "enable.auto.commit": False,
            "auto.offset.reset": "earliest",
            "log_level": 2,
        }
    )
    database = Database(place)
    consumer.subscribe([orders])
    print("reads", orders, flush=True)
    while True:
        messages = [one for one in consumer.consume(AT_ONCE, timeout=0.2) if one.error() is None]
        if not messages:
            continue
        ends = {one.partition(): (one.offset() or 0) + 1 for one in messages}
        done = [TopicPartition(orders, partition or 0, end) for partition, end in ends.items()]
        if table == "before":
            consumer.commit(offsets=done, asynchronous=False)
        for one in messages:
            known = (one.value() or b"").decode()
            database.tell(f"INSERT INTO {table} VALUES ('{known}') ON CONFLICT DO NOTHING")
            NOTHING.wait(EACH_S)
        if table != "before":
            consumer.commit(offsets=done, asynchronous=False)
        print(json.dumps({"entered": len(messages)}), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
