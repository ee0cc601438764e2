"""What the page of the articles says of trials."""

from __future__ import annotations

from tests.articles_page import _counts


def test_trials_that_proved_nothing_are_not_hidden_among_those_that_did() -> None:
    cell = {"kafka": "2.8.2", "reproduced": 2, "trials": 3, "inconclusive": 1}
    whole = {"kafka": "4.4.0", "reproduced": 0, "trials": 5, "inconclusive": 0}

    assert _counts([cell, whole]) == "2.8.2 2/3 ?1, 4.4.0 0/5"


def test_what_nobody_played_is_not_a_number() -> None:
    assert _counts([]) == "not measured yet"
