"""What an adapter may answer to a step of a transaction, and when."""

from __future__ import annotations

import pytest

from highwater.harness.foreign.lines import BreachError
from highwater.harness.foreign.steps import Steps

ANSWER = {"step": "commit", "error": None, "demands": None}


@pytest.mark.parametrize(
    ("asked", "change", "why"),
    [
        ("begin", {}, "one answer to each step, which is 'begin' now, saw one to 'commit'"),
        ("", {}, "one answer to each step, which is none now"),
        ("commit", {"error": "Odd"}, "demands of a step that has an error"),
        ("commit", {"demands": "abort"}, "demands of a step that has an error, and of no other"),
    ],
)
def test_what_is_no_answer_breaks_the_protocol(
    asked: str, change: dict[str, str], why: str
) -> None:
    steps = Steps()
    if asked:
        steps.ask(asked)

    with pytest.raises(BreachError, match=why):
        steps.hear({**ANSWER, **change}, 0)


def test_an_end_that_is_refused_may_come_before_outcomes() -> None:
    steps = Steps()
    steps.ask("commit")

    steps.hear({**ANSWER, "error": "Timeout", "demands": "retry"}, 7)
    with pytest.raises(BreachError, match="which is none now"):
        steps.hear(ANSWER, 0)
