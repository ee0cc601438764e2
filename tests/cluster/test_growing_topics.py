"""What an operator does to a topic while clients live: loads and groups follow, all is judged."""

from __future__ import annotations

from functools import partial

import pytest

from highwater.faults.kill import Kill
from highwater.harness.clients.settings import Transactions
from highwater.harness.errors import UsageError
from highwater.harness.partition import Partition
from highwater.harness.play import Play

LAG = {"replica.lag.time.max.ms": "10000"}
pytestmark = [
    pytest.mark.cluster,
    pytest.mark.on_demand(together="tests/cluster/test_growing_topics.py"),
    pytest.mark.highwater(kafka=">=0.11", settings=LAG),
]


@pytest.mark.parametrize("transactions", [None, Transactions(records=50)])
def test_a_topic_is_given_partitions_while_clients_live(
    play: Play, transactions: Transactions | None
) -> None:
    orders = play.topic("orders", partitions=2)
    not_begun = play.load(orders, rate_per_s=100)
    with (
        play.load(orders, rate_per_s=1_000, transactions=transactions) as load,
        play.group("billing", orders, members=2) as billing,
    ):
        load.await_acked(500)
        added = orders.add_partitions(2)
        billing.await_assigned()
        with not_begun as late:
            late.await_acked(100)
        load.await_acked(500)
        billing.await_caught_up()

    assert [load.failed, late.failed, len(orders)] == [0, 0, 4]
    assert all(each.high_watermark(each.leader) > 0 for each in added)
    assert {where.partition for member in billing.members for where in member.committed} == {
        *range(4)
    }
    with pytest.raises(UsageError, match="a number of partitions from 1 on, saw 0"):
        orders.add_partitions(0)


def test_replicas_move_to_a_broker_that_joins_and_off_it_again(play: Play) -> None:
    orders = play.topic("orders", partitions=3, replicas=2)
    with (
        play.load(orders, rate_per_s=500) as load,
        play.group("billing", orders, members=2) as billing,
    ):
        load.await_acked(500)
        joined = play.add_broker()
        orders[0].move_replicas(joined, 2)
        orders[2].move_replicas(2, joined)
        with pytest.raises(UsageError, match="broker 4 to have no replica, saw those of"):
            play.remove_broker(joined)
        load.await_acked(500)
        orders[2].move_replicas(2, 3)
        orders[0].move_replicas(1, 3)
        play.remove_broker(joined)
        load.await_acked(500)
        billing.await_caught_up()

    assert (joined, play.cluster.brokers, load.failed) == (4, (1, 2, 3), 0)
    assert [orders[0].state().replicas, orders[2].state().replicas] == [(1, 3), (2, 3)]
    with pytest.raises(UsageError, match=r"some of the brokers \(1, 2, 3\), each once, saw \(4,\)"):
        orders[0].move_replicas(4)


def test_a_topic_is_given_partitions_while_a_broker_is_down(play: Play) -> None:
    orders = play.topic("orders", partitions=1)
    play.inject(Kill(3))
    with play.load(orders, rate_per_s=100) as load:
        for each in orders.add_partitions(2):
            each.await_state("it has records", partial(_has_records, each))
        load.await_acked(100)

    assert (orders[2].replicas, load.failed) == ((3, 1, 2), 0)


def _has_records(partition: Partition) -> bool:
    return partition.high_watermark(partition.leader) > 0
