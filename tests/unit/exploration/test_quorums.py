"""Which moves around the voters fit, and which may not meet."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import pytest

from highwater.exploration.ground import QUORUM, Ground
from highwater.exploration.moves import KillBroker, Lead, Prefer, Send, StartBroker
from highwater.exploration.quorums import Blind, Depose, HoldIsr, KillVoter
from highwater.exploration.steps import Step
from highwater.exploration.topologies import topology_of
from highwater.exploration.views import View
from highwater.faults.kill_metadata import KillMetadata
from highwater.faults.partition_quorum import PartitionQuorum
from highwater.harness.errors import UsageError
from highwater.harness.model import PartitionState
from highwater.harness.versions.catalogue import find_kafka

THREE, ONE = (100, 101, 102), (100,)
MOVES = (Depose(), KillVoter(), Blind(2), HoldIsr(1), HoldIsr(2), KillBroker(2), StartBroker(3))
VIEW = View(
    partition=PartitionState(1, 0, (1, 2, 3), (1, 2, 3)),
    ends=dict.fromkeys((1, 2, 3), 0),
    marks=dict.fromkeys((1, 2, 3), 0),
    logs={},
)


class Stands(Ground):
    """As much of a ground as a move asks about."""

    def __init__(self, *, voters: tuple[int, ...] = THREE, kraft: bool = True) -> None:
        nodes = SimpleNamespace(voters=voters)
        self.play = cast("object", SimpleNamespace(cluster=SimpleNamespace(nodes=nodes)))  # type: ignore[assignment]
        self.kafka = SimpleNamespace(kraft=kraft)  # type: ignore[assignment]
        self.links, self.down = {}, {}


def fitting(ground: Ground) -> set[str]:
    return {str(each) for each in MOVES if each.fits(ground, VIEW)}


def test_where_all_is_well_the_voters_may_fall_apart_and_a_leader_wait_for_its_isr() -> None:
    assert fitting(Stands()) == {
        "depose()", "kill_voter()", "blind(broker=2)", "hold_isr(broker=1)", "kill(broker=2)",
    }  # fmt: skip
    assert fitting(Stands(kraft=False)) == {"kill_voter()", "blind(broker=2)", "kill(broker=2)"}


def test_one_voter_is_never_left_alone() -> None:
    assert not {"depose()", "kill_voter()"} & fitting(Stands(voters=ONE))


@pytest.mark.parametrize("name", ["depose", "kill_voter"])
def test_a_majority_hears_one_another_and_nobody_starts_without_one(name: str) -> None:
    ground = Stands()
    ground.links[name, QUORUM] = SimpleNamespace(proof={})
    ground.down[3] = SimpleNamespace(proof={})

    assert fitting(ground) == {"blind(broker=2)", "hold_isr(broker=1)"}
    ground.links.clear()
    assert "start(broker=3)" in fitting(ground)


def test_who_does_not_hear_what_is_decided_is_not_killed_and_nobody_starts_beside() -> None:
    ground = Stands()
    ground.links["blind", 2] = SimpleNamespace(proof={})
    assert fitting(ground) == {"depose()", "kill_voter()", "hold_isr(broker=1)"}

    ground.down[3] = SimpleNamespace(proof={})
    assert "start(broker=3)" not in fitting(ground)


@pytest.mark.parametrize(("kafka", "fits"), [("3.6.2", False), ("3.7.2", True), ("4.4.0", True)])
def test_nobody_is_made_to_lead_where_brokers_stay_with_a_voter_that_is_deposed(
    kafka: str, fits: bool
) -> None:
    ground = Stands()
    ground.kafka = find_kafka(kafka)
    assert Lead(2).fits(ground, VIEW)
    assert Prefer(2).fits(ground, VIEW)

    ground.links["depose", QUORUM] = SimpleNamespace(proof={})

    assert Lead(2).fits(ground, VIEW) is Prefer(2).fits(ground, VIEW) is fits


@pytest.mark.parametrize("move", MOVES)
def test_a_move_is_read_as_it_was_written(move: Lead | Send) -> None:
    assert Step.from_json(Step(move).to_json()) == Step(move)


def test_moves_have_the_topology_that_they_take() -> None:
    assert topology_of("gentle", None) == "plain"
    assert topology_of("quorum", None) == topology_of("gentle", "voters") == "voters"
    with pytest.raises(UsageError, match="quorum moves need the topology voters, saw plain"):
        topology_of("quorum", "plain")


class Voters:
    """Of a cluster, who tell when each was found to answer."""

    voters = THREE

    def __init__(self) -> None:
        self.told: list[str] = []

    def await_voter(self, voter: int) -> None:
        self.told.append(f"{voter} answers")

    def quorum_leader(self) -> int:
        self.told.append("who leads?")
        return 101


@pytest.mark.parametrize(
    ("move", "fault"), [(Depose(), PartitionQuorum(101)), (KillVoter(), KillMetadata())]
)
def test_who_was_dead_is_back_before_the_voters_are_at_odds_again(
    move: Depose | KillVoter, fault: object
) -> None:
    """Else nobody would be left who decides."""
    ground, nodes = Stands(), Voters()
    ground.play = cast("object", SimpleNamespace(cluster=SimpleNamespace(nodes=nodes)))  # type: ignore[assignment]
    ground.open = lambda *told: nodes.told.append(f"{told[-1]} of {told[1]}")  # type: ignore[method-assign,assignment]

    move.take(ground, VIEW, waits=False)

    answers = ["100 answers", "101 answers", "102 answers"]
    assert nodes.told == [*answers, "who leads?", f"{fault} of {QUORUM}"]
