"""What probes have seen of replicas, in columns: it may be tens of thousands of rows a second."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter

import numpy as np
import pyarrow as pa

from highwater.harness.model import PartitionState, ReplicaState, TopicPartition
from highwater.harness.probes.unchanged import Derived
from highwater.harness.tables import REPLICA_STATES

Wheres = tuple[TopicPartition, ...]
Known = Mapping[TopicPartition, PartitionState]
Columns = Mapping[str, pa.Array]
OF_ALL = ("at_ns", "broker", "quiet")  # columns in which all rows of one probe say the same
OFFSETS = ("log_end_offset", "high_watermark", "last_stable_offset")


@dataclass(frozen=True, slots=True)
class Probed:
    """A row of `replica_states` for each of the replicas that one broker was asked for at once."""

    at_ns: int  # when it had answered
    broker: int
    quiet: bool | None
    known: Known  # what the metadata said meanwhile
    wheres: Wheres
    states: tuple[ReplicaState, ...]  # of these


class StateTables:
    """Makes tables of probes; what the metadata say anew only where it is something else."""

    def __init__(self) -> None:
        self._named = defaultdict[int, Derived[Known, Wheres, Columns]](
            lambda: Derived(_named_columns)
        )

    def table(self, probes: Sequence[Probed]) -> pa.Table:
        """Of all their rows, one probe after the other."""
        rows = pa.array(np.repeat(np.arange(len(probes)), [len(each.wheres) for each in probes]))
        columns: dict[str, pa.Array | pa.ChunkedArray] = {
            name: _array(name, [getattr(each, name) for each in probes]).take(rows)
            for name in OF_ALL
        }
        states = [state for each in probes for state in each.states]
        columns |= {name: _array(name, map(attrgetter(name), states)) for name in OFFSETS}
        named = [self._named[each.broker](each.known, each.wheres) for each in probes]
        columns |= {name: pa.chunked_array([part[name] for part in named]) for name in named[0]}
        return pa.table(columns).select(REPLICA_STATES.names).cast(REPLICA_STATES)


def _named_columns(known: Known, wheres: Wheres) -> Columns:
    """Which partitions these are, and what the metadata say of them, where they do."""
    states = [known.get(where) for where in wheres]

    def told(of: Callable[[PartitionState], object]) -> list[object]:
        return [None if state is None else of(state) for state in states]

    columns: dict[str, list[object]] = {
        "topic": [where.told_as for where in wheres],
        "partition": [where.partition for where in wheres],
        "leader": told(lambda state: state.leader),
        "leader_epoch": told(lambda state: state.leader_epoch),
        "isr": told(lambda state: _listed(state.isr)),
        "topic_id": told(lambda state: state.topic_id),
        "replicas": told(lambda state: _listed(state.replicas)),
    }
    return {name: _array(name, values) for name, values in columns.items()}


def _array(name: str, values: Iterable[object]) -> pa.Array:
    return pa.array(list(values), REPLICA_STATES.field(name).type)


def _listed(brokers: Iterable[int]) -> str:
    return ",".join(map(str, brokers))
