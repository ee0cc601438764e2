"""A replay that could take no step says which, and where; the ground under it is literal."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import pytest

from highwater.exploration.ground import Ground
from highwater.exploration.moves import Send
from highwater.exploration.scenarios import require_taken
from highwater.exploration.steps import Move, Step
from highwater.exploration.storms import Idle
from highwater.exploration.transacting import Claim, End, Write
from highwater.exploration.views import View
from highwater.exploration.walk import Walk, following, walk
from highwater.harness.errors import PreconditionError
from highwater.harness.versions.catalogue import find_kafka

OLD = find_kafka("0.10.2.2")
NOBODY_KNOWS = View(partition=None, ends={}, marks={}, logs={})


def walked(*moves: Move) -> tuple[Walk, list[Step]]:
    """On a Kafka without transactions, where nobody leads."""
    steps = [Step(each) for each in moves]
    ground = SimpleNamespace(kafka=OLD, calm=lambda: NOBODY_KNOWS, soon=lambda *_: None)
    return walk(cast("Ground", ground), following(steps)), steps


def test_a_replay_that_could_take_no_step_says_which_and_on_which_kafka() -> None:
    done, steps = walked(Claim(1), Write(1, 2), Send(1, "all"))

    with pytest.raises(PreconditionError) as refused:
        require_taken(done, steps, OLD)

    assert str(refused.value) == (
        "no step of the schedule could be played on Kafka 0.10.2.2: "
        "claim(producer=1); write(producer=1, records=2); send(records=1, acks=all)"
    )


def test_of_a_long_schedule_the_first_steps_are_named() -> None:
    done, steps = walked(*(End(each, commit=True) for each in range(1, 40)))

    with pytest.raises(PreconditionError, match=r"producer=5, commit=True\) and 34 more$"):
        require_taken(done, steps, OLD)


def test_one_step_that_was_taken_is_enough() -> None:
    done, steps = walked(Claim(1), Idle(0))

    require_taken(done, steps, OLD)

    assert [each.step for each in done.taken] == steps[1:]
