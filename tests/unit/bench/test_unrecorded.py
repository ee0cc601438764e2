"""The client that keeps nothing can be asked whatever the one that records is asked."""

from __future__ import annotations

from collections.abc import Callable
from inspect import Parameter, signature

import pytest
from tests.bench.unrecorded import NoHistory, Unkept

from highwater.harness.record.history import History
from highwater.harness.record.polls import Polls
from highwater.harness.record.sends import Sends

PAIRS = [
    (History, NoHistory, ("promised", "reader", "sends", "polls")),
    (Sends, Unkept, ("intend", "keyed", "invoke", "acknowledged_all", "ended", "made_of")),
    (Polls, Unkept, ("within", "extend")),
]


@pytest.mark.parametrize(
    ("recorded", "unrecorded"),
    [
        (getattr(kept, name), getattr(unkept, name))
        for kept, unkept, names in PAIRS
        for name in names
    ],
    ids=lambda method: method.__qualname__,
)
def test_it_takes_what_the_one_that_records_takes(
    recorded: Callable[..., object], unrecorded: Callable[..., object]
) -> None:
    taken = signature(recorded).parameters.values()
    by_position = [each.name for each in taken if each.kind is Parameter.POSITIONAL_OR_KEYWORD]
    by_name = {each.name: 0 for each in taken if each.kind is Parameter.KEYWORD_ONLY}

    signature(unrecorded).bind(*by_position, **by_name)
