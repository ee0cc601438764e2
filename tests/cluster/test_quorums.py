"""Three voters: the one that leads is killed, frozen and cut off, and another one takes over."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.grounds import play_on

from highwater.faults.aimed import Aimed
from highwater.faults.expire_session import ExpireSession
from highwater.faults.isolate import Isolate
from highwater.faults.kill_metadata import KillMetadata
from highwater.faults.partition_quorum import PartitionQuorum
from highwater.faults.pause_metadata import PauseMetadata
from highwater.faults.targets import Controller
from highwater.harness.cluster import ClusterSpec, Fault
from highwater.harness.jvm.runtime import Runtime
from highwater.harness.kafka_cluster import KafkaCluster
from highwater.harness.metadata.quorum import NoLeaderError
from highwater.harness.play import Play
from highwater.harness.processes.site import ProcessSite

KRAFT, ZOOKEEPER = "4.1.1", "0.10.2.2"
BOTH = pytest.mark.parametrize("cluster", [KRAFT, ZOOKEEPER], indirect=True, scope="module")
WIDER = pytest.mark.on_demand(together="tests/cluster/test_quorums.py")
ONLY_KRAFT = pytest.mark.parametrize("cluster", [KRAFT], indirect=True, scope="module")


@pytest.fixture(scope="module")
def cluster(
    request: pytest.FixtureRequest,
    prepared: Callable[[str], Runtime],
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[KafkaCluster]:
    site = ProcessSite(prepared(request.param), tmp_path_factory.mktemp("quorum") / "cluster")
    with KafkaCluster(site, ClusterSpec(voters=3, gated_metadata=True)) as started:
        yield started


@pytest.fixture
def play(cluster: KafkaCluster, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Play]:
    with play_on(cluster, request.node.name, tmp_path / "run", {}) as opened:
        yield opened
    opened.await_quorum_leader()


def require_decisions(play: Play) -> None:
    """Whoever keeps the metadata creates a topic, and elects a leader of the one there is."""
    play.topic("late")[0].send(1)
    partition = play.partitions[0]
    partition.move_leader(2)
    partition.await_leader(2)
    partition.require_acked(partition.send(1))


@BOTH
@pytest.mark.parametrize("fault", [KillMetadata(), PauseMetadata()])
def test_another_voter_takes_over_when_the_one_that_leads_is_gone(
    play: Play, fault: Fault[Any]
) -> None:
    led = play.await_quorum_leader()

    gone = play.inject(fault)
    heir = play.await_quorum_leader(other_than=led)
    require_decisions(play)
    play.heal(gone)

    assert gone.proof["node"] == led
    assert heir in set(play.cluster.nodes.voters) - {led}
    assert all(play.cluster.nodes.running(each) for each in play.cluster.nodes.voters)


@BOTH
def test_without_a_majority_nobody_leads_until_one_is_back(play: Play) -> None:
    first = play.inject(KillMetadata())
    play.await_quorum_leader(other_than=first.proof["node"])
    second = play.inject(KillMetadata())

    with pytest.raises(NoLeaderError, match="none of the voters"):
        play.inject(KillMetadata())
    play.heal(second)

    assert play.await_quorum_leader() != first.proof["node"]


@BOTH
@WIDER
def test_a_broker_that_reaches_no_voter_is_taken_for_dead(play: Play) -> None:
    expired = play.inject(ExpireSession(3))

    assert expired.proof["unknown to"] == [1, 2]


@ONLY_KRAFT
@pytest.mark.parametrize("fault", [PartitionQuorum, pytest.param(Isolate, marks=WIDER)])
def test_a_leader_that_hears_no_other_voter_is_replaced(play: Play, fault: Any) -> None:
    led = play.await_quorum_leader()

    cut = play.inject(Aimed(Controller(), fault))
    heir = play.await_quorum_leader(other_than=led)
    require_decisions(play)
    play.heal(cut)

    assert cut.proof["fault"].startswith(f"{fault.__name__}(")
    assert heir != led
