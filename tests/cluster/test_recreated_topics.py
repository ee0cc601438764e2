"""A topic is deleted in the middle of a play and created again: two topics of one name."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
from tests.pytest_runs import to_be_killed, verdicts_of

from highwater.harness.errors import UsageError
from highwater.harness.play import Play
from highwater.harness.record.reader import open_run
from highwater.harness.topic import Topic
from highwater.harness.wait import wait_until

KAFKA = "4.1.1"
SUITE = """
from highwater.harness.wait import wait_until

def test_stays_between_two(play):
    orders = play.topic("orders", partitions=2)
    with play.load(orders, rate_per_s=500) as load:
        load.await_acked(1_000)
    orders.delete()
    play.step("it waits to be killed")
    wait_until(lambda: False, "the end", 600)
"""


def _live(play: Play, topic: Topic) -> None:
    with play.load(topic, rate_per_s=200) as load, play.group("billing", topic, 2) as group:
        load.await_acked(100)
        group.await_caught_up()
        with pytest.raises(UsageError, match=r"no clients any more .* saw load-.*, billing"):
            topic.delete()


@pytest.mark.on_demand(together="tests/cluster/test_recreated_topics.py")
def test_clients_of_three_topics_that_have_one_name_are_judged_apart(play: Play) -> None:
    first = play.topic("orders", partitions=2)
    _live(play, first)
    first.delete()
    with pytest.raises(UsageError, match="has been deleted"):
        first[0].send(1)
    second = play.topic("orders", partitions=3)
    _live(play, second)
    bills = play.topic("bills", partitions=2)
    with play.load(second, rate_per_s=100) as load:
        load.await_acked(50)
        if play.cluster.kafka.knows_idempotence:
            with play.pipeline("billing-pipe", second, bills) as pipeline:
                pipeline.await_caught_up()
    second.delete()
    third = play.topic("orders")
    third[0].require_acked(third[0].send(10))

    play.record.flush()
    run = open_run(play.record.path)
    sent = run.table("history").to_pandas().query("action == 'send' and outcome == 'ok'")
    names = [first.name, f"{first.name}#2", f"{first.name}#3"]
    assert {*names} <= {*sent["topic"]} <= {*names, bills.name}
    assert {*names} <= {*run.identity["topics"]}
    for table in ("replica_ends", "replica_logs", "commits", "assignments"):
        assert {*names[:2]} == {*run.table(table).to_pandas()["topic"]}, table
    looks = run.table("replica_states").to_pandas().dropna(subset=["topic_id"])
    assert (looks.groupby("topic")["topic_id"].nunique() == 1).all()


@pytest.mark.on_demand
def test_a_harness_that_is_killed_between_two_topics_leaves_the_first_to_be_judged(
    tmp_path: Path,
) -> None:
    suite, out = tmp_path / "test_killed.py", tmp_path / "out"
    suite.write_text(SUITE)
    with to_be_killed(suite, out, KAFKA) as running:
        wait_until(lambda: _waits(out), "the topic to be deleted", 180)
        running.send_signal(signal.SIGKILL)

    verdicts = verdicts_of(out)
    assert [name for name, each in verdicts.items() if each["answer"] == "VIOLATED"] == []
    for claim in ("lost-write", "replica-divergence", "phantom-read"):
        assert verdicts[claim]["answer"] == "HELD", claim
    assert verdicts["lost-write"]["considered"] >= 1_000


def _waits(out: Path) -> bool:
    return any("waits to be killed" in each.read_text() for each in out.glob("runs/*/events.jsonl"))
