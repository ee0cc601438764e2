"""Kafka Streams counts orders by key: exactly once, or too often, or not at all, and says so."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cluster.applications import PROGRAMS, end_of, java, played

from highwater.harness.versions.jars import jars_in, present

JACKSON = ("jackson-core", "jackson-databind", "jackson-annotations")
SUITE = """
import pytest

from highwater.harness.clients.terms import Terms
from highwater.harness.wait import wait_until
from highwater.harness.workloads.producer import ProducerSettings


def order_of(record):
    _count, _, order = record.value.decode().partition(" ")
    return order


@pytest.mark.parametrize("guarantee", ["exactly_once_v2", "at_least_once"])
def test_a_word_count_is_killed_in_the_middle_of_what_it_counts(play, guarantee, tmp_path):
    orders, counts = play.topic("orders"), play.topic("counts")
    name = f"counting-{{guarantee}}"
    command = [*{program}, orders.name, counts.name, name, guarantee, str(tmp_path)]
    counting = play.application(command, name="counting")
    one_each = Terms(group=name, identity=order_of, keeps=("key", "order"))
    contract = counting.contract(orders, counts, one_each)

    def counted():
        return counts[0].high_watermark(counts[0].leader)

    settings = ProducerSettings(keys=7)
    with counting:
        counting.await_said("is RUNNING", 120)
        with play.load(orders, rate_per_s=100, settings=settings) as load:
            contract.await_committed(100)
            if guarantee == "at_least_once":
                wait_until(lambda: counted() > contract.committed + 20, "counts to be committed")
            counting.kill()
            counting.start()
            load.await_acked(300)
        contract.await_caught_up(150)


def test_a_word_count_that_begins_at_the_end_is_killed_before_it_has_committed(play, tmp_path):
    orders, counts = play.topic("orders"), play.topic("counts")
    command = [*{program}, orders.name, counts.name, "counting-latest", "latest", str(tmp_path)]
    counting = play.application(command, name="counting")
    contract = counting.contract(orders, counts, Terms(group="counting-latest", identity=order_of))

    def counted():
        return counts[0].high_watermark(counts[0].leader)

    with counting:
        counting.await_said("is RUNNING", 120)
        with play.load(orders, rate_per_s=50, settings=ProducerSettings(keys=7)) as load:
            wait_until(lambda: counted() > 20, "some counts, of which it has committed nothing")
            counting.kill()
            assert not contract.committed, "it was killed too late: nothing is tried"
            load.await_acked(50)
            had = counted()
            counting.start()
            wait_until(lambda: counted() > had + 20, "counts of its next life", 90)
        contract.await_caught_up(150)
"""


@pytest.mark.on_demand
@pytest.mark.parametrize(
    ("play", "end"),
    [
        ("exactly_once_v2", ("passed", {})),
        ("at_least_once", ("failed", {"broken-contract": {"too many"}})),
        ("begins_at_the_end", ("failed", {"broken-contract": {"missing"}})),
    ],
    ids=["exactly-once", "at-least-once", "latest"],
)
def test_a_word_count_is_held_to_its_contract(
    tmp_path: Path, play: str, end: tuple[str, dict[str, set[str]]]
) -> None:
    own = present(jars_in((PROGRAMS / "streams.lock").read_text()))
    suite = SUITE.format(program=java("Counting.java", JACKSON, own))

    (test,) = played(tmp_path, "4.1.1", suite, "-k", play)

    assert end_of(test) == end, test
