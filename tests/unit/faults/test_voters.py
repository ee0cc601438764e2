"""A link between voters, or to one, is only cut where there is a gate to cut it at."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from tests.fake_cluster import FakeCluster

from highwater.faults.aimed import Aimed
from highwater.faults.block_link import BlockLink
from highwater.faults.hold_answers import HoldAnswers
from highwater.faults.isolate import Isolate
from highwater.faults.partition_brokers import PartitionBrokers
from highwater.faults.partition_quorum import PartitionQuorum
from highwater.faults.voters import QuorumLeader
from highwater.harness.cluster import Fault
from highwater.harness.errors import PreconditionError


def links(cluster: FakeCluster, fault: Fault[Any]) -> set[tuple[int | None, int | None]]:
    """Who asks whom where nothing gets through."""
    with fault.inject(cast("Any", cluster)):
        return {(each.match.sender, each.match.leader) for each in cluster.gate.rules.values()}


def test_a_voter_is_cut_off_from_the_other_voters_and_from_no_broker(tmp_path: Path) -> None:
    cut = links(FakeCluster(tmp_path), Aimed(QuorumLeader(), PartitionQuorum))

    assert cut == {(100, 101), (100, 102), (101, 100), (102, 100)}


def test_a_voter_that_is_isolated_hears_nobody(tmp_path: Path) -> None:
    cut = links(FakeCluster(tmp_path), Isolate(101))

    others = (1, 2, 3, 4, 100, 102)
    assert cut == {(each, 101) for each in others} | {(101, each) for each in others}


def test_a_broker_is_isolated_from_all_voters_where_these_links_are_gated(tmp_path: Path) -> None:
    gated, bare = FakeCluster(tmp_path / "gated"), FakeCluster(tmp_path / "bare")
    bare.spec = replace(bare.spec, gated_metadata=False)

    assert {asked for asker, asked in links(gated, Isolate(1)) if asker == 1} == {
        2, 3, 4, 100, 101, 102,
    }  # fmt: skip
    assert {asked for asker, asked in links(bare, Isolate(1)) if asker == 1} == {2, 3, 4}


@pytest.mark.parametrize(
    ("fault", "spared"),
    [
        (BlockLink(2), (100, 101, 102)),
        (HoldAnswers(None, 2), (100, 101, 102)),
        (BlockLink(2, 1), ()),
        (HoldAnswers(1, 2), ()),
    ],
    ids=repr,
)
def test_what_a_follower_asks_of_its_leaders_is_nothing_that_a_broker_asks_of_voters(
    tmp_path: Path, fault: Fault[Any], spared: tuple[int, ...]
) -> None:
    def of(cluster: FakeCluster) -> tuple[int, ...]:
        with fault.inject(cast("Any", cluster)):
            (rule,) = cluster.gate.rules.values()
            return rule.match.spared

    gated, bare = FakeCluster(tmp_path / "gated"), FakeCluster(tmp_path / "bare")
    bare.spec = replace(bare.spec, gated_metadata=False)

    assert (of(gated), of(bare)) == (spared, ())


@pytest.mark.parametrize(
    "fault", [PartitionQuorum(100), Isolate(100), PartitionBrokers((1, 2), (3, 100))], ids=repr
)
def test_links_to_a_voter_that_have_no_gate_are_refused(tmp_path: Path, fault: Fault[Any]) -> None:
    cluster = FakeCluster(tmp_path)
    cluster.spec = replace(cluster.spec, gated_metadata=False)

    with pytest.raises(PreconditionError, match="say gated_metadata=True"):
        links(cluster, fault)


def test_zookeeper_servers_are_not_cut_off_from_one_another(tmp_path: Path) -> None:
    cluster = FakeCluster(tmp_path)
    cluster.kafka.kraft = False

    with pytest.raises(PreconditionError, match="past the gate"):
        links(cluster, PartitionQuorum(100))


def test_a_single_voter_has_nobody_to_be_cut_off_from(tmp_path: Path) -> None:
    cluster = FakeCluster(tmp_path)
    cluster.voters = (100,)

    with pytest.raises(PreconditionError, match="say voters=3"):
        links(cluster, PartitionQuorum(100))
