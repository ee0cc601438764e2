"""What holds of all scenarios that any client can play."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any
from unittest.mock import MagicMock

import pytest

from highwater.faults.answer_requests import AnswerRequests
from highwater.harness.errors import PreconditionError
from highwater.harness.foreign.lines import PIPELINING
from highwater.harness.foreign.programs import OURS
from highwater.harness.model import Scenario
from highwater.harness.versions.catalogue import find_kafka
from highwater.scenarios.catalogue import scenarios

ANY_CLIENT = [each for each in scenarios() if each.any_client]
IN_A_ROW = [each for each in ANY_CLIENT if each.any_client == PIPELINING]


def require(what: str, is_so: bool, **_seen: Any) -> None:
    if not is_so:
        raise PreconditionError(what)


@pytest.mark.parametrize("each", IN_A_ROW, ids=lambda each: each.name)
def test_who_has_one_request_under_way_proves_nothing_where_several_are_needed(
    each: Scenario,
) -> None:
    play, partition = MagicMock(client=OURS), MagicMock(replicas=(1, 2, 3))
    play.cluster.kafka = find_kafka("4.1.1")
    play.record.now_ns.return_value = 0
    play.load.return_value.__enter__.return_value.acked = 0
    play.inject.return_value = SimpleNamespace(proof={"behind": 0, "matched": 1})
    play.topic.return_value.__getitem__.return_value.leader = 1
    for where in (partition, play.topic.return_value.__getitem__.return_value):
        where.require = require

    with pytest.raises(PreconditionError, match="under way at once"):
        each.play(play, partition)

    injected = [call.args[0] for call in play.inject.call_args_list]
    assert injected
    assert not any(isinstance(fault, AnswerRequests) for fault in injected)
