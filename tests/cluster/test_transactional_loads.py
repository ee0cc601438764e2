"""A load in transactions goes on while brokers die, and what it aborted nobody is handed."""

from __future__ import annotations

import pytest

from highwater.faults.kill import Kill
from highwater.harness.clients.settings import Transactions
from highwater.harness.play import Play
from highwater.harness.record.reader import open_run
from highwater.harness.workloads.producer import ProducerSettings

LAG = {"replica.lag.time.max.ms": "10000"}
CLAIMS = (
    "lost-write", "duplicate", "aborted-read", "poll-skip", "torn-transaction",
    "hanging-transaction",
)  # fmt: skip
pytestmark = [
    pytest.mark.cluster,
    pytest.mark.highwater(kafka=">=0.11", settings=LAG, claims=CLAIMS),
]


@pytest.mark.on_demand(together="tests/cluster/test_transactional_loads.py[leader]")
def test_transactions_go_on_when_the_leader_of_a_partition_is_killed(play: Play) -> None:
    orders = play.topic("orders", partitions=3)
    cut = Transactions(records=50, abort_every=4)
    with (
        play.load(orders, rate_per_s=500, transactions=cut) as load,
        play.group("billing", orders, members=2) as billing,
    ):
        load.await_acked(500)
        play.inject(Kill(orders[0].leader))
        load.await_acked(500)
        billing.await_handed(500)

    assert load.failed >= 50
    play.record.flush()
    run = open_run(play.record.path)
    sends = run.table("history").to_pandas().query("action == 'send' and outcome != 'invoked'")
    aborted = sends[sends["error"] == "the transaction was aborted"]
    assert {*aborted["outcome"]} == {"failed"}
    assert {*aborted["partition"]} == {0, 1, 2}
    committed = sends[sends["outcome"] == "ok"].groupby("transaction")
    assert {*committed.size().iloc[:-1]} == {50}
    assert {*committed["partition"].nunique().iloc[:-1]} == {3}
    told = {each["client"]: each["transactional_id"] for each in run.table("clients").to_pylist()}
    assert told[load.name] == load.name


def test_a_load_that_was_killed_in_a_transaction_comes_back_and_ends_it(play: Play) -> None:
    """By its transactional.id: nobody waits for the transaction to time out (KIP-98)."""
    orders = play.topic("orders", partitions=2)
    settings = ProducerSettings(transaction_timeout_s=600)
    cut = Transactions(records=200)
    with play.group("billing", orders) as billing:
        with play.load(orders, 1_000, settings, cut) as load:
            load.await_acked(400)
            first = load.name
            load.kill()
            load.start()
            load.await_acked(400)
        billing.await_caught_up()

    play.record.flush()
    run = open_run(play.record.path)
    told = {each["client"]: each["transactional_id"] for each in run.table("clients").to_pylist()}
    assert told[first] == told[load.name] == first != load.name
    history = run.table("history").to_pandas()
    acked = history.query("action == 'send' and outcome == 'ok' and client != @first")["value"]
    assert len(acked) >= 400
    assert {*acked} <= {*history.query("action == 'poll'")["value"]}


@pytest.mark.on_demand(together="tests/cluster/test_transactional_loads.py")
def test_who_is_taken_over_while_it_lives_leaves_the_other_one_alone(play: Play) -> None:
    orders = play.topic("orders", partitions=3)
    with play.load(orders, rate_per_s=100, transactions=Transactions(records=20)) as load:
        load.await_acked(100)
        load.take_over()
        load.await_acked(300)
        with load.paused():
            load.take_over()
            load.await_acked(300)
        load.await_acked(300)


@pytest.mark.on_demand(together="tests/cluster/test_transactional_loads.py")
@pytest.mark.highwater(kafka=">=2.8")
def test_a_load_that_is_killed_in_a_transaction_leaves_it_to_time_out(play: Play) -> None:
    orders = play.topic("orders", partitions=2)
    with play.load(orders, rate_per_s=200, transactions=Transactions(records=1_000)) as load:
        load.await_acked(1_000)
        load.kill()

    assert load.acked >= 1_000
