"""Moves of operators: replicas, topics, disks and clocks; when they fit, and what is looked at."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from highwater.exploration.ground import Ground
from highwater.exploration.hardware import LONGEST_S, Engross, Jump, Wipe
from highwater.exploration.moves import Prefer
from highwater.exploration.plot import Plot
from highwater.exploration.proposals import MOVE_SETS, PROPOSALS
from highwater.exploration.steps import Move, Step
from highwater.exploration.topics import Assign, Drop, Recreate
from highwater.exploration.topologies import CLOCKS, PATIENT, setting_of, terrain_of, topology_of
from highwater.exploration.views import View
from highwater.exploration.walk import following, walk
from highwater.faults.freeze_threads import COORDINATING
from highwater.harness.errors import UsageError
from highwater.harness.model import PartitionState, TopicPartition
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.processes.held_threads import has_threads
from highwater.harness.sampling import Look
from highwater.harness.wait import wait_until

WHERE = TopicPartition("round-7")
MOVES = [Drop(3), Assign(3), Recreate(), Wipe(3), Jump(2, -30)]


def a_view(replicas: tuple[int, ...] = (1, 2, 3), isr: tuple[int, ...] = (1, 2)) -> View:
    return View(
        partition=PartitionState(1, 0, isr, replicas),
        ends=dict.fromkeys(isr, 0),
        marks=dict.fromkeys(isr, 0),
        logs=dict.fromkeys((1, 2, 3), ()),
    )


def a_ground(**more: Any) -> Ground:
    """With nothing open, and a directory of whoever is asked for one."""
    plot = SimpleNamespace(is_answered=True, directory=lambda _broker: Path(__file__))
    there: dict[str, Any] = {
        "positions": None, "neighbour": None, "transactors": {}, "links": {}, "pouring": [],
        "injected": {}, "down": {}, "frozen": [], "plot": plot, "kafka": None, **more,
    }  # fmt: skip
    return cast("Ground", SimpleNamespace(**there))


@pytest.mark.parametrize(
    ("replicas", "fitting"), [((1, 2, 3), True), ((1, 3), False), ((1, 2), False)]
)
def test_two_replicas_are_left(replicas: tuple[int, ...], fitting: bool) -> None:
    assert Drop(3).fits(a_ground(), a_view(replicas)) is fitting


def test_a_replica_may_be_taken_from_who_is_down_and_given_to_who_is_not() -> None:
    away = a_ground(down={3: object()})

    assert Drop(3).fits(away, a_view())
    assert not Assign(3).fits(away, a_view((1, 2)))
    assert Assign(3).fits(a_ground(), a_view((1, 2)))
    assert not Assign(3).fits(a_ground(), a_view())
    assert not Assign(3).fits(a_ground(frozen=[3]), a_view((1, 2)))


def test_who_has_no_replica_is_preferred_by_nobody() -> None:
    ground = a_ground()

    assert [Prefer(each).fits(ground, a_view((1, 2))) for each in (1, 2, 3)] == [
        False, True, False
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("more", "fits"),
    [
        ({}, True),
        ({"down": {3: object()}}, True),  # it has no replica any more
        ({"down": {2: object()}}, False),
        ({"links": {("cut", 2): object()}}, False),
        ({"pouring": [object()]}, False),
        ({"neighbour": object()}, False),
        ({"positions": object()}, False),
        ({"transactors": {1: object()}}, False),
        ({"plot": SimpleNamespace(is_answered=False)}, False),
    ],
)
def test_a_topic_is_created_anew_where_nothing_is_in_the_way_of_its_deletion(
    more: dict[str, Any], fits: bool
) -> None:
    assert Recreate().fits(a_ground(**more), a_view((1, 2))) is fits


def test_a_topic_that_is_not_replicated_is_not_deleted_yet() -> None:
    view = a_view((1, 2))
    behind = View(partition=view.partition, ends={1: 3, 2: 2}, marks={1: 2, 2: 2}, logs=view.logs)

    assert not Recreate().fits(a_ground(), behind)


def test_nobody_counts_on_the_disk_of_who_is_down_and_out_of_sync() -> None:
    down = {3: object()}
    nothing = SimpleNamespace(directory=lambda _broker: Path("/nowhere"))

    assert Wipe(3).fits(a_ground(down=down), a_view())
    assert not Wipe(3).fits(a_ground(down=down), a_view(isr=(1, 2, 3)))
    assert not Wipe(3).fits(a_ground(), a_view())
    assert not Wipe(3).fits(a_ground(down=down, plot=nothing), a_view())


def test_a_schedule_of_a_topic_created_anew_shows_nothing_where_it_is_not() -> None:
    ground = SimpleNamespace(view=a_view, calm=a_view, soon=lambda *_: None)
    stuck = a_ground(links={("cut", 2): object()}, **vars(ground))

    done = walk(stuck, following([Step(Recreate())]))

    assert done.lacking == ["recreate(): it could not be done as things stood"]
    assert (done.taken, done.failures) == ([], [])


def test_nobody_is_killed_for_silence_about_a_topic_that_is_half_deleted() -> None:
    ends = {1: None, 2: None}
    asked = SimpleNamespace(view=lambda: SimpleNamespace(ends=ends), _has_topic=True)

    assert Ground._silent(cast("Ground", asked)) == [1, 2]
    asked._has_topic = False
    assert Ground._silent(cast("Ground", asked)) == []


@pytest.fixture
def coordinating() -> Iterator[Any]:
    """A cluster of which each broker is a process with a thread that coordinates groups."""
    named = f"open('/proc/self/comm', 'w').write({COORDINATING!r}); input()"
    with subprocess.Popen([sys.executable, "-c", named], stdin=subprocess.PIPE) as running:
        wait_until(lambda: has_threads(running.pid, COORDINATING), "the thread", 30)
        node = SimpleNamespace(pid=running.pid)
        yield SimpleNamespace(cluster=SimpleNamespace(nodes=dict.fromkeys((1, 2, 3), node)))


def test_what_coordinates_is_engrossed_once_until_it_is_released(coordinating: Any) -> None:
    assert Engross(2).fits(a_ground(play=coordinating), a_view())
    for more in ({"links": {("engross", 2): object()}}, {"down": {2: object()}}, {"frozen": [2]}):
        assert not Engross(2).fits(a_ground(play=coordinating, **more), a_view())


def test_where_no_thread_coordinates_groups_nobody_is_engrossed(coordinating: Any) -> None:
    ours = SimpleNamespace(pid=os.getpid())
    coordinating.cluster.nodes[2] = ours

    assert not Engross(2).fits(a_ground(play=coordinating), a_view())
    assert Engross(1).fits(a_ground(play=coordinating), a_view())


def test_a_clock_jumps_once_until_it_is_released() -> None:
    assert Jump(2, 30).fits(a_ground(), a_view())
    assert not Jump(2, 30).fits(a_ground(links={("jump", 2): object()}), a_view())
    assert not Jump(2, 30).fits(a_ground(down={2: object()}), a_view())


@pytest.mark.parametrize("shift_s", [0, LONGEST_S + 1, -LONGEST_S - 1])
def test_no_clock_jumps_so_far_that_records_are_too_old(shift_s: int) -> None:
    with pytest.raises(UsageError, match="seconds, or as many back"):
        Step.from_json({"move": "jump", "broker": 1, "shift_s": shift_s})


@pytest.mark.parametrize("move", MOVES)
def test_a_move_is_read_as_it_was_written(move: Move) -> None:
    assert Step.from_json(Step(move).to_json()) == Step(move)


def test_who_has_a_replica_by_now_is_looked_at() -> None:
    watched: dict[TopicPartition, tuple[int, ...]] = {}
    scene = SimpleNamespace(sampler=SimpleNamespace(watch=watched.__setitem__))
    looks = [
        Look(PartitionState(1, 0, (1, 2), replicas), {}) for replicas in ((2, 1, 3), (1, 2), (1, 2))
    ]
    partition = SimpleNamespace(where=WHERE, replicas=(1, 2, 3), look=lambda: looks.pop(0))
    play = SimpleNamespace(cluster=SimpleNamespace(brokers=(1, 2, 3)), scene=scene)
    plot = Plot(cast("Play", play), cast("Partition", partition))

    plot.look()
    assert watched == {}  # another order is none
    plot.look()
    assert (watched, partition.replicas) == ({WHERE: (1, 2)}, (1, 2))


def test_what_was_sent_to_the_topic_before_is_promised_no_more() -> None:
    play = SimpleNamespace(cluster=SimpleNamespace(brokers=(1, 2, 3)))
    request = SimpleNamespace(acked=(7,), offset=0, is_over=True, acks="all")
    first = SimpleNamespace(request=lambda _count, _acks: request)
    plot = Plot(cast("Play", play), cast("Partition", first))
    plot.send(1, cast("Any", "all"))
    assert plot.promised.values == {7}

    plot.begin_anew(cast("Partition", SimpleNamespace()))

    assert (plot.promised.values, plot.promised.end_offset) == (frozenset(), 0)


def test_sets_of_moves_have_clusters_that_they_can_be_played_on() -> None:
    for name, topology in (("topics", "plain"), ("disks", PATIENT), ("clocks", CLOCKS)):
        assert {*MOVE_SETS[name]} <= {*PROPOSALS}
        assert topology_of(name, None) == topology
        assert terrain_of(name).setting == setting_of(topology)
    with pytest.raises(UsageError, match="clocks moves need the topology clocks, saw plain"):
        topology_of("clocks", "plain")
    assert (setting_of(CLOCKS) or {})["fake_clock"] is True
