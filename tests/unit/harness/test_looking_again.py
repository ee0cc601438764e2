"""What has not changed is not made anew; what has changed is told, by the look and the record."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, cast

import pytest
from tests.unit.harness.test_looking import Brokers

from highwater.harness.model import PartitionState, ReplicaState, TopicPartition
from highwater.harness.record.reader import open_run
from highwater.harness.record.writer import RunRecord
from highwater.harness.sampling import METADATA, Sampler

WHERES = [TopicPartition("orders", number) for number in range(3)]


class Changing(Brokers):
    """Whatever a test sets; it may do something in the middle of a probe."""

    def __init__(self) -> None:
        super().__init__()
        self.ends = [5, 6, 7]
        self.leaders: list[int | None] = [1, 2, 1]
        self.meanwhile: Callable[[], object] = int

    def states(self, broker: int, wheres: Sequence[TopicPartition]) -> tuple[ReplicaState, ...]:
        ends = [self.ends[where.partition] for where in wheres]
        self.meanwhile()
        return tuple(ReplicaState(broker, end, end) for end in ends)

    def partitions(self, wheres: Sequence[TopicPartition]) -> dict[TopicPartition, PartitionState]:
        leaders = [(where, self.leaders[where.partition]) for where in wheres]
        return {
            where: PartitionState(leader=leader, leader_epoch=4, isr=(1, 2), replicas=(1, 2))
            for where, leader in leaders
            if leader is not None
        }


def watching(brokers: Brokers, record: RunRecord) -> Sampler:
    sampler = Sampler(cast("Any", brokers), record)
    for where in WHERES:
        sampler.watch(where, (1,))
    return sampler


def told(run: Path) -> list[tuple[object, ...]]:
    """Partition, log end offset and leader of each row."""
    rows = open_run(run).table("replica_states").sort_by("at_ns").to_pylist()
    return [(row["partition"], row["log_end_offset"], row["leader"]) for row in rows]


def test_metadata_of_one_partition_that_change_during_a_probe_are_not_told_of_it_alone(
    tmp_path: Path,
) -> None:
    brokers = Changing()
    with RunRecord(tmp_path, {}) as record:
        sampler = watching(brokers, record)

        def moves() -> None:
            brokers.leaders = [1, 3, None]
            sampler._read_metadata(tuple(WHERES))

        brokers.meanwhile = moves
        sampler.look_at(WHERES)
        brokers.meanwhile = int
        sampler.look_at(WHERES)

    assert told(tmp_path)[:3] == [(0, 5, 1), (1, 6, None), (2, 7, None)]
    assert told(tmp_path)[3:] == [(0, 5, 1), (1, 6, 3), (2, 7, None)]


def test_metadata_that_are_read_again_during_a_probe_and_say_the_same_are_told(
    tmp_path: Path,
) -> None:
    brokers = Changing()
    with RunRecord(tmp_path, {}) as record:
        sampler = watching(brokers, record)
        brokers.meanwhile = lambda: sampler._read_metadata(tuple(WHERES))
        sampler.look_at(WHERES)

    assert told(tmp_path) == [(0, 5, 1), (1, 6, 2), (2, 7, 1)]


def test_of_partitions_one_of_which_is_forgotten_during_a_probe_the_others_have_their_rows(
    tmp_path: Path,
) -> None:
    brokers = Changing()
    with RunRecord(tmp_path, {}) as record:
        sampler = watching(brokers, record)
        sampler.look_at(WHERES)
        brokers.ends = [15, 16, 17]
        brokers.meanwhile = lambda: sampler.forget([WHERES[1]])
        looks = sampler.look_at(WHERES)

    assert told(tmp_path)[3:] == [(0, 15, 1), (2, 17, 1)]
    assert [look.ends() for look in looks.values()] == [{1: 15}, {1: 16}, {1: 17}]


def test_all_that_is_forgotten_during_a_probe_leaves_no_rows_and_what_is_watched_anew_does(
    tmp_path: Path,
) -> None:
    brokers, again = Changing(), TopicPartition("orders", 0, 2)
    with RunRecord(tmp_path, {}) as record:
        sampler = watching(brokers, record)

        def created_again() -> None:
            sampler.forget(WHERES)
            sampler.watch(again, (1,))

        brokers.meanwhile = created_again
        sampler.look_at(WHERES)
        brokers.meanwhile = int
        sampler.look(again)

    (row,) = open_run(tmp_path).table("replica_states").to_pylist()
    assert (row["topic"], row["log_end_offset"]) == ("orders#2", 5)


def test_a_look_sees_what_is_new_of_offsets_and_of_leaders(tmp_path: Path) -> None:
    brokers = Changing()
    with RunRecord(tmp_path, {}) as record:
        sampler = watching(brokers, record)
        first = sampler.look_at(WHERES)
        assert sampler.look_at(list(WHERES)) is first
        brokers.ends = [5, 6, 8]
        grown = sampler.look_at(WHERES)
        brokers.leaders = [2, 2, 1]
        moved = sampler.look_at(WHERES)
        few = sampler.look_at(WHERES[2:])

    assert [look.ends() for look in grown.values()] == [{1: 5}, {1: 6}, {1: 8}]
    leaders = [look.partition.leader for look in moved.values() if look.partition]
    assert leaders == [2, 2, 1]
    assert list(few) == WHERES[2:]
    assert first[WHERES[2]].ends() == {1: 7}
    assert told(tmp_path)[-4:] == [(0, 5, 2), (1, 6, 2), (2, 8, 1), (2, 8, 1)]


def test_who_has_replicas_now_is_asked_though_partitions_are_the_same(tmp_path: Path) -> None:
    brokers = Changing()
    with RunRecord(tmp_path, {}) as record:
        sampler = watching(brokers, record)
        sampler.look_at(WHERES)
        sampler.watch(WHERES[0], (2, 1))

        looks = sampler.look_at(WHERES)

    assert [list(look.ends()) for look in looks.values()] == [[2, 1], [1], [1]]


def test_who_is_silent_now_is_not_said_to_have_what_it_had(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    brokers = Changing()
    with RunRecord(tmp_path, {}) as record:
        sampler = watching(brokers, record)
        sampler.look_at(WHERES)
        asks = sampler._asked.ask

        def of_the_metadata_only(questions: Any, patience_s: float) -> Any:
            return asks(questions if METADATA in questions else {}, patience_s)

        monkeypatch.setattr(sampler._asked, "ask", of_the_metadata_only)

        looks = sampler.look_at(WHERES)

    assert [look.ends() for look in looks.values()] == [{1: None}] * 3
    assert [look.partition is not None for look in looks.values()] == [True] * 3
