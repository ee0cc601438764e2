"""A play whose fault comes too late, or to nothing, proves nothing: what it needs is asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any
from unittest.mock import MagicMock

import pytest

from highwater.faults.answer_requests import AnswerRequests
from highwater.faults.kill import Kill
from highwater.harness.errors import DeadlineError, PreconditionError
from highwater.harness.model import Altered, PartitionState
from highwater.harness.versions.catalogue import find_kafka
from highwater.scenarios.acts.isr_expansion import IMPATIENT_LEADER
from highwater.scenarios.acts.throttled import throttled
from highwater.scenarios.catalogue import find_scenario

MOVING = PartitionState(1, 0, isr=(1, 2), replicas=(2, 3, 1))


def require(what: str, is_so: bool, **_seen: Any) -> None:
    if not is_so:
        raise PreconditionError(what)


def await_state(what: str, fact: Callable[[], bool], _timeout_s: float = 30.0) -> None:
    """As after all the time that a state was given: ten looks."""
    if not any(fact() for _ in range(10)):
        raise DeadlineError(what)


def stage(*replicas: int) -> tuple[MagicMock, MagicMock]:
    """A play on three brokers that do all at once, and its partition."""
    play, partition = MagicMock(), MagicMock(replicas=replicas)
    play.cluster.kafka, play.cluster.brokers = find_kafka("4.1.1"), (1, 2, 3)
    partition.require, partition.await_state = require, await_state
    return play, partition


def injected(play: MagicMock) -> list[Any]:
    return [call.args[0] for call in play.inject.call_args_list]


def refused_with(behind: int) -> list[Any]:
    """The faults that were injected where so many requests wait behind the first."""
    play, partition = stage(1, 2, 3)
    play.record.now_ns.side_effect = range(0, 10**12, 10**9)
    play.inject.return_value = SimpleNamespace(
        proof={"behind": behind}, await_answered=lambda: None
    )
    offsets = iter(range(100))
    play.producer.return_value.__enter__.return_value.send.side_effect = lambda _where: (
        SimpleNamespace(all_acked=True, first_offset=-next(offsets))
    )
    with pytest.raises(PreconditionError) as refused:
        find_scenario("retried-out-of-order").play(play, partition)
    return [str(refused.value), *injected(play)]


def test_no_request_is_refused_before_the_next_one_is_under_way() -> None:
    why, *faults = refused_with(behind=0)

    # With one in flight nothing is behind the first; of five it is the next that is missed.
    assert why == "a second request is under way behind the first"
    assert [type(each) for each in faults].count(AnswerRequests) == 1


def test_who_has_one_request_in_flight_has_no_other_under_way() -> None:
    why, *faults = refused_with(behind=1)

    assert why == "nothing is under way behind the first"
    assert not any(isinstance(each, AnswerRequests) for each in faults)


@pytest.mark.parametrize(
    "state",
    [
        PartitionState(2, 1, isr=(2, 3), replicas=(2, 3)),
        PartitionState(1, 0, isr=(1, 2), replicas=(1, 2)),
        PartitionState(1, 0, isr=(1, 2, 3), replicas=(2, 3, 1)),
    ],
    ids=["it has ended", "it is not asked for any more", "its target is in sync"],
)
@pytest.mark.parametrize("name", ["target-dies-halfway", "source-dies-halfway"])
def test_nobody_is_killed_where_no_move_is_under_way(name: str, state: PartitionState) -> None:
    play, partition = stage(1, 2)
    partition.state.return_value = state

    with pytest.raises(DeadlineError, match=r"^the move is under way$"):
        find_scenario(name).play(play, partition)

    assert not any(isinstance(fault, Kill) for fault in injected(play))


def test_a_move_that_is_called_off_when_its_target_dies_is_none_that_waits() -> None:
    play, partition = stage(1, 2)
    calm = PartitionState(1, 0, isr=(1, 2), replicas=(1, 2))
    partition.state.side_effect = lambda: calm if Kill(3) in injected(play) else MOVING

    with pytest.raises(PreconditionError, match=r"^it is under way still"):
        find_scenario("target-dies-halfway").play(play, partition)


def test_a_broker_that_is_silent_does_not_pass_for_one_that_knows_of_nothing() -> None:
    play, partition = stage(1, 2, 3)
    play.cluster.kafka = find_kafka("3.9.1-zk")
    play.record.now_ns.side_effect = range(0, 10**12, 10**10)
    play.cluster.metadata.registered.return_value = {1, 2, 3}
    partition.state.return_value = PartitionState(1, 0, isr=(1, 2), replicas=(1, 2, 3))
    partition.look.return_value.ends.return_value = {1: 21, 2: 21, 3: None}
    play.scene.probe.return_value.partitions.side_effect = TimeoutError("timed out")

    with pytest.raises(TimeoutError):
        find_scenario("started-unheard").play(play, partition)


def test_a_target_that_is_silent_does_not_pass_for_one_that_is_throttled() -> None:
    play, partition = stage(1, 2)
    partition.where.topic = "orders"
    partition.state.side_effect = lambda: PartitionState(
        1, 0, isr=(1, 2), replicas=tuple({1, 2, *partition.replicas})
    )
    ends = iter(range(1000, 100_000, 100))
    partition.look.return_value.ends.side_effect = lambda: {1: next(ends), 2: 1000, 3: None}

    with pytest.raises(PreconditionError, match=r"^its target is there$"):
        find_scenario("throttled-move").play(play, partition)


def test_who_cannot_be_asked_keeps_nobody_else_throttled() -> None:
    play, partition = stage(1, 2)
    freed: list[str] = []

    def alter(what: Altered, settings: Mapping[str, str | None]) -> None:
        if None in settings.values():
            freed.append(what.name)
            if what.name == "1":
                raise ConnectionRefusedError("nobody listens")

    play.cluster.metadata.alter = alter
    with pytest.raises(ConnectionRefusedError), throttled(play, partition, 1):
        pass

    assert freed == ["1", "2", "3"]


def test_the_heir_does_not_look_for_who_is_late_while_it_is_played() -> None:
    """Once in half its patience; a latecomer that was let in has never had all."""
    patience_ms = int(IMPATIENT_LEADER.get(2, {}).get("replica.lag.time.max.ms", "60000"))

    assert patience_ms / 2 > 10 * 60 * 1000
