"""A play with topics of its own: all partitions are settled, read and judged like the first one."""

from __future__ import annotations

import pytest

from highwater.faults.kill import Kill
from highwater.harness.errors import UsageError
from highwater.harness.play import Play
from highwater.harness.workloads.producer import ProducerSettings

pytestmark = pytest.mark.cluster


def test_a_leader_of_one_of_several_partitions_dies(play: Play) -> None:
    orders = play.topic("orders", partitions=6, settings={"min.insync.replicas": "2"})
    single = play.topic("events", replicas=1)[0]
    for partition in (*orders, single):
        partition.require_acked(partition.send(20))

    dying = orders[3].leader
    killed = play.inject(Kill(dying))
    led = [each for each in orders if each.replicas[0] == dying]
    for partition in led:
        partition.await_deposed(dying)
        partition.require_acked(partition.send(20))
    play.heal(killed)

    assert [len(orders), len(led), len(single.replicas)] == [6, 2, 1]
    assert {each.where.topic for each in orders} == {orders.name}


def test_a_topic_that_cannot_be_is_refused(play: Play) -> None:
    with pytest.raises(UsageError, match=r"1 to 3 replicas on this cluster, .* saw 4"):
        play.topic("orders", replicas=4)
    with pytest.raises(UsageError, match="a number of partitions from 1 on, saw 0"):
        play.topic("orders", partitions=0)

    orders = play.topic("orders")
    with pytest.raises(UsageError, match="a name that is new in this play, saw 'orders' again"):
        play.topic("orders")
    orders[0].send(1)


@pytest.mark.on_demand(together="tests/cluster/test_topics.py[wide]")
@pytest.mark.highwater(kafka=">=2.0")
@pytest.mark.parametrize(("partitions", "rate_per_s"), [(50, 2_000), (1_000, 25)])
def test_a_wide_topic_is_loaded_settled_and_judged(
    play: Play, partitions: int, rate_per_s: float
) -> None:
    """librdkafka sends a request per partition, five at a time: the more partitions, the slower."""
    wide = play.topic("wide", partitions=partitions)
    patient = ProducerSettings(delivery_timeout_s=90)  # a third of them get another leader
    with play.load(wide, rate_per_s, patient) as load:
        load.await_acked(250)
        killed = play.inject(Kill(wide[0].leader))
        load.await_acked(250, timeout_s=120)
        play.heal(killed)

    assert load.failed == 0
    assert sum(partition.log_end_offset(2) for partition in wide) == load.acked
