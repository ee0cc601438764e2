"""What an application sends by itself, and what is recorded of it, without a cluster."""

from __future__ import annotations

from typing import Any

import pytest
from tests.unit.clients.contracts import Play, Source

from highwater.harness.clients.terms import Terms, text_of
from highwater.harness.errors import PreconditionError, UsageError
from highwater.harness.workloads.pattern import Pattern

TERMS = Terms(group="billing")


@pytest.fixture
def play(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> Play:
    return Play(tmp_path, monkeypatch)


def test_what_was_acknowledged_to_it_is_due_and_the_rest_may_be_there(play: Play) -> None:
    sends = play.application("shop").sends_to(Source("orders"), Terms(identity="json:of"))

    sends.hand_over(acked=lambda: ["c", 7], begun=lambda: ["c", "d", "7", "d"])
    sends.record()

    assert play.told("input", "topic", "partition", "offset", "identity", "each") == [
        ("handed-over", 0, 0, "c", "exactly"), ("handed-over", 0, 1, "7", "exactly"),
        ("handed-over", 1, 0, "d", "exactly"), ("handed-over", 1, 1, "d", "exactly"),
    ]  # fmt: skip
    assert play.told("position", "topic", "partition", "offset") == [("handed-over", 0, 2)]
    assert play.told("inputs-end", "partition", "offset") == [(0, 2), (1, 2)]
    assert [each for (each,) in play.told("output", "identity")] == [None, None, None, "c"]
    assert play.asked == ["orders"]


def test_where_nobody_says_what_it_has_begun_nobody_says_that_this_is_all(play: Play) -> None:
    sends = play.application("shop").sends_to(Source("orders"), Terms(each="at least"))

    sends.hand_over(acked=lambda: ["c"])
    sends.record()

    assert play.told("inputs-end") == []
    assert len(play.told("outputs-end")) == 1


def test_what_it_has_not_begun_to_send_is_not_acknowledged(play: Play) -> None:
    sends = play.application("shop").sends_to(Source("orders"))

    with pytest.raises(UsageError, match="saw 'c' acknowledged more often"):
        sends.hand_over(acked=lambda: ["c", "c"], begun=lambda: ["c", "d"])
    with pytest.raises(PreconditionError, match="expected what shop has sent handed over, saw no"):
        sends.record()
    sends.hand_over(acked=list)
    with pytest.raises(UsageError, match="expected shop to hand over once what it has sent"):
        sends.hand_over(acked=list)


@pytest.mark.parametrize(
    "terms", [Terms(group="shop"), Terms(keeps=("order",)), Terms(of_inputs="key")]
)
def test_what_it_sends_by_itself_has_no_inputs_to_keep_anything_of(
    terms: Terms, play: Play
) -> None:
    with pytest.raises(UsageError, match="expected Terms of each and identity alone"):
        play.application().sends_to(Source("orders"), terms)


@pytest.mark.parametrize("terms", [Terms(each="one"), Terms(identity="header")])
def test_terms_of_what_it_sends_are_held_against_the_same_words(terms: Terms, play: Play) -> None:
    with pytest.raises(UsageError, match=r"expected (each to be|an identity of)"):
        play.application().sends_to(Source("orders"), terms)


def test_a_topic_with_a_pattern_is_for_loads(play: Play) -> None:
    orders = Source("orders")
    orders.pattern = Pattern("key")

    with pytest.raises(UsageError, match="in a topic without a Pattern, saw orders"):
        play.application().sends_to(orders)


def test_inputs_are_known_by_the_pattern_of_their_topic(play: Play) -> None:
    orders = Source("orders")
    orders.pattern = Pattern("json:of")
    held = play.application().contract(orders, Source("bills"), TERMS)

    held.record()

    assert [each for (each,) in play.told("input", "identity")] == [None, None, None, "c"]


def test_nobody_is_held_beside_another_to_what_is_in_a_topic(play: Play) -> None:
    orders, bills = Source("orders"), Source("bills")
    play.application("shop").sends_to(orders)
    play.application().contract(Source("carts"), bills, TERMS)

    for topic in (orders, bills):
        with pytest.raises(UsageError, match="expected nobody to be held to what is in"):
            play.application("kiosk").sends_to(topic)
    with pytest.raises(
        UsageError, match=r"one application to send to bills, saw kiosk\S* beside bil"
    ):
        play.application("kiosk").contract(Source("carts"), bills, TERMS)


def test_of_what_was_acknowledged_one_is_asked_for_at_least(play: Play) -> None:
    with pytest.raises(UsageError, match="expected each to be 'exactly' or 'at least', saw 'at mo"):
        play.application().sends_to(Source("orders"), Terms(each="at most"))


@pytest.mark.parametrize("told", [[1], lambda: None, lambda: 5, lambda: "ab"])
def test_what_is_handed_over_is_a_function_of_identities(told: Any, play: Play) -> None:
    sends = play.application("shop").sends_to(Source("orders"))

    with pytest.raises(UsageError, match="expected a function that returns identities"):
        sends.hand_over(acked=told)
    with pytest.raises(UsageError, match="expected a function that returns identities"):
        sends.hand_over(acked=list, begun=told)
    sends.hand_over(acked=list)


def test_an_identity_that_is_none_in_utf_8_can_be_written() -> None:
    assert text_of("\ud800") == "\\ud800"
