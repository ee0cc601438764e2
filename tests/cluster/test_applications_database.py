"""A consumer that writes to PostgreSQL: its rows are handed over, and held to a contract."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cluster.applications import PROGRAMS, end_of, played
from tests.cluster.databases import postgres, told

ROOT = Path(__file__).parents[2]
SUITE = """
import subprocess
import sys
from pathlib import Path

import pytest

from highwater.harness.clients.terms import Terms
from highwater.harness.wait import wait_until

PLACE = {place!r}
sys.path.insert(0, {root!r})
from tests.cluster.databases import told  # noqa: E402


@pytest.mark.parametrize("table", ["once", "after", "before"])
def test_a_consumer_is_killed_in_the_middle_of_what_it_enters(play, table):
    orders = play.topic("orders")
    command = [sys.executable, {program!r}, orders.name, PLACE, table]
    books = play.application(command, name="bookkeeping")
    contract = books.contract(orders, terms=Terms(each="exactly", group="bookkeeping"))

    def entered():
        return len(told(Path(PLACE), f"SELECT known FROM {{table}}"))

    with books:
        books.await_said("reads")
        with play.load(orders, rate_per_s=150) as load:
            contract.await_committed(100)
            if table == "before":
                wait_until(lambda: entered() < contract.committed - 5, "orders not entered yet")
            else:
                wait_until(lambda: entered() > contract.committed + 5, "entries not committed yet")
            books.kill()
            books.start()
            load.await_acked(200)
        contract.await_caught_up()
    contract.hand_over(lambda: told(Path(PLACE), f"SELECT known FROM {{table}}"))
"""


@pytest.mark.on_demand
def test_each_order_is_entered_once_where_rows_are_unique_and_nothing_is_committed_before(
    tmp_path: Path,
) -> None:
    with postgres() as place:
        for table, unique in (("once", "UNIQUE"), ("after", ""), ("before", "")):
            told(place, f"CREATE TABLE {table} (known TEXT {unique})")
        suite = SUITE.format(
            place=str(place), program=str(PROGRAMS / "bookkeeping.py"), root=str(ROOT)
        )

        tests = played(tmp_path, "4.1.1", suite)

    assert [end_of(each) for each in tests] == [
        ("passed", {}),
        ("failed", {"broken-contract": {"too many"}}),
        ("failed", {"broken-contract": {"missing"}}),
    ], tests
