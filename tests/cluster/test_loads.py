"""Loads and groups that live while brokers do not: what chaos tests stand on."""

from __future__ import annotations

import json
from functools import partial

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from highwater.harness import closing, evidence
from highwater.harness.clients.settings import Transactions
from highwater.harness.errors import DeadlineError, UsageError
from highwater.harness.model import ByKey
from highwater.harness.play import Play
from highwater.harness.record.journal import salvage
from highwater.harness.record.reader import open_run
from highwater.harness.tables import NO_KEY
from highwater.harness.workloads.keys import Keys
from highwater.harness.workloads.producer import ProducerSettings

# Kafka's own default of these years: a leader that waits a minute for a dead follower, as those of
# directed scenarios do, outlasts the patience of a producer.
LAG = {"replica.lag.time.max.ms": "10000"}
pytestmark = [pytest.mark.cluster, pytest.mark.highwater(settings=LAG)]


@pytest.mark.highwater(kafka=">=1.0")
def test_clients_that_are_killed_leave_a_record_that_can_be_judged(play: Play) -> None:
    orders = play.topic("orders", partitions=3)
    with (
        play.load(orders, rate_per_s=1_000) as dying,
        play.load(orders, rate_per_s=1_000) as load,
        play.group("billing", orders, members=2) as billing,
    ):
        dying.await_acked(1_000)
        billing.members[0].kill()
        dying.kill()
        billing.await_assigned()
        load.await_acked(1_000)
        billing.await_handed(1_000)

        assert billing.members[0].assigned == frozenset()
        assert {each.partition for each in billing.members[1].assigned} == {0, 1, 2}


@pytest.mark.highwater(kafka=">=1.0")
def test_a_group_has_caught_up_when_it_was_handed_all_that_was_committed(play: Play) -> None:
    orders = play.topic("orders", partitions=3)
    with play.group("billing", orders, members=2) as billing:
        billing.await_caught_up()
        assert billing.handed == 0
        with billing.members[0].paused():
            with play.load(orders, rate_per_s=1_000) as load:
                load.await_acked(200)  # soon: the other member takes over what is frozen
            with pytest.raises(DeadlineError, match="billing to have been handed everything"):
                billing.await_caught_up(timeout_s=1)
        billing.await_caught_up()
        assert billing.handed >= load.acked


@pytest.mark.highwater(kafka=">=1.0")
def test_a_closed_loop_has_no_more_on_its_way_than_it_may(play: Play) -> None:
    """And loses none of them in a queue of its own, however slowly they are taken."""
    orders = play.topic("orders", partitions=3)
    one_by_one = ProducerSettings(unanswered=20, in_flight=1, batch_records=1)
    with play.load(orders, settings=one_by_one) as load:
        load.await_acked(2_000)

    assert load.failed == 0
    play.record.flush()
    sends = open_run(play.record.path).table("history").to_pandas().query("outcome == 'ok'")
    begun = pd.Series(1, index=sends["invoked_ns"])
    ended = pd.Series(-1, index=sends["completed_ns"])
    waiting = pd.concat([ended, begun]).sort_index(kind="stable").cumsum()
    assert 10 <= waiting.max() <= 20


@pytest.mark.highwater(kafka=">=1.0")
def test_a_load_that_is_paused_has_a_gap(play: Play) -> None:
    orders = play.topic("orders", partitions=2)
    with play.load(orders, rate_per_s=500) as load:
        load.await_acked(500)
        with load.paused():
            orders[0].require_acked(orders[0].send(10))
        load.await_acked(500)

    assert load.failed == 0
    assert load.longest_gap_s > 0


@pytest.mark.highwater(kafka=">=1.0")
def test_a_load_flushes_and_has_an_outcome_of_all_that_it_was_handed_before(play: Play) -> None:
    orders = play.topic("orders", partitions=2)
    with play.load(orders, rate_per_s=500) as load:
        load.await_acked(200)
        load.flush()
        load.await_acked(200)

    play.record.flush()
    run = open_run(play.record.path)
    (row,) = run.table("flushes").to_pylist()
    sends = run.table("history").to_pandas().query("action == 'send' and outcome == 'ok'")
    before = sends[sends["invoked_ns"] < row["asked_ns"]]
    assert (row["client"], row["error"]) == (load.name, None)
    assert 200 <= len(before) < len(sends)
    assert (before["completed_ns"] <= row["flushed_ns"]).all()


@pytest.mark.highwater(kafka=">=1.0")
def test_a_load_that_was_killed_goes_on_as_another_client_of_the_record(play: Play) -> None:
    """And after a restart in order too; to partitions that came while it was away."""
    orders = play.topic("orders", partitions=2)
    with play.load(orders, rate_per_s=500) as load, play.group("billing", orders) as billing:
        load.await_acked(500)
        names = [load.name]
        load.kill()
        before = load.acked
        orders.add_partitions()
        load.start()
        names.append(load.name)
        load.await_acked(500)
        load.restart()
        names.append(load.name)
        load.await_acked(500)
        billing.await_caught_up()

    assert before >= 500
    assert load.failed == 0
    play.record.flush()
    salvage(play.record.path)  # who is killed in its first second has written nothing else
    run = open_run(play.record.path)
    sends = run.table("history").to_pandas().query("action == 'send'")
    assert {*sends["client"]} == {*names}
    assert (sends.groupby("client")["value"].nunique() >= 500).all()
    assert sends.groupby("value")["client"].nunique().max() == 1
    assert {*sends[sends["client"] != names[0]]["partition"]} == {0, 1, 2}
    told = map(json.loads, (play.record.path / "events.jsonl").read_text().splitlines())
    lived = [(each["client"], each["event"]) for each in told if each["kind"] == "client"]
    assert [each for each in lived if each[0] in names] == [
        (names[0], "started"),
        (names[0], "killed"),
        (names[1], "started"),
        (names[1], "leaving"),
        (names[1], "ended"),
        (names[2], "started"),
        (names[2], "stopping"),
        (names[2], "ended"),
    ]


@pytest.mark.on_demand(together="tests/cluster/test_loads.py")
@pytest.mark.highwater(kafka=">=1.0")
def test_skewed_keys_make_partitions_unequal_and_move_when_there_are_more(play: Play) -> None:
    keyed = ProducerSettings(keys=20, key_choice="skewed", partition_by="key")
    orders, bills = play.topic("orders", partitions=3), play.topic("bills", partitions=3)
    with (
        play.load(orders, 1_000, keyed) as load,
        play.load(bills, 1_000, keyed, Transactions()) as billing,
        play.group("readers", orders) as readers,
    ):
        for each in (load, billing):
            each.await_acked(2_000)
        readers.await_handed(2_000)
        orders.add_partitions(2)
        load.await_acked(2_000)
        readers.await_caught_up()

    play.record.flush()
    history = open_run(play.record.path).table("history").to_pandas()
    sends = history.query("action == 'send' and outcome == 'ok'").set_index("value").sort_index()
    assert len(sends) >= 6_000
    for name, topic, counts in ((load.name, orders, {3, 5}), (billing.name, bills, {3})):
        mine = sends[sends["client"] == name]
        keys, values = Keys(20, "skewed"), mine.index.to_numpy()
        known = {count: keys.partitions(ByKey(topic.name, count)) for count in counts}
        right = {count: chosen[values % len(chosen)] for count, chosen in known.items()}
        told = mine["partition"].to_numpy()
        assert (told[:2_000] == right[3][:2_000]).all()
        assert np.any([told == chosen for chosen in right.values()], axis=0).all()
        assert mine["partition"].nunique() == max(counts)
        shares = mine["partition"].iloc[:2_000].value_counts(normalize=True)
        assert shares.max() > 2 * shares.min()
    polls = history.query("action == 'poll'").set_index("value")
    read = polls[~polls.index.duplicated()].join(sends["partition"], rsuffix="_sent", how="inner")
    assert len(read) >= 4_000
    assert (read["partition"] == read["partition_sent"]).all()


def test_what_no_client_can_do_is_refused(play: Play) -> None:
    orders = play.topic("orders")
    with pytest.raises(UsageError, match=r"a rate_per_s above 0 and .*, saw 0"):
        play.load(orders, rate_per_s=0)
    with pytest.raises(UsageError, match=r"a group of at least one member, .*, saw 0"):
        play.group("billing", orders, members=0)
    by_key = ProducerSettings(keys=5, partition_by="key")
    with pytest.raises(UsageError, match="expected partition_by='turn' where records go to the"):
        orders[0].send(9, by_key)
    with pytest.raises(UsageError, match="expected partition_by='turn' where records go to the"):
        play.transactions(by_key)
    for call in (play.load, partial(play.group, "billing"), partial(play.share_group, "billing")):
        with pytest.raises(UsageError, match=r"expected \w+Settings, saw \{\}"):
            call(orders, settings={})  # type: ignore[arg-type]
    with (
        play.load(orders, rate_per_s=9, transactions=Transactions(records=9)) as load,
        pytest.raises(UsageError, match="expected a load without transactions to be flushed"),
    ):
        load.flush()
    orders[0].send(1)


@pytest.mark.highwater(kafka=">=1.0")
def test_keys_are_on_the_record_where_they_are_sent_handed_out_and_kept(play: Play) -> None:
    """Brokers take nothing without a key for a topic that is compacted."""
    keyed = ProducerSettings(keys=7, key_choice="skewed", partition_by="key")
    orders = play.topic("orders", partitions=2, settings={"cleanup.policy": "compact"})
    bills = play.topic("bills")
    with (
        play.load(orders, rate_per_s=500, settings=keyed) as load,
        play.load(bills, rate_per_s=500, settings=keyed, transactions=Transactions()) as billing,
        play.group("readers", orders) as readers,
    ):
        load.await_acked(500)
        billing.await_acked(500)
        readers.await_handed(500)
    bills[0].require_acked(bills[0].send(10))

    closing.settle(play)
    play.record.flush()
    history = open_run(play.record.path).table("history").to_pandas()
    log = pa.concat_tables(
        evidence.log_parts(play.scene, [(bills[0], bills[0].leader)])
    ).to_pandas()
    keys = history.query("action == 'send'").groupby("value")["key"].first()
    assert len(keys.unique()) == 8
    assert (keys == NO_KEY).sum() == 10
    polls = history.query("action == 'poll'")
    assert len(polls) >= 500
    assert (polls["key"] == polls["value"].map(keys)).all()
    records = log.query("not is_control")
    assert len(records) >= 510
    assert (records["key"] == records["value"].map(keys)).all()
