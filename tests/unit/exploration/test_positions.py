"""Positions that groups commit: what stands in the log of these, and when one has gone back."""

from __future__ import annotations

import struct
from types import SimpleNamespace
from typing import cast

import pytest

from highwater.exploration.committers import Committer
from highwater.exploration.committing import Commit, is_of_groups
from highwater.exploration.findings import Finding, finding_of
from highwater.exploration.moves import Lead, Send
from highwater.exploration.positions import Positions
from highwater.exploration.proposals import MOVE_SETS
from highwater.exploration.steps import Step
from highwater.exploration.terrain import Terrain
from highwater.exploration.topologies import terrain_of
from highwater.exploration.views import MOST, Positioned, Promised, View, danger_of
from highwater.harness.errors import UsageError
from highwater.harness.model import PartitionState, TopicPartition
from highwater.harness.play import Play

WHERE = TopicPartition("round-7")


def positions() -> Positions:
    play = SimpleNamespace(cluster=SimpleNamespace())
    return Positions(cast("Play", play), WHERE)


def key_of(group: str, version: int = 1) -> bytes:
    """As a broker writes it: version, group, topic, partition."""
    texts = (text.encode() for text in (group, WHERE.topic))
    told = b"".join(struct.pack(">h", len(each)) + each for each in texts)
    return struct.pack(">h", version) + told + struct.pack(">i", 0)


def value_of(position: int, version: int = 3) -> bytes:
    """Version, position, and what else there is of it."""
    return struct.pack(">hq", version, position) + b"\0" * 16


@pytest.mark.parametrize(
    ("key", "value", "called"),
    [
        (key_of("round-7-1"), value_of(5), MOST + 5),
        (key_of("round-7-2", version=0), value_of(0, version=0), 2 * MOST),
        (key_of("round-6-1"), value_of(5), None),  # of the schedule before
        (key_of("round-7"), value_of(5), None),
        (key_of("round-7-x"), value_of(5), None),
        (key_of("round-7-1"), None, None),  # it was taken back
        (key_of("round-7-1", version=2), value_of(5), None),  # of the group itself
    ],
)
def test_a_record_is_called_by_its_group_and_position(
    key: bytes | None, value: bytes | None, called: int | None
) -> None:
    assert positions().value_of(key, value) == called


def test_what_was_confirmed_is_promised_up_to_where_it_stands_in_any_log() -> None:
    groups = positions()
    groups.of(1).confirmed |= {1, 2}
    groups.of(2).confirmed.add(1)
    logs = {1: ((7, MOST + 1, 0), (8, MOST + 2, 0)), 2: ((7, MOST + 1, 0), (9, None, 0))}

    assert groups.promised(logs) == Promised(
        values=frozenset({MOST + 1, MOST + 2, 2 * MOST + 1}), end_offset=9
    )


@pytest.mark.parametrize(
    ("told", "back"),
    [
        (2, ()),
        (3, ()),  # which nobody has confirmed, and was asked for
        (None, ()),  # nobody coordinates: that is another matter
        (1, ("group-1 is told 1, and 2 was confirmed",)),
        (-1, ("group-1 is told -1, and 2 was confirmed",)),
    ],
)
def test_a_group_that_is_told_less_than_was_confirmed_went_back(
    told: int | None, back: tuple[str, ...]
) -> None:
    groups = positions()
    groups.of(1).confirmed |= {1, 2}
    groups.of(1).told = told
    groups.of(2).told = -1  # of which nothing was confirmed

    assert groups.seen({}) == Positioned(back=back)


LOG = ((0, MOST + 1, 0),)


def a_view(*, has_it: bool, back: tuple[str, ...] = (), damaged: tuple[str, ...] = ()) -> View:
    log = LOG if has_it else ()
    return View(
        partition=PartitionState(1, 0, (1, 2, 3), (1, 2, 3)),
        ends=dict.fromkeys((1, 2, 3), len(log)),
        marks=dict.fromkeys((1, 2, 3), len(log)),
        logs=dict.fromkeys((1, 2, 3), log),
        promised=Promised(values=frozenset({MOST + 1}), end_offset=1),
        positioned=Positioned(back=back, damaged=damaged),
    )


def test_a_position_that_is_gone_or_lower_is_a_finding() -> None:
    assert finding_of(a_view(has_it=True)) == Finding()
    gone = finding_of(a_view(has_it=False, back=("group-1 is told -1, and 1 was confirmed",)))
    assert gone.claims == ("commit-regression",)
    forgotten = finding_of(a_view(has_it=True, back=("group-1 is told -1, and 1 was confirmed",)))
    assert forgotten == Finding(("commit-regression",), "group-1 is told -1, and 1 was confirmed")


def committed(leader: tuple[int, ...], follower: tuple[int, ...], *confirmed: int) -> View:
    """What the logs of a leader and of two followers have, of groups by their number."""
    logs = {
        broker: tuple((place, value, 0) for place, value in enumerate(values))
        for broker, values in {1: leader, 2: follower, 3: leader}.items()
    }
    ends = {broker: len(log) for broker, log in logs.items()}
    return View(
        partition=PartitionState(1, 0, (1, 2, 3), (1, 2, 3)),
        ends=ends,
        marks=dict.fromkeys(ends, 0),
        logs=logs,
        promised=Promised(values=frozenset(confirmed)),
        positioned=Positioned(),
    )


ONE, TWO, THREE, OTHERS = MOST + 1, MOST + 2, MOST + 3, 2 * MOST + 9


@pytest.mark.parametrize(
    ("log", "confirmed", "lost"),
    [
        ((TWO,), (ONE, TWO), 0),  # a later one has overtaken it
        ((TWO,), (ONE,), 0),  # also where nobody has confirmed that
        ((ONE,), (ONE, TWO), 1),
        ((ONE,), (ONE, TWO, THREE), 2),
        ((OTHERS,), (ONE,), 1),  # a later one of another group is none
        ((), (ONE,), 1),
        ((TWO, ONE), (ONE, TWO, THREE), 1),
    ],
)
def test_a_position_that_a_later_one_has_overtaken_is_missed_by_nobody(
    log: tuple[int, ...], confirmed: tuple[int, ...], lost: int
) -> None:
    """As the claim has it: a group goes back that is told less than was confirmed."""
    view = committed(log, log, *confirmed)

    found = finding_of(view)

    assert found.claims == (("commit-regression",) if lost else ())
    assert found.told.startswith(f"{lost} acknowledged" if lost else "")
    assert view.is_beyond_hope is bool(lost)
    assert view.lacks(1) is bool(lost)


def test_who_lacks_what_was_overtaken_leads_into_no_loss() -> None:
    assert danger_of(committed((ONE, TWO), (TWO,), ONE, TWO)).level == 0
    assert danger_of(committed((ONE, TWO), (ONE,), ONE, TWO)).heir == 2


def test_a_schedule_says_by_its_steps_that_it_is_one_of_groups() -> None:
    assert is_of_groups([Step(Lead(2)), Step(Commit(1))])
    assert not is_of_groups([Step(Lead(2)), Step(Send(1, "all"))])
    assert terrain_of("groups") == Terrain(of_groups=True)
    assert not {"send all", "send one"} & {*MOVE_SETS["groups"]}
    with pytest.raises(UsageError, match="a group from 1 on"):
        Step.from_json({"move": "commit", "group": 0})


def test_a_group_that_is_confirmed_nothing_is_not_busy() -> None:
    committer = Committer(cast("Play", SimpleNamespace(cluster=SimpleNamespace())), WHERE, 3)

    assert (committer.group, committer.is_busy, committer.asked) == ("round-7-3", False, 0)


def test_what_was_told_before_is_not_what_nobody_tells_now() -> None:
    nodes = SimpleNamespace(running=lambda _broker: True)
    nobody = SimpleNamespace(brokers=(1,), nodes=nodes, address=lambda _broker: "127.0.0.1:1")
    notes: list[str] = []
    play = SimpleNamespace(cluster=nobody, note=notes.append)
    committer = Committer(cast("Play", play), WHERE, 1)
    committer.told = 1

    committer.learn()

    assert committer.told is None
    assert "refused" in notes[0]


def test_a_coordinator_that_is_alone_is_asked_again_where_another_one_would_be() -> None:
    only = PartitionState(leader=1, leader_epoch=0, isr=(1,), replicas=(1,))
    metadata = SimpleNamespace(partition=lambda _where: only)
    nodes = SimpleNamespace(running=lambda _broker: True)
    cluster = SimpleNamespace(
        brokers=(1,), metadata=metadata, nodes=nodes, address=lambda _broker: "127.0.0.1:1"
    )
    steps: list[str] = []
    notes: list[str] = []
    play = SimpleNamespace(cluster=cluster, step=steps.append, note=notes.append)
    groups = Positions(cast("Play", play), WHERE)
    groups.of(1)

    groups.succeed_elsewhere(1.0)

    assert steps == [
        "the only broker goes on coordinating, and whoever takes a group over begins there"
    ]
    assert "refused" in notes[0]
