"""The rows of a clean record, for any of its offsets: each follows from its place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd

TOPIC = "orders"
BROKERS = (1, 2, 3)
BATCH = 10  # records
SEGMENT = 500_000  # records
STEP_NS, FLIGHT_NS = 10, 35  # each send begins so much after the one before, and takes so long
MUCH_LATER_NS = 200 * 10**9
NOWHERE = 1 << 40  # values from here on were never acknowledged
AT_ONCE = 250_000
KEYS = 5


def sends(partition: int, per_partition: int, offsets: Sequence[int]) -> pd.DataFrame:
    """Their values, and operations, are numbered partition by partition."""
    offset = np.asarray(offsets, np.int64)
    values, begun = partition * per_partition + offset, offset * STEP_NS
    return pd.DataFrame(
        {
            "op": values,
            "client": f"producer-{partition}",
            "action": "send",
            "outcome": "ok",
            "topic": TOPIC,
            "partition": partition,
            "offset": offset,
            "value": values,
            "checksum": values * 7,
            "acks": "all",
            "transaction": None,
            "made_of": None,
            "key": values % KEYS,
            "invoked_ns": begun,
            "completed_ns": begun + FLIGHT_NS,
            "error": None,
        }
    )


def polls(sent: pd.DataFrame, per_partition: int, partitions: int) -> pd.DataFrame:
    """What one reader reads when everything has been sent."""
    at_ns = per_partition * STEP_NS + FLIGHT_NS + 40
    seen = {"client": "reader", "action": "poll", "acks": None}
    later = sent["op"] + partitions * per_partition
    return sent.assign(**seen, op=later, invoked_ns=at_ns, completed_ns=at_ns)


def stored(sent: pd.DataFrame) -> pd.DataFrame:
    """On all replicas."""
    log = pd.DataFrame(
        {
            "topic": TOPIC,
            "partition": sent["partition"],
            "offset": sent["offset"],
            "leader_epoch": 0,
            "value": sent["value"],
            "checksum": sent["checksum"],
            "digest": sent["value"],
            "is_control": False,
            "magic": 2,
            "segment": sent["offset"].map(segment_of),
            "position": sent["offset"] % SEGMENT // BATCH * BATCH,
            "problem": None,
            "key": sent["key"],
        }
    )
    return pd.concat([log.assign(broker=broker) for broker in BROKERS], ignore_index=True)


def segment_of(offset: int) -> str:
    return f"{offset // SEGMENT * SEGMENT:020d}.log"


def rows_between(
    offsets: Sequence[int], per_partition: int, partitions: int
) -> Iterator[tuple[str, pd.DataFrame]]:
    """The clean rows of all other offsets, a part of a table at a time."""
    if len(offsets) == per_partition:
        return
    for partition in range(partitions):
        for start in range(0, per_partition, AT_ONCE):
            stretch = np.arange(start, min(start + AT_ONCE, per_partition))
            sent = sends(partition, per_partition, np.setdiff1d(stretch, offsets).tolist())
            yield "history", sent
            yield "history", polls(sent, per_partition, partitions)
            yield "replica_logs", stored(sent)


def look_at(partition: int, broker: int, at_ns: int) -> dict[str, Any]:
    seen = {"leader": 1, "leader_epoch": 0, "isr": "1,2,3", "replicas": "1,2,3", "quiet": True}
    return {"topic": TOPIC, "partition": partition, "broker": broker, "at_ns": at_ns, **seen}


def alive(second: int, broker: int, *, answers: bool) -> dict[str, Any]:
    seen = {"running": True, "registered": True, "answers": answers}
    return {"at_ns": second * 10**9, "broker": broker, **seen}
