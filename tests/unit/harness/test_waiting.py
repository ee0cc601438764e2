"""wait_until(): what it returns, what it lets pass, and what it says when time is up."""

from __future__ import annotations

import pytest

from highwater.harness.errors import DeadlineError, InfrastructureError
from highwater.harness.wait import wait_until


def test_what_the_condition_returned_comes_back() -> None:
    answers = iter([None, 0, "", [7]])

    assert wait_until(lambda: next(answers), "something true", 5, interval_s=0) == [7]


@pytest.mark.parametrize("error", [ConnectionRefusedError(), EOFError(), KeyError("x")])
def test_a_broker_that_is_not_there_yet_is_waited_for(error: Exception) -> None:
    errors = iter([error, error])

    def condition() -> str:
        for each in errors:
            raise each
        return "here"

    assert wait_until(condition, "a broker", 5, interval_s=0) == "here"


def test_a_bug_in_the_condition_is_not_waited_for() -> None:
    with pytest.raises(ZeroDivisionError):
        wait_until(lambda: 1 / 0, "the end of arithmetic", 5)


def test_an_error_of_ours_is_not_waited_for() -> None:
    def ended() -> bool:
        raise InfrastructureError("broker 1 ended by itself")

    with pytest.raises(InfrastructureError, match="ended by itself"):
        wait_until(ended, "broker 1", 5)


def test_when_time_is_up_it_says_what_was_awaited_seen_and_where_to_look() -> None:
    with pytest.raises(DeadlineError) as late:
        wait_until(lambda: 0, "LEO = HW", 0, look="server.log")

    assert str(late.value) == "waited 0.0 s for LEO = HW; last seen: 0; look at server.log"


def test_when_time_is_up_it_names_the_last_error() -> None:
    def refused() -> bool:
        raise ConnectionRefusedError(111, "Connection refused")

    with pytest.raises(DeadlineError) as late:
        wait_until(refused, "broker 1", 0)

    assert "ConnectionRefusedError: [Errno 111] Connection refused" in str(late.value)
    assert "look at" not in str(late.value)


def test_a_condition_that_holds_at_once_needs_no_time() -> None:
    assert wait_until(lambda: "held", "what holds", 0)


def test_what_is_no_time_is_not_waited_for_for_ever() -> None:
    with pytest.raises(DeadlineError, match="waited 0"):
        wait_until(lambda: False, "what never comes", float("nan"))
