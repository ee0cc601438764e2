"""Groups of every kind that there is, and a member that comes back to what is not its own."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from highwater.harness.record.reader import open_run

SUITE = """
import pytest
from confluent_kafka import Consumer, TopicPartition

from highwater.harness.clients.settings import ConsumerSettings
from highwater.harness.errors import UsageError
from highwater.harness.record.reader import open_run
from highwater.harness.wait import wait_until


def assignments(play):
    play.record.flush()
    return open_run(play.record.path).table("assignments").to_pylist()


def told_of(play, what):
    return [row for row in assignments(play) if row["what"] == what]


def test_a_static_member_comes_back_to_its_partitions(play):
    orders = play.topic("orders", partitions=2)
    with play.group("s", orders, members=2, settings=ConsumerSettings(static=True)) as group:
        first, second = group.members
        assert (len(first.assigned), len(second.assigned)) == (1, 1)
        before = first.assigned, second.assigned
        first.kill()
        again = group.replace(first)
        group.await_assigned()
        assert (again.assigned, second.assigned) == before
        orders[0].send(10)
        group.await_caught_up()
    rows = assignments(play)
    killed, told, stayed = (
        [(row["what"], row["generation"]) for row in rows if row["client"] == member.name]
        for member in (first, again, second)
    )
    assert (killed[-1], stayed[-1]) == (told[0], ("revoked", told[0][1]))


def test_coordinators_deal_partitions_out_themselves(play):
    orders = play.topic("orders", partitions=3)
    settings = ConsumerSettings(protocol="consumer")
    with play.group("c", orders, members=2, settings=settings) as group:
        for each in orders:
            each.send(10)
        group.await_caught_up()
        group.await_committed(30 - group.committed)
    given = told_of(play, "assigned")
    assert {row["partition"] for row in given} == {0, 1, 2}
    assert all(row["generation"] > 0 for row in given)


def test_a_library_that_commits_by_itself_is_on_the_record(play):
    orders = play.topic("orders")
    settings = ConsumerSettings(commits="auto", library={"auto.commit.interval.ms": 200})
    with play.group("a", orders, settings=settings) as group:
        orders[0].send(10)
        group.await_committed(10)
    play.record.flush()
    commits = open_run(play.record.path).table("commits").to_pylist()
    assert {(row["offset"], row["outcome"]) for row in commits} == {(10, "ok")}
    assert all(row["invoked_ns"] < row["completed_ns"] for row in commits)


def test_a_group_goes_on_with_other_topics(play):
    orders, returns = play.topic("orders"), play.topic("returns", partitions=2)
    with play.group("t", orders, members=2) as group:
        group.subscribe(orders, returns)
        returns[1].send(10)
        group.await_caught_up()
        group.subscribe(returns)
        assert group.handed == 10
    assert orders.name in [row["topic"] for row in told_of(play, "revoked")]


@pytest.mark.parametrize("protocol", ["classic", "consumer"])
def test_a_group_finds_a_topic_that_begins_as_others_do(play, protocol):
    orders, returns = play.topic("orders.north", partitions=2), play.topic("returns")
    settings = ConsumerSettings(protocol=protocol)
    with play.group("f", orders, members=2, settings=settings) as group:
        group.subscribe_by_prefix("orders.")
        south = play.topic("orders.south", partitions=2)
        play.topic("orders-east")
        group.await_assigned()
        group.join()
        south[1].send(10)
        group.await_caught_up()
        assert {each.topic for each in group.assigned} == {orders.name, south.name}
        with pytest.raises(UsageError, match="to have no clients any more"):
            south.delete()
        group.subscribe(returns)
        assert {each.topic for each in group.assigned} == {returns.name}
    assert group.handed == 10


@pytest.mark.parametrize("protocol", ["classic", "consumer"])
def test_members_join_and_leave(play, protocol):
    orders = play.topic("orders", partitions=4)
    settings = ConsumerSettings(protocol=protocol)
    with (
        play.load(orders, rate_per_s=200),
        play.group("j", orders, settings=settings) as group,
    ):
        (first,) = group.members
        joined = group.join()
        assert (len(first.assigned), len(joined.assigned)) == (2, 2)
        group.await_handed(100)
        group.leave(first)
        assert (len(first.assigned), len(joined.assigned)) == (0, 4)
        group.await_caught_up()
    given_up = [row["client"] for row in told_of(play, "revoked")]
    assert given_up.count(first.name) >= 4


def test_members_join_and_leave_while_another_one_is_frozen(play):
    orders = play.topic("orders", partitions=4)
    with play.group("w", orders, members=2) as group:
        frozen, leaves = group.members
        with frozen.paused():  # which has nothing to finish when it thaws
            joined = group.join(timeout_s=30)
            assert (len(leaves.assigned), len(joined.assigned)) == (2, 2)
            group.leave(leaves, timeout_s=30)
            assert len(joined.assigned) == 4
        group.await_assigned()
        orders[0].send(10)
        group.await_caught_up()
    assert told_of(play, "lost")


def test_an_application_that_is_frozen_comes_back_to_what_is_not_its_own(play):
    orders = play.topic("orders")
    orders[0].send(20)
    with play.group("z", orders, members=2, settings=ConsumerSettings(processing_s=1.0)) as group:
        group.await_committed(4)  # the second one has joined by then
        group.await_assigned()
        (busy,) = [member for member in group.members if member.assigned]
        (idle,) = [member for member in group.members if member is not busy]
        with busy.paused():
            wait_until(lambda: idle.assigned, "the other member to be assigned the partition")
            group.await_committed(1)
        wait_until(lambda: told_of(play, "lost"), "the frozen one to hear of it")


def test_brokers_confirm_a_position_beyond_the_end_of_the_log(play):
    orders, group = play.topic("orders"), "b-of-its-own"
    orders[0].send(10)
    its = {"bootstrap.servers": play.cluster.bootstrap, "group.id": group}
    consumer, began_ns = Consumer(its), play.record.now_ns()
    try:
        consumer.commit(offsets=[TopicPartition(orders.name, 0, 15)], asynchronous=False)
    finally:
        consumer.close()
    where = {"group": group, "client": group, "topic": orders.name, "partition": 0, "offset": 15}
    times = {"invoked_ns": began_ns, "completed_ns": play.record.now_ns()}
    play.record.row("commits", {**where, **times, "outcome": "ok"})
"""


@pytest.mark.on_demand
def test_groups_of_every_kind_are_played_and_who_holds_what_is_judged(tmp_path: Path) -> None:
    (tmp_path / "test_kinds.py").write_text(SUITE)
    report = tmp_path / "report"
    pytest_ = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--kafka", "4.1.1"]

    done = subprocess.run(
        [*pytest_, f"--highwater-report={report}", "test_kinds.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )

    tests = json.loads((report / "suite.json").read_text())["tests"]
    *others, frozen, beyond = tests
    assert {each["outcome"] for each in others} == {"passed"}, done.stdout
    assert frozen["outcome"] == "failed", done.stdout
    (violation,) = frozen["violated"]
    assert (violation["claim"], violation["anomalies"]) == ("two-owners", 1)
    witness = r"z-\d was assigned .* while z-\d held it, and both finished with records of it"
    assert re.match(witness, violation["witness"])
    rebalances = open_run(report / frozen["run"]).rebalances().to_pylist()
    assert (rebalances[-1]["how"], rebalances[-1]["partitions"]) == ("paused", 1)
    assert beyond["outcome"] == "failed", done.stdout
    assert [each["claim"] for each in beyond["violated"]] == ["committed-beyond-end"]
    said = r"b-of-its-own committed offset 15 of .*orders-0 for .* that log ends at offset 10"
    assert re.match(said, beyond["violated"][0]["witness"])
