"""What an application sends by itself: what it was told is there is there, and once."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from tests.cluster.applications import PROGRAMS, end_of, played

# Whom a shop believes, and what becomes of its orders.
ENDS: dict[str, tuple[str, dict[str, set[str]]]] = {
    "delivered": ("passed", {}),
    "queued": ("failed", {"broken-contract": {"missing"}}),
    "again": ("failed", {"broken-contract": {"too many"}}),
}

SUITE = """
import pytest

from highwater.faults.answer_requests import AnswerRequests
from highwater.faults.kill import Kill
from highwater.harness.clients.terms import Terms
from highwater.harness.gate.rules import Trigger
from highwater.harness.wait import wait_until


@pytest.mark.highwater(gated_clients=True, claims=("broken-contract", "replica-divergence"))
@pytest.mark.parametrize("way", {ways})
def test_what_a_shop_was_told_is_there_is_there_once(play, way):
    orders = play.topic("orders")
    shop = play.application([*{program}, orders.name, way], name="shop")
    sends = shop.sends_to(orders, Terms(each="exactly", identity="json:order"))

    def told(what):
        return [line[what] for line in shop.json_lines if what in line]

    def await_acked(count):
        wanted = len(told("acked")) + count
        wait_until(lambda: len(told("acked")) >= wanted, "orders of the shop to be acknowledged")

    with shop:
        await_acked(100)
        tenth = Trigger("chance", chance=0.1, seed=7)
        late = AnswerRequests("Produce", "REQUEST_TIMED_OUT", client="shop", often=tenth, done=True)
        play.inject(late).await_answered()
        await_acked(200)
        play.heal()
        play.inject(Kill(orders[0].leader))
        await_acked(100)
        play.heal()
        shop.kill()
        shop.start()
        await_acked(50)
    sends.hand_over(acked=lambda: told("acked"), begun=lambda: told("begun"))
"""


@pytest.mark.cluster
@pytest.mark.on_demand
def test_what_a_shop_is_told_is_there_or_it_is_said(tmp_path: Path) -> None:
    program = [sys.executable, str(PROGRAMS / "shop.py")]

    tests = played(tmp_path, "4.1.1", SUITE.format(program=program, ways=list(ENDS)))

    assert [end_of(each) for each in tests] == list(ENDS.values()), tests
    rows = tests[0]["record"].table("contracts").to_pylist()
    assert sum(row["tells"] == "position" for row in rows) == 1
    assert sum(row["tells"] == "output" for row in rows) >= 450
