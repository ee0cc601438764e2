"""Anomalies at places that are known.

A plant changes as little as an anomaly can be, and says where it is: nothing else may be found.
"""

from __future__ import annotations

from collections.abc import Callable

from tests import planted_in_groups, planted_in_looks, planted_in_transactions
from tests.bed import (
    BATCH,
    BROKERS,
    FLIGHT_NS,
    NOWHERE,
    SEGMENT,
    STEP_NS,
    TOPIC,
    look_at,
)
from tests.garden import Garden, content_of


def plant_lost_write(garden: Garden) -> None:
    _lose(garden, garden.a_partition(), garden.an_offset())


def _lose(garden: Garden, partition: int, offset: int) -> None:
    value = garden.value_at(partition, offset)
    garden.remove("history", action="poll", value=value)
    foreign = {"value": None, "checksum": 1}  # no send's: those are multiples of seven
    garden.change("replica_logs", garden.rows("replica_logs", value=value), **foreign)
    garden.expect("lost-write", partition=partition, offset=offset, value=value)


def plant_duplicate(garden: Garden) -> None:
    partition = garden.a_partition()
    value = garden.value_at(partition, garden.an_offset())
    also_at = garden.append(partition, value)
    garden.expect("duplicate", partition=partition, value=value, also_at=also_at)


def plant_phantom_read(garden: Garden) -> None:
    partition, value = garden.a_partition(), garden.new_value()
    offset = garden.append(partition, value)
    garden.expect("phantom-read", partition=partition, offset=offset, value=value)


def plant_aborted_read(garden: Garden) -> None:
    partition, value = garden.a_partition(), garden.new_value()
    garden.send(partition, value, outcome="failed", invoked_ns=0)
    offset = garden.append(partition, value)
    garden.expect("aborted-read", partition=partition, offset=offset, value=value)


def plant_torn_transaction(garden: Garden) -> None:
    """Of two records of one transaction a reader was handed one, and the other is lost."""
    partition, offset = garden.a_partition(), garden.an_offset(margin=1)
    lost, there = (garden.value_at(partition, at) for at in (offset, offset + 1))
    client = f"transactor-{garden.new_value() - NOWHERE}"
    for value in (lost, there):
        sent = garden.rows("history", action="send", value=value)
        garden.change("history", sent, client=client, transaction=1)
    garden.promise(client, "producer", idempotence=True, transactional_id="tx")
    _lose(garden, partition, offset)
    garden.expect("torn-transaction", partition=partition, offset=offset, value=lost)


def plant_inconsistent_offsets(garden: Garden) -> None:
    """Another reader saw something else there, which had been sent with a lesser promise."""
    partition, offset, value = garden.a_partition(), garden.an_offset(), garden.new_value()
    garden.send(partition, value, acks="1", invoked_ns=0, completed_ns=1)
    garden.poll(partition, value, offset, client=garden.new_reader())
    seen = {"value": garden.value_at(partition, offset), "other_value": value}
    garden.expect("inconsistent-offsets", partition=partition, offset=offset, **seen)
    if not garden.tables["replica_logs"].empty:  # what a reader was handed no log has at the end
        garden.expect("lost-write", partition=partition, value=value)


def plant_nonmonotonic_send(garden: Garden) -> None:
    """Two records change places, of which one was sent when the other had been acknowledged."""
    apart = FLIGHT_NS // STEP_NS + 1
    partition, offset = garden.a_partition(), garden.an_offset(margin=apart)
    early = garden.value_at(partition, offset)
    late = garden.value_at(partition, offset + apart)
    client = f"unordered-{garden.new_value() - NOWHERE}"
    for value in (early, late):
        garden.change("history", garden.rows("history", action="send", value=value), client=client)
    garden.promise(client, "producer", idempotence=True, keeps_order=False)
    _swap(garden, (early, offset), (late, offset + apart))
    place = {"offset": offset, "value": late, "after_value": early}
    garden.expect("nonmonotonic-send", partition=partition, **place)


def _swap(garden: Garden, *placed: tuple[int, int]) -> None:
    """Of two values each is where the other one was."""
    sends, polls, copies = (
        [garden.rows(table, value=value, **which) for value, _ in placed]
        for table, which in (
            ("history", {"action": "send"}),
            ("history", {"action": "poll"}),
            ("replica_logs", {}),
        )
    )
    (_, lower), (_, upper) = placed
    for at, to in enumerate((upper, lower)):
        value, _ = placed[1 - at]
        garden.change("history", sends[at], offset=to)
        garden.change("history", polls[at], **content_of(value))
        garden.change("replica_logs", copies[at], **content_of(value), digest=value)


def plant_reordered(garden: Garden) -> None:
    """A record is told to stand above those that were given to its client after it."""
    partition, offset = garden.a_partition(), garden.an_offset(margin=1)
    early, late = (garden.value_at(partition, at) for at in (offset, offset + 1))
    _swap(garden, (early, offset), (late, offset + 1))
    sends = [garden.rows("history", action="send", value=value) for value in (early, late)]
    history = garden.tables["history"]
    done = [history.loc[rows, "completed_ns"].iloc[0] for rows in sends]
    for rows, at_ns in zip(sends, reversed(done), strict=True):
        garden.change("history", rows, completed_ns=at_ns)
    place = {"offset": offset, "value": late, "after_value": early}
    garden.expect("reordered", partition=partition, **place)


def plant_nonmonotonic_poll(garden: Garden) -> None:
    """A reader is handed a record once more, when it has read everything."""
    partition, offset = garden.a_partition(), garden.an_offset()
    value = garden.value_at(partition, offset)
    garden.poll(partition, value, offset)
    garden.expect("nonmonotonic-poll", partition=partition, offset=offset, value=value)


def plant_poll_skip(garden: Garden) -> None:
    partition, offset = garden.a_partition(), 1 + garden.an_offset(margin=2)
    value = garden.value_at(partition, offset)
    garden.remove("history", action="poll", value=value)
    other = garden.new_reader()
    garden.poll(partition, value, offset, client=other)
    place = {"offset": offset, "client": "reader", "handed_to": other}
    garden.expect("poll-skip", partition=partition, **place)


def plant_unseen(garden: Garden) -> None:
    """Not the first one of all: no reader passes that, as none begins before it."""
    partition = garden.a_partition()
    offset = next(each for each in iter(garden.an_offset, None) if each)
    value = garden.value_at(partition, offset)
    garden.remove("history", action="poll", value=value)
    garden.expect("unseen", partition=partition, offset=offset, value=value)


def plant_precommitted_read(garden: Garden) -> None:
    """A producer that reads, and finds what it is still sending."""
    partition, offset = garden.a_partition(), garden.an_offset()
    value = garden.value_at(partition, offset)
    client, at_ns = f"transactor-{garden.new_value() - NOWHERE}", offset * STEP_NS + 1
    sent = garden.rows("history", action="send", value=value)
    garden.change("history", sent, client=client)
    garden.poll(partition, value, offset, client=client, invoked_ns=at_ns, completed_ns=at_ns)
    garden.promise(client, "producer", idempotence=True, transactional_id="tx")
    garden.expect("precommitted-read", partition=partition, offset=offset, value=value)


def plant_stalled_sends(garden: Garden) -> None:
    """To a topic that nobody reads, and that promises nothing."""
    long_ns = 31 * 10**9 + garden.chance.randrange(10**9)
    sent = {"acks": "1", "invoked_ns": 0, "completed_ns": long_ns}
    garden.send(0, garden.new_value(), topic="stalls", **sent)
    garden.expect("stalled-sends", topic="stalls", partition=0, since_ns=0)


def plant_flushed_too_early(garden: Garden) -> None:
    """In a topic of its own: it says so while it waits for the record."""
    value = garden.new_value()
    client, topic = f"flusher-{value}", f"flushed-{value}"
    times = {"invoked_ns": 1, "completed_ns": 9}
    garden.send(0, value, topic=topic, client=client, outcome="failed", **times)
    garden.add("flushes", client=client, asked_ns=2, flushed_ns=5)
    garden.expect("flushed-too-early", client=client, value=value)


def plant_corrupt_value(garden: Garden) -> None:
    """Another payload than was sent, or another key."""
    partition, offset = garden.a_partition(), garden.an_offset()
    value = garden.value_at(partition, offset)
    wrong = garden.chance.choice(("checksum", "key"))
    garden.change("history", garden.rows("history", action="poll", value=value), **{wrong: -1})
    garden.expect("corrupt-value", partition=partition, offset=offset, value=value)


def plant_replica_divergence(garden: Garden) -> None:
    partition, offset = garden.a_partition(), garden.an_offset()
    broker = garden.chance.choice(BROKERS[1:])
    there = garden.rows(
        "replica_logs", topic=TOPIC, partition=partition, offset=offset, broker=broker
    )
    garden.change("replica_logs", there, digest=-1)
    garden.expect("replica-divergence", partition=partition, offset=offset)


def plant_offsets_out_of_order(garden: Garden) -> None:
    """A follower's log has one of its records a second time, behind all others."""
    partition, offset = garden.a_partition(), garden.an_offset()
    garden.store(partition, 2, offset, garden.value_at(partition, offset))
    place = {"partition": partition, "broker": 2, "offset": offset}
    garden.expect("offsets-out-of-order", **place)


def plant_log_not_contiguous(garden: Garden) -> None:
    """An offset that no record has ever had, on any replica."""
    partition, offset = garden.a_partition(), 1 + garden.an_offset(margin=2)
    value = garden.value_at(partition, offset)
    garden.remove("history", value=value)
    garden.remove("replica_logs", value=value)
    for broker in BROKERS:
        garden.expect("log-not-contiguous", partition=partition, broker=broker, offset=offset + 1)


def plant_leader_epoch_order(garden: Garden) -> None:
    """A batch between two others, on all replicas; their checkpoints know of it."""
    partition, offset = garden.a_partition(), garden.an_offset(margin=1)
    here = {"topic": TOPIC, "partition": partition}
    logs = garden.tables["replica_logs"]
    mine = garden.rows("replica_logs", topic=TOPIC, partition=partition)
    its_batch = mine & (logs["offset"] // BATCH == offset // BATCH)
    its_batch &= logs["position"] < garden.per_partition  # what came in later lies behind
    one_each = logs["offset"] % SEGMENT  # a batch for each record
    garden.change("replica_logs", its_batch, position=one_each)
    garden.change("replica_logs", mine & garden.rows("replica_logs", offset=offset), leader_epoch=1)
    for broker in BROKERS:
        for start, epoch in ((offset, 1), (offset + 1, 0)):
            garden.add(
                "epoch_checkpoints", **here, broker=broker, start_offset=start, leader_epoch=epoch
            )
        place = {"partition": partition, "broker": broker, "offset": offset + 1}
        garden.expect("leader-epoch-order", **place, leader_epoch=0, epoch_before=1)


def plant_epoch_checkpoint(garden: Garden) -> None:
    """Of one record a replica's checkpoint says another epoch than its log does."""
    partition, broker = garden.a_partition(), garden.chance.choice(BROKERS)
    offset = garden.an_offset(margin=1)
    place = {"partition": partition, "broker": broker}
    for start, epoch in ((offset, 1), (offset + 1, 0)):
        entry = {"start_offset": start, "leader_epoch": epoch}
        garden.add("epoch_checkpoints", topic=TOPIC, **place, **entry)
    told = {"offset": offset, "leader_epoch": 0, "checkpoint_epoch": 1}
    garden.expect("epoch-checkpoint", **place, **told)


def plant_committed_truncation(garden: Garden) -> None:
    partition, broker = garden.a_partition(), garden.chance.choice(BROKERS)
    for at_ns in (30, 40):
        look = {**look_at(partition, broker, at_ns), "quiet": None, "leader_epoch": 1}
        garden.add("replica_states", **look, log_end_offset=0, high_watermark=0)
    garden.expect("committed-truncation", partition=partition, broker=broker)


def plant_stale_read(garden: Garden) -> None:
    """A reader who came before the one that has seen everything was told of an earlier end."""
    partition, offset = garden.a_partition(), garden.an_offset()
    at_ns = garden.per_partition * STEP_NS + FLIGHT_NS
    _reading(garden, partition, "end", offset, at_ns)
    garden.expect("stale-read", partition=partition, offset=offset)


def plant_stuck_reader(garden: Garden) -> None:
    partition, offset = garden.a_partition(), garden.an_offset()
    _reading(garden, partition, "stall", offset, garden.after_ns + 20)
    garden.expect("stuck-reader", partition=partition, offset=offset)


def _reading(garden: Garden, partition: int, action: str, offset: int, at_ns: int) -> None:
    seen = {"client": garden.new_reader(), "action": action, "outcome": "ok", "offset": offset}
    times = {"invoked_ns": at_ns, "completed_ns": at_ns + 1}
    garden.add("history", topic=TOPIC, partition=partition, **seen, **times)


ELSEWHERE = (planted_in_groups, planted_in_looks, planted_in_transactions)
PLANTS: dict[str, Callable[[Garden], None]] = {
    name.removeprefix("plant_").replace("_", "-"): plant
    for module in (globals(), *map(vars, ELSEWHERE))
    for name, plant in module.items()
    if name.startswith("plant_")
}
