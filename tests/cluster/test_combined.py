"""Brokers that are voters: what hits such a node hits both, and the gate stands between them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.grounds import play_on

from highwater.faults.aimed import Aimed
from highwater.faults.isolate import Isolate
from highwater.faults.kill_metadata import KillMetadata
from highwater.faults.partition_quorum import PartitionQuorum
from highwater.faults.pause import Pause
from highwater.faults.targets import Controller
from highwater.harness.cluster import ClusterSpec
from highwater.harness.errors import UsageError
from highwater.harness.jvm.runtime import Runtime
from highwater.harness.kafka_cluster import KafkaCluster
from highwater.harness.play import Play
from highwater.harness.processes.site import ProcessSite
from highwater.harness.restart import Restart

TOGETHER = pytest.mark.on_demand(together="tests/cluster/test_combined.py")
KAFKAS = ["4.1.1", pytest.param("3.9.1", marks=TOGETHER)]


@pytest.fixture(scope="module", params=KAFKAS)
def cluster(
    request: pytest.FixtureRequest,
    prepared: Callable[[str], Runtime],
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[KafkaCluster]:
    site = ProcessSite(prepared(request.param), tmp_path_factory.mktemp("combined") / "cluster")
    spec = ClusterSpec(brokers=4, voters=3, combined=True, gated_metadata=True)
    with KafkaCluster(site, spec) as started:
        yield started


@pytest.fixture
def play(cluster: KafkaCluster, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Play]:
    with play_on(cluster, request.node.name, tmp_path / "run", {}) as opened:
        yield opened
    opened.await_quorum_leader()


def test_the_voters_are_brokers_and_have_one_process_each(cluster: KafkaCluster) -> None:
    assert cluster.nodes.voters == (1, 2, 3)
    assert cluster.nodes.numbers == cluster.files.owners == cluster.brokers == (1, 2, 3, 4)
    assert "process.roles=broker,controller\n" in cluster.files.properties(1).read_text()
    assert "process.roles=broker\n" in cluster.files.properties(4).read_text()
    assert cluster.identity["combined"] is True


def test_who_kills_the_quorum_leader_kills_a_broker(play: Play) -> None:
    led = play.await_quorum_leader()

    dead = play.inject(KillMetadata())
    heir = play.await_quorum_leader(other_than=led)
    elected = play.partitions[0].await_deposed(led)
    sent = play.partitions[0].send(3)
    play.heal()

    assert dead.proof == {"node": led, "running": False}
    assert heir in {1, 2, 3} - {led}
    assert elected.leader != led
    assert sent.all_acked
    assert led in play.cluster.metadata.registered()


def test_the_broker_in_the_leading_voter_freezes_with_it(play: Play) -> None:
    led = play.await_quorum_leader()

    frozen = play.inject(Aimed(Controller(), Pause))
    play.await_quorum_leader(other_than=led)
    play.partitions[0].await_deposed(led)

    assert frozen.proof["fault"] == f"Pause(broker={led})"


@pytest.mark.parametrize("fault", [PartitionQuorum, Isolate])
def test_a_leader_that_hears_no_other_voter_is_replaced(play: Play, fault: Any) -> None:
    led = play.await_quorum_leader()

    cut = play.inject(Aimed(Controller(), fault))
    heir = play.await_quorum_leader(other_than=led)

    assert cut.proof["fault"].startswith(f"{fault.__name__}(")
    assert heir in {1, 2, 3} - {led}


def test_who_was_told_by_others_who_leads_is_cut_off_from_it_as_well(play: Play) -> None:
    led = play.await_quorum_leader()
    late = min({1, 2, 3} - {led})
    play.restart(Restart(late))
    assert play.await_quorum_leader() == led

    cut = play.inject(PartitionQuorum(led))
    play.await_quorum_leader(other_than=led)

    assert set(cut.proof) == {
        f"{asker} to {asked}"
        for one in {1, 2, 3} - {led}
        for asker, asked in ((one, led), (led, one))
    }
    assert any(cut.proof.values())


def test_a_voter_stays_and_who_joins_is_none(play: Play) -> None:
    with pytest.raises(UsageError, match="keeps the metadata"):
        play.remove_broker(3)

    joined = play.add_broker()
    play.remove_broker(joined)

    assert play.cluster.nodes.voters == (1, 2, 3)
    assert "process.roles=broker\n" in play.cluster.files.properties(joined).read_text()
