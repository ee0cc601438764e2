"""What a member commits, and when it asks for a commit again."""

from __future__ import annotations

import pytest

from highwater.adapters.confluent.uncommitted import Uncommitted

HERE, THERE = ("orders", 0), ("orders", 1)


@pytest.fixture
def reached() -> Uncommitted:
    found = Uncommitted()
    found.reach({HERE: 6, THERE: 3})
    return found


def test_what_was_processed_is_asked_for_once(reached: Uncommitted) -> None:
    assert reached.take() == [("orders", 0, 6), ("orders", 1, 3)]
    assert reached.take() == []


def test_what_was_refused_is_asked_for_again_where_it_is_held(reached: Uncommitted) -> None:
    reached.was_refused(reached.take(), {HERE})

    assert reached.take() == [("orders", 0, 6)]


def test_what_was_refused_does_not_go_behind_what_was_processed_since(reached: Uncommitted) -> None:
    taken = reached.take()
    reached.reach({HERE: 8})
    reached.was_refused(taken, {HERE, THERE})

    assert reached.take() == [("orders", 0, 8), ("orders", 1, 3)]


def test_what_was_given_up_is_not_asked_for(reached: Uncommitted) -> None:
    reached.forget(THERE)

    assert reached.take() == [("orders", 0, 6)]


def test_what_was_refused_does_not_go_behind_what_was_asked_for_since(
    reached: Uncommitted,
) -> None:
    taken = reached.take()
    reached.reach({HERE: 20})
    reached.take()

    reached.was_refused(taken, {HERE})

    assert reached.take() == []


def test_what_was_given_up_meanwhile_is_not_asked_for_again(reached: Uncommitted) -> None:
    taken = reached.take()
    reached.forget(HERE)

    reached.was_refused(taken, {HERE})

    assert reached.take() == []
