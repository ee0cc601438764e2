"""A load that has turned to another topic has nothing to do with the last one any more."""

from __future__ import annotations

from tests.unit.clients.conftest import ENDED, READY, Launching
from tests.unit.clients.orders import Orders

from highwater.harness.clients.load import Load
from highwater.harness.wait import wait_until

SAYS_IT_HAS_FLUSHED = (
    "sys.stdin.readline(); "
    'say(\'{"event": "flushing", "number": 0}\'); say(\'{"event": "flushed", "number": 0}\'); '
)
TURNS = 'sys.stdin.readline(); say(\'{"event": "turned", "topic": "bills", "incarnation": 1}\'); '
HEARS_OF_IT = "sys.stdin.readline(); "


def turned_and_flushed(launching: Launching, turns: str) -> tuple[Orders, Orders, list[str]]:
    """Two topics after the `with` of a load that turned, and who knew the first within it."""
    orders, bills = Orders(), Orders(name="bills")
    launch = launching(READY + turns + SAYS_IT_HAS_FLUSHED + ENDED)
    with Load(lambda _more: launch, lambda _name, _event: None, orders) as load:
        load.turn_to(bills)
        if turns == TURNS:
            wait_until(lambda: load._sender.turned_to, "it to say so")
        load.flush()
        known = [*orders.clients]
        assert bills.clients == ["client-1"]
    return orders, bills, known


def test_who_sends_to_another_topic_and_has_flushed_knows_the_last_one_no_more(
    launching: Launching,
) -> None:
    orders, bills, known = turned_and_flushed(launching, TURNS)

    assert known == []
    assert (orders.clients, bills.clients) == ([], [])


def test_who_may_send_there_still_knows_it_until_the_end(launching: Launching) -> None:
    orders, bills, known = turned_and_flushed(launching, HEARS_OF_IT)

    assert known == ["client-1"]
    assert (orders.clients, bills.clients) == ([], [])


def test_who_is_still_to_turn_to_the_last_topic_knows_where_it_sends_meanwhile(
    launching: Launching,
) -> None:
    orders, bills, cash, more = (Orders(name=each) for each in ("orders", "bills", "cash", "more"))
    turns_late = HEARS_OF_IT + TURNS.replace("bills", "cash")
    launch = launching(READY + TURNS + turns_late + SAYS_IT_HAS_FLUSHED + ENDED)
    with Load(lambda _more: launch, lambda _name, _event: None, orders) as load:
        load.turn_to(bills)
        wait_until(lambda: load._sender.turned_to, "it to say so")
        load.turn_to(cash)
        load.turn_to(more)
        load.flush()

        known = [topic.name for topic in (orders, bills, cash, more) if topic.clients]
        assert known == ["cash", "more"]
