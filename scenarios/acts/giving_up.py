"""How long a client tries is its own affair, and some never give up."""

from __future__ import annotations

from dataclasses import replace

from highwater.harness.clients.load import Load
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.scenarios.acts.sending import IMPATIENT

# A batch has records of different age: not all are given up at once.
BRIEF = replace(IMPATIENT, delivery_timeout_s=6.0, linger_ms=1000.0)
# Three seconds of records in a batch, and its request is given up twice within five or six: some of
# them are too old by then, and others are not.
GATHERING = replace(IMPATIENT, delivery_timeout_s=7.0, linger_ms=3000.0)


def await_given_up(
    play: Play, partition: Partition, load: Load, most_s: float, records: int = 1
) -> None:
    """Wait until it has given up so many, or for so long: not every client ever does."""
    wanted, until_ns = load.failed + records, play.record.now_ns() + most_s * 1e9
    partition.await_state(
        f"it has given {records} records up, or does not",
        lambda: load.failed >= wanted or play.record.now_ns() > until_ns,
        most_s + 10,
    )
