"""A throttle is lifted on every broker, whatever goes wrong, and hides no error."""

from __future__ import annotations

from collections.abc import Mapping
from unittest.mock import Mock

import pytest

from highwater.harness.errors import PreconditionError
from highwater.harness.model import Altered, TopicPartition
from highwater.scenarios.acts.throttled import RATES, throttled


def a_play(refuses: int) -> tuple[Mock, list[str]]:
    """One broker answers no more when it is to lift its throttle."""
    play, lifted = Mock(), list[str]()
    play.cluster.brokers = (1, 2, 3)

    def alter(what: Altered, settings: Mapping[str, str | None]) -> None:
        if settings == dict.fromkeys(RATES):
            lifted.append(what.name)
            if what.name == str(refuses):
                raise ConnectionError("broker 1 is away")

    play.cluster.metadata.alter = alter
    return play, lifted


def test_one_that_does_not_answer_leaves_no_other_throttled_and_hides_no_error() -> None:
    play, lifted = a_play(refuses=1)
    partition = Mock(where=TopicPartition("orders"))

    with (
        pytest.raises(PreconditionError, match="not so") as told,
        throttled(play, partition, 1),
    ):
        raise PreconditionError("not so")

    assert lifted == ["1", "2", "3"]
    assert "broker 1 is away" in "".join(told.value.__notes__)


def test_that_it_could_not_be_lifted_is_told_where_nothing_else_went_wrong() -> None:
    play, lifted = a_play(refuses=2)

    with (
        pytest.raises(ConnectionError, match="is away"),
        throttled(play, Mock(where=TopicPartition("orders")), 1),
    ):
        pass

    assert lifted == ["1", "2", "3"]
