"""Share groups: whoever dies or comes, what was accepted stays so; what is released comes again."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from confluent_kafka.admin import AdminClient, ConfigResource  # type: ignore[attr-defined]
from tests.cluster.operating import play_there, results_of

from highwater.harness.cluster import ClusterSpec
from highwater.harness.jvm.runtime import Runtime
from highwater.harness.kafka_cluster import KafkaCluster
from highwater.harness.processes.site import ProcessSite
from highwater.harness.record.reader import open_run

DEFAULT = 5  # ConfigSource of a setting that nobody has set

SUITE = """
import pytest

from highwater.faults.kill import Kill
from highwater.harness.clients.settings import ShareSettings
from highwater.harness.model import TopicPartition
from highwater.harness.wait import wait_until

LOCKS = {
    "replica.lag.time.max.ms": "10000",
    "group.share.min.record.lock.duration.ms": "1000",
    "group.share.record.lock.duration.ms": "5000",
}
STATE = TopicPartition("__share_group_state", 0)


@pytest.mark.highwater(settings=LOCKS, claims=["lost-write", "accepted-again"])
def test_what_was_accepted_is_accepted_once_whoever_dies(play):
    orders = play.topic("orders", partitions=3)
    settings = ShareSettings(processing_s=0.002)
    with (
        play.load(orders, rate_per_s=100) as load,
        play.share_group("workers", orders, members=3, settings=settings) as workers,
    ):
        workers.await_accepted(300)
        first = workers.members[0]
        wait_until(lambda: first.held, "the first member to hold records")
        first.kill()
        workers.await_accepted(300)
        play.inject(Kill(play.cluster.metadata.partition(STATE).leader))
        workers.await_accepted(300)
        play.heal()
        load.await_acked(300)
        workers.replace(first)
        load.kill()
        workers.await_all_accepted()


SESSIONS = {
    "group.share.min.heartbeat.interval.ms": "1000",
    "group.share.heartbeat.interval.ms": "1000",
    "group.share.min.session.timeout.ms": "6000",
    "group.share.session.timeout.ms": "6000",
}


@pytest.mark.highwater(settings=SESSIONS, claims=["lost-write", "accepted-again"])
def test_members_join_and_leave_also_while_one_is_frozen(play):
    orders = play.topic("orders", partitions=4)
    with (
        play.load(orders, rate_per_s=100),
        play.share_group("shifts", orders) as shifts,
    ):
        (first,) = shifts.members
        second = shifts.join(timeout_s=30)
        wait_until(lambda: second.handed, "the second one to be handed records")
        with first.paused():
            third = shifts.join(timeout_s=30)
            shifts.leave(second, timeout_s=30)
            left, before = second.handed, third.handed
            wait_until(lambda: third.handed > before, "the third one to be handed more")
        shifts.await_assigned()
        third.kill()
        shifts.replace(third)
        shifts.await_assigned()
        shifts.await_accepted(100)
        assert second.handed == left


@pytest.mark.highwater(settings=LOCKS, claims=["lost-write"])
def test_what_is_released_is_handed_out_again(play):
    orders = play.topic("orders")
    orders[0].send(10)
    settings = ShareSettings(acknowledges="release")
    with play.share_group("idlers", orders, members=2, settings=settings) as idlers:
        idlers.await_handed(30)
        assert idlers.accepted == 0
"""


@pytest.mark.on_demand
def test_share_groups_are_played_and_what_they_accepted_is_judged(tmp_path: Path) -> None:
    (tmp_path / "test_shares.py").write_text(SUITE)
    report = tmp_path / "report"
    pytest_ = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--kafka", "4.4.0"]

    done = subprocess.run(
        [*pytest_, f"--highwater-report={report}", "test_shares.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )

    tests = json.loads((report / "suite.json").read_text())["tests"]
    assert [each["outcome"] for each in tests] == ["passed"] * 3, done.stdout
    accepted, shifts, released = (open_run(report / each["run"]) for each in tests)
    rows = accepted.table("shares").to_pylist()
    assert {row["step"] for row in rows} == {"handed", "accepted"}
    assert {row["client"] for row in rows} >= {"workers-1", "workers-2", "workers-3"}
    assert verdict(accepted, "accepted-again")["answer"] == "HELD"
    assert verdict(shifts, "accepted-again")["answer"] == "HELD"
    assert verdict(released, "accepted-again")["answer"] == "UNKNOWN"
    counts = [row["delivery_count"] for row in released.table("shares").to_pylist()]
    assert max(each for each in counts if each is not None) > 2


ATTACHED = """
def test_what_is_accepted_on_a_cluster_of_somebody_else(play):
    orders = play.topic("orders")
    orders[0].send(10)
    with play.share_group("guests", orders) as guests:
        guests.await_all_accepted()
"""


@pytest.mark.on_demand
def test_of_a_share_group_nothing_is_set_any_more_on_a_cluster_of_somebody_else(
    prepared: Callable[[str], Runtime], tmp_path: Path
) -> None:
    site = ProcessSite(prepared("4.4.0"), tmp_path / "theirs")
    with KafkaCluster(site, ClusterSpec(gated=False, quiet_replication_links=False)) as theirs:
        done = play_there(theirs.bootstrap, tmp_path, ATTACHED, kafka="4.4.0")
        (test,) = results_of(tmp_path, done)
        (group,) = open_run(tmp_path / "r" / test["run"]).identity["groups"]
        admin = AdminClient({"bootstrap.servers": theirs.bootstrap})
        asked = ConfigResource(ConfigResource.Type.GROUP, group)
        ((_, told),) = admin.describe_configs([asked]).items()
        reset = told.result(30)["share.auto.offset.reset"]

    assert test["outcome"] == "passed", test["text"]
    assert (reset.value, reset.source) == ("latest", DEFAULT)


def verdict(run: object, claim: str) -> dict[str, object]:
    told = json.loads((run.path / "verdicts.json").read_text())["verdicts"]  # type: ignore[attr-defined]
    (found,) = [each for each in told if each["claim"] == claim]
    return dict(found)
