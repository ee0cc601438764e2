"""Schedules on two partitions of the same brokers."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from types import SimpleNamespace
from typing import cast

import pytest

from highwater.exploration.drafts import draft
from highwater.exploration.findings import finding_of
from highwater.exploration.ground import Ground
from highwater.exploration.moves import Lead, Send
from highwater.exploration.neighbours import LeadBeside, SendBeside
from highwater.exploration.steps import Move, Schedule, Step, Taken
from highwater.exploration.terrain import Terrain
from highwater.exploration.topologies import terrain_of
from highwater.exploration.views import Log, Promised, View, danger_of, state_of
from highwater.harness.model import PartitionState
from highwater.harness.partition import Partition
from highwater.harness.play import Play

TWO: Log = ((0, 7, 0), (1, 8, 0))
ONE: Log = ((0, 7, 0),)
ALL = frozenset({7, 8})


def view(leader: int = 1, logs: tuple[Log, Log, Log] = (TWO, TWO, TWO)) -> View:
    """All in sync, with both records acknowledged."""
    ends = {broker: len(log) for broker, log in enumerate(logs, 1)}
    return View(
        partition=PartitionState(leader, 0, (1, 2, 3), (1, 2, 3)),
        ends=ends,
        marks=ends,
        logs=dict(enumerate(logs, 1)),
        promised=Promised(values=ALL, end_offset=2),
    )


def both(beside: View) -> View:
    return replace(view(), beside=beside)


@pytest.mark.parametrize(
    ("beside", "said"),
    [
        (view(1), "beside: the same leads, danger 0"),
        (view(2), "beside: another leads, danger 0"),
        (view(2, (ONE, TWO, TWO)), "beside: another leads, danger 3"),
        (View(partition=None, ends={}, marks={}, logs={}), "beside: nobody leads, danger 0"),
    ],
)
def test_a_state_says_in_a_word_how_the_neighbour_is(beside: View, said: str) -> None:
    assert state_of(both(beside)) == (*state_of(view()), said)


def test_the_nearer_of_two_dangers_counts_and_who_would_lead_into_it_there() -> None:
    near = view(2, (TWO, TWO, ONE))

    told = danger_of(both(near))

    assert (told.level, told.heir, told.heir_beside) == (3, None, 3)
    assert danger_of(replace(near, beside=view())).heir == 3
    assert danger_of(both(view())).level == 0


def test_what_is_lost_beside_is_found_and_told_as_such() -> None:
    lost = view(2, (ONE, ONE, ONE))

    found = finding_of(both(lost))

    assert found.claims == ("lost-write",)
    assert found.told == "beside: 1 acknowledged records are gone, the first of them 8"
    assert both(lost).is_beyond_hope
    assert not finding_of(both(view())).found


def test_logs_that_fork_are_found_whatever_the_neighbour_is_about() -> None:
    fork: Log = ((0, 7, 0), (1, 9, 0))
    behind = replace(view(), marks={1: 2, 2: 2, 3: 1})

    found = finding_of(replace(view(logs=(TWO, fork, TWO)), beside=behind))

    assert (found.claims, found.is_settled) == (("replica-divergence",), False)


def test_nothing_is_settled_as_long_as_the_neighbour_is_not() -> None:
    behind = replace(view(), marks={1: 2, 2: 2, 3: 1})

    assert both(view()).is_settled
    assert not both(behind).is_settled
    assert not both(view()).is_as(both(behind))
    assert both(behind).is_as(both(behind))


@pytest.mark.parametrize("move", [SendBeside(1, "all"), LeadBeside(3)])
def test_a_move_of_a_neighbour_is_none_where_there_is_none(move: Move) -> None:
    ground = cast("Ground", SimpleNamespace(down={}, frozen=[], links={}))

    assert not move.fits(ground, view())
    assert move.fits(ground, both(view(2)))


def test_who_leads_beside_is_not_made_the_leader_there() -> None:
    ground = cast("Ground", SimpleNamespace(down={}, links={}))

    assert not LeadBeside(2).fits(ground, both(view(2)))
    assert LeadBeside(1).fits(ground, both(view(2)))


def schedule(*steps: Taken) -> Schedule:
    return Schedule(kafka="4.1.1", steps=steps)


def test_a_replay_has_a_neighbour_where_steps_or_states_are_about_one() -> None:
    alone = Taken(Step(Send(1, "all")))

    assert terrain_of("neighbours") == Terrain(has_neighbour=True)
    assert Terrain.of(schedule(alone)) == Terrain()
    assert Terrain.of(schedule(alone, Taken(Step(LeadBeside(2))))).has_neighbour
    spoken = Taken(Step(Lead(2)), after=state_of(both(view())))
    assert Terrain.of(schedule(spoken)).has_neighbour


def test_a_draft_has_the_neighbour_as_a_topic_of_its_own() -> None:
    steps = [Taken(Step(SendBeside(3, "1"))), Taken(Step(LeadBeside(2)))]

    said = draft("found", schedule(*steps))

    compile(said, "found.py", "exec")
    assert [line.strip() for line in said.splitlines() if "beside" in line] == [
        'beside = play.topic("beside", settings={"min.insync.replicas": "2"})[0]',
        "beside.request(3, Acks.ONE)",
        "beside.move_leader(two)",
        "beside.await_leader(two)",
    ]


def test_a_draft_waits_for_what_was_seen_beside_as_well() -> None:
    seen = view().described()
    nobody = both(View(partition=None, ends={1: None}, marks={1: None}, logs={})).described()
    beside = replace(view(), ends={1: 3, 2: 3, 3: 2}).described()
    both_seen = {**seen, "beside": beside}
    steps = [
        Taken(Step(SendBeside(3, "1")), seen=both_seen),
        Taken(Step(LeadBeside(2), waits=False), seen=both_seen),
        Taken(Step(Send(1, "all")), seen=nobody),
    ]

    said = draft("found", schedule(*steps))

    compile(said, "found.py", "exec")
    assert said.count("beside.await_offsets(") == 2
    assert said.count("partition.await_offsets(") == 2
    assert "ends={one: 3, two: 3, three: 2}" in said
    assert "beside = play.topic(" in draft("found", schedule(Taken(Step(Lead(2)), seen=both_seen)))


def test_the_neighbour_has_as_many_replicas_as_the_setting_says() -> None:
    alone = Schedule(
        kafka="4.1.1",
        steps=[Taken(Step(SendBeside(3, "1")))],
        setting={"replicas": 1, "topic_settings": {}},
    )
    asked: list[int | None] = []

    class Asked:
        cluster = SimpleNamespace(kafka=None, brokers=(1,))

        def topic(self, _name: str, *, replicas: int | None = 3, **_: object) -> list[object]:
            asked.append(replicas)
            return [None]

    Terrain.of(alone).ground(cast("Play", Asked()), cast("Partition", None))

    assert asked == [1]
    assert 'beside = play.topic("beside", replicas=1, settings={})[0]' in draft("found", alone)


def test_who_reads_schedules_and_nothing_else_knows_the_moves_of_all_searches() -> None:
    told = (
        "from highwater.exploration import files; from highwater.exploration.steps import MOVES; "
        "print(*MOVES)"
    )

    known = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True)

    assert {"send_beside", "lead_beside", "hold_isr", "kill_voter"} <= {*known.stdout.split()}
