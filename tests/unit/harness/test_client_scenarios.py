"""What holds of all scenarios that any client can play."""

from __future__ import annotations

from contextlib import suppress
from inspect import getsource
from types import SimpleNamespace
from typing import Any
from unittest.mock import MagicMock

import pytest

from highwater.faults.answer_requests import AnswerRequests
from highwater.harness.clients.settings import ConsumerSettings, Transactions
from highwater.harness.errors import PreconditionError, UsageError
from highwater.harness.foreign.lines import AUTOMATIC, MEMBER, PIPELINING, POLLING, PRODUCER
from highwater.harness.foreign.programs import OURS
from highwater.harness.model import Scenario
from highwater.harness.versions.catalogue import find_kafka
from highwater.harness.workloads.producer import ProducerSettings
from highwater.listing import scenario_rows
from highwater.scenarios.catalogue import find_scenario, scenarios

ANY_CLIENT = [each for each in scenarios() if each.any_client]
IN_A_ROW = [each for each in ANY_CLIENT if each.any_client == PIPELINING and each.calm]


SETTINGS = (ProducerSettings, ConsumerSettings, Transactions)
CHARGED = [each for each in ANY_CLIENT if each.calm]


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


def test_the_catalogue_has_the_control_of_each() -> None:
    told = {row["name"]: row["without a fault"] for row in scenario_rows()}

    assert told["client-place-late"] == "client-place-undisturbed"
    assert {name: told[name] for name in told if told[name]} == {
        each.name: each.calm for each in CHARGED
    }


def told_to(each: Scenario) -> set[tuple[str, str]]:
    """What its loads and groups are set to where nothing is waited for, as far as it gets."""
    play, partition = MagicMock(client=OURS), MagicMock(replicas=(1, 2, 3))
    play.cluster.kafka = find_kafka("4.1.1")
    play.record.now_ns.return_value = 0
    play.topic.return_value.__getitem__.return_value.leader = 1
    play.load.return_value.__enter__.return_value.acked = 0
    with suppress(LookupError, ValueError, UsageError):  # nobody is there who is to be hit
        each.play(play, partition)
    asked = [call for words in (play.load, play.group) for call in words.call_args_list]
    every = [value for call in asked for value in (*call.args, *call.kwargs.values())]
    told = [value for value in every if isinstance(value, SETTINGS)]
    return {(type(value).__name__, repr(value)) for value in told if value != ProducerSettings()}


@pytest.mark.parametrize("each", ANY_CLIENT, ids=lambda each: each.name)
def test_a_scenario_with_a_fault_names_its_control_and_that_one_is_a_control(
    each: Scenario,
) -> None:
    names_of_controls = {other.calm for other in CHARGED}

    if not each.calm:
        assert each.name in names_of_controls
        return
    control = find_scenario(each.calm)
    assert not control.calm
    assert not control.reproduces
    assert not control.reproduces_with
    assert set(each.claims) <= set(control.claims)


@pytest.mark.parametrize("each", CHARGED, ids=lambda each: each.name)
def test_the_control_has_the_settings_of_what_it_is_the_control_of(each: Scenario) -> None:
    control = find_scenario(each.calm)

    told = told_to(each)

    assert told <= told_to(control)
    assert told or each.calm == "client-undisturbed"  # which has the usual ones


def test_who_can_play_a_scenario_can_play_its_control() -> None:
    roles = {each.name: (each.any_client, find_scenario(each.calm).any_client) for each in CHARGED}

    apart = {name for name, (role, calm) in roles.items() if calm not in (role, PRODUCER, MEMBER)}

    assert apart == set()
    assert {role for role, calm in roles.values() if calm == MEMBER} <= {MEMBER, POLLING, AUTOMATIC}


def test_a_control_does_nothing_to_anybody() -> None:
    controls = [each for each in ANY_CLIENT if not each.calm]

    injecting = [each.name for each in controls if ".inject(" in getsource(each.play)]

    assert controls
    assert injecting == []
