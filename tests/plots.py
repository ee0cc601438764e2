"""What stands in a clean record beside sends and polls: replicas, and stories of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.bed import BROKERS, MUCH_LATER_NS, NOWHERE, TOPIC, alive, look_at

if TYPE_CHECKING:
    from tests.garden import Garden


def add_stories(garden: Garden) -> None:
    """Whatever claims consider that the orders have not, all but one in topics of their own."""
    _add_own_reading(garden)
    _add_transaction(garden)
    _add_pipeline(garden)
    garden.share_out()
    garden.apply("billing", range(3))


def _add_own_reading(garden: Garden) -> None:
    """A client that reads what it has sent, in a topic of its own."""
    row = {"client": "echo", "topic": "echoes", "partition": 0, "value": NOWHERE, "offset": 0}
    content = {**row, "checksum": 1, "outcome": "ok"}
    garden.add("history", **content, action="send", acks="all", invoked_ns=0, completed_ns=1)
    garden.add("history", **content, action="poll", invoked_ns=2, completed_ns=2)


def _add_transaction(garden: Garden) -> None:
    """Two records of one transaction in a topic of their own, which two readers were handed."""
    for partition in range(2):
        row = {"topic": "pairs", "partition": partition, "offset": 0, "outcome": "ok"}
        content = {**row, "value": NOWHERE - 1 - partition, "checksum": 1}
        sent = {"client": "transactor", "acks": "all", "transaction": 1}
        garden.add("history", **content, **sent, action="send", invoked_ns=0, completed_ns=1)
        seen = {"client": "reader-of-pairs", "invoked_ns": 2, "completed_ns": 2}
        garden.add("history", **content, **seen, action="poll")
        another = {**seen, "client": "chain", "transaction": 1}
        garden.add("history", **content, **another, action="poll")
    garden.promise("chain", "consumer", client_id="chain")
    garden.promise("chain#producer", "producer", client_id="chain", transactional_id="chain")


def _add_pipeline(garden: Garden) -> None:
    """One record, and what a member of a pipeline made of it, in topics of their own."""
    for name, client, value, made_of in (
        ("inputs", "feeder", NOWHERE - 3, None),
        ("outputs", "copier#producer", NOWHERE - 4, NOWHERE - 3),
    ):
        row = {"topic": name, "partition": 0, "offset": 0, "outcome": "ok", "value": value}
        sent = {"client": client, "acks": "all", "made_of": made_of, "checksum": 1}
        garden.add("history", **row, **sent, action="send", invoked_ns=0, completed_ns=1)
        seen = {"client": f"reader-of-{name}", "invoked_ns": 2, "completed_ns": 2, "checksum": 1}
        garden.add("history", **row, **seen, action="poll")
    garden.add("flushes", client="feeder", asked_ns=2, flushed_ns=3)
    garden.promise("copier#producer", "producer", idempotence=True, group_id="copying")
    where = {"topic": "inputs", "partition": 0, "group": "copying", "client": "copier"}
    garden.add("processed", **where, first_offset=0, end_offset=1, completed_ns=3)
    times = {"outcome": "ok", "invoked_ns": 4, "completed_ns": 5}
    garden.add("commits", **where, **times, offset=1)


def add_replicas(garden: Garden) -> None:
    for partition in range(garden.partitions):
        for broker in BROKERS:
            _add_replica(garden, partition, broker)
    for second in range(8):
        garden.add("liveness", **alive(second, broker=1, answers=True))
    where = {"topic": TOPIC, "partition": 0, "broker": 1, "leader": 1, "isr": "1,2,3"}
    for second, move in enumerate((("2", "4"), ("", ""))):
        adding, removing = move
        listed = {"adding": adding, "removing": removing, "replicas": "1,2,3,4"}
        garden.add("reassignments", **where, **listed, at_ns=second * 10**9)
    told = {"transactional_id": "tx", "coordinator": 1, "producer_id": 1, "epoch": 0, "began_ms": 9}
    for second, state in enumerate(("Ongoing", "PrepareCommit", "CompleteCommit")):
        garden.add("transaction_states", **told, at_ns=second * 10**9, state=state)


def _add_replica(garden: Garden, partition: int, broker: int) -> None:
    """Its end, two looks at it, and the fetches that a watermark is judged by."""
    where = {"topic": TOPIC, "partition": partition}
    end = {"log_end_offset": garden.per_partition, "high_watermark": garden.per_partition}
    garden.add(
        "replica_ends",
        **where,
        **end,
        broker=broker,
        log_start_offset=0,
        is_leader=broker == 1,
        in_isr=True,
        leader_epoch=0,
        settled=True,
    )
    if broker != 1:
        link = {"leader": 1, "follower": broker, "fetch_offset": garden.per_partition}
        garden.add("fetches", **where, **link, stage="request", at_ns=1)
        told = {"high_watermark": garden.per_partition, "record_bytes": 0}
        garden.add("fetches", **where, **link, **told, stage="response", at_ns=2)
    garden.add("epoch_checkpoints", **where, broker=broker, leader_epoch=0, start_offset=0)
    for at_ns in (10, 20, 25) if broker == 1 else (10, 20, 25, MUCH_LATER_NS):
        stable = garden.per_partition if broker == 1 else None
        seen = {**look_at(partition, broker, at_ns), **end, "last_stable_offset": stable}
        garden.add("replica_states", **seen)
