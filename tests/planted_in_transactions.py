"""What is planted in the transactions of a record."""

from __future__ import annotations

from tests.bed import MUCH_LATER_NS
from tests.garden import Garden


def plant_circular_information_flow(garden: Garden) -> None:
    """Two transactions, each of which was handed what the other one sent."""
    values = [garden.new_value() for _ in range(2)]
    topic, names = f"circle-{values[0]}", [f"circling-{value}" for value in values]
    for offset, (name, value) in enumerate(zip(names, values, strict=True)):
        told = {"client_id": name, "idempotence": True, "transactional_id": name}
        garden.promise(f"{name}#producer", "producer", **told)
        garden.promise(name, "consumer", client_id=name)
        sent = {"client": f"{name}#producer", "transaction": 1, "offset": 0}
        garden.send(offset, value, topic=topic, **sent)
        garden.poll(1 - offset, values[1 - offset], 0, topic=topic, client=name, transaction=1)
    first = f"{names[0]}#producer"
    garden.expect("circular-information-flow", client=first, transaction=1, transactions=2)


def plant_stuck_transaction(garden: Garden) -> None:
    """A coordinator never completes what it has decided."""
    name = f"stuck-{garden.new_value()}"
    said = {"transactional_id": name, "coordinator": 1, "producer_id": 3, "epoch": 0}
    since_ns = MUCH_LATER_NS
    for at_ns in (since_ns, since_ns + 41 * 10**9):
        garden.add("transaction_states", **said, state="PrepareCommit", at_ns=at_ns, began_ms=5)
    garden.expect("stuck-transaction", transactional_id=name, since_ns=since_ns)


def plant_hanging_transaction(garden: Garden) -> None:
    """In a topic of its own: for longer than its producer's timeout nothing ends it."""
    value = garden.new_value()
    topic, client = f"hanging-{value}", f"transactor-{value}"
    garden.send(0, value, topic=topic, client=client, outcome="failed", transaction=1)
    told = {"transactional_id": "tx", "transaction_timeout_ms": 10_000}
    garden.promise(client, "producer", idempotence=True, **told)
    seen = {"topic": topic, "partition": 0, "broker": 1, "leader": 1, "leader_epoch": 0}
    ends = {"log_end_offset": 2, "high_watermark": 2, "last_stable_offset": 1}
    since_ns = MUCH_LATER_NS
    for at_ns in (since_ns, since_ns + 31 * 10**9):
        garden.add("replica_states", **seen, **ends, at_ns=at_ns, isr="1")
    garden.expect("hanging-transaction", topic=topic, last_stable_offset=1, since_ns=since_ns)
