"""Producers that a play tells what to send: they live while faults are open, and have a life."""

from __future__ import annotations

import threading
from contextlib import suppress

import pytest

from highwater.faults.pause import Pause
from highwater.faults.targets import TRANSACTIONS
from highwater.harness.errors import (
    DeadlineError,
    InfrastructureError,
    PreconditionError,
    UsageError,
)
from highwater.harness.play import Play
from highwater.harness.record.journal import salvage
from highwater.harness.record.reader import open_run
from highwater.harness.wait import wait_until
from highwater.harness.workloads.producer import ACKS_ONE, ProducerSettings
from highwater.scenarios.acts.moved_coordinator import coordinator_is
from highwater.scenarios.acts.owners_by_hand import asks_for_more, owner_of

LAG = {"replica.lag.time.max.ms": "10000"}
pytestmark = [pytest.mark.cluster, pytest.mark.highwater(settings=LAG)]
BRIEF = ProducerSettings(delivery_timeout_s=3.0)


def test_what_waits_for_a_frozen_leader_ends_when_that_goes_on(play: Play) -> None:
    orders = play.topic("orders")
    where = orders[0].where
    with play.producer() as producer:
        first = producer.send(where, 2)
        producer.flush()
        frozen = play.inject(Pause(orders[0].leader))
        second = producer.send(where, 3)
        assert (first.all_acked, second.waiting) == (True, 3)
        with pytest.raises(UsageError, match="saw that of 3 records missing"):
            orders.delete()
        play.heal(frozen)

    assert second.all_acked, second
    assert (first.first_offset, second.end_offset) == (0, 5)


def test_who_is_killed_has_on_the_record_what_it_had_sent(play: Play) -> None:
    """And nobody waits for it, or says that it had failed."""
    orders = play.topic("orders")
    leader, where = orders[0].leader, orders[0].where
    orders[0].require_acked(orders[0].send(2))
    with play.producer() as producer:
        producer.await_metadata(where)
        frozen = play.inject(Pause(leader))
        sent = producer.send(where, 4)
        producer.kill()
        with pytest.raises(UsageError, match="producer-2 to live when it is told to send"):
            producer.send(where, 1)
        play.heal(frozen)

    assert sent.waiting == 4
    with pytest.raises(PreconditionError, match="there is no answer"):
        _ = sent.end_offset
    play.record.flush()
    salvage(play.record.path)
    run = open_run(play.record.path)
    rows = run.table("history").to_pandas().query("client == 'producer-2'")
    assert {*rows["value"]} == {3, 4, 5, 6}
    assert {*rows["outcome"]} <= {"invoked"}
    told = [each["event"] for each in run.events() if each.get("client") == producer.name]
    assert told == ["started", "killed"]


def test_several_threads_may_send_at_once(play: Play) -> None:
    """Each by a client of its own: nobody waits for what somebody else has sent."""
    orders = play.topic("orders", partitions=2)
    first, second = orders
    frozen = play.inject(Pause(first.leader))

    def wait_for_the_frozen_one() -> None:
        with suppress(DeadlineError):  # who asks the frozen broker what there is hears nothing
            first.send(1, BRIEF)

    held = threading.Thread(target=wait_for_the_frozen_one)
    held.start()
    try:
        assert second.leader == first.leader or second.send(2, ACKS_ONE).all_acked
    finally:
        play.heal(frozen)
        held.join()


@pytest.mark.highwater(kafka=">=0.11")
def test_a_transaction_of_a_frozen_producer_is_aborted_by_the_next_of_its_name(play: Play) -> None:
    orders = play.topic("orders")
    where = orders[0].where
    with play.transactions() as producer:
        producer.begin()
        producer.send(where)
        producer.commit()
        producer.begin()
        producer.send(where)
        with producer.paused():
            assert orders[0].read() >= 1
        producer.renew()
        producer.begin()
        producer.send(where)
        producer.abort()
        assert producer.waiting("orders") == 0


@pytest.mark.highwater(kafka=">=3.0")
def test_a_producer_that_was_fenced_says_so_and_another_one_takes_its_place(play: Play) -> None:
    orders = play.topic("orders")[0]
    with play.transactions() as producer:
        producer.begin()
        producer.send(orders.where)
        asks_for_more(play, producer.name, owner_of(play, orders, producer.name))
        with pytest.raises(InfrastructureError, match="fenced by a newer instance"):
            producer.commit()
        producer.renew()
        producer.begin()
        producer.send(orders.where)
        producer.commit()
        assert producer.waiting("orders") == 0


def coordinators_told(play: Play) -> set[int]:
    """By the record so far: it is looked once a second."""
    play.record.flush()
    states = open_run(play.record.path).table("transaction_states")
    return {*states["coordinator"].to_pylist()}


@pytest.mark.highwater(kafka=">=3.0")
def test_whoever_coordinates_is_asked_whose_a_transactional_id_is(play: Play) -> None:
    """With ZooKeeper the last of them holds no data, and Kafka gives it such partitions as well."""
    orders = play.topic("orders")[0]
    with play.transactions() as producer:
        producer.begin()
        producer.send(orders.where)
        producer.commit()
        home = play.cluster.metadata.partition(TRANSACTIONS).replicas
        last = play.cluster.coordinators[-1]
        coordinator_is(play, (last, *(each for each in home if each != last)), TRANSACTIONS)
        assert owner_of(play, orders, producer.name).producer_id >= 0
        wait_until(lambda: last in coordinators_told(play), "a look at who coordinates")
        coordinator_is(play, home, TRANSACTIONS)
