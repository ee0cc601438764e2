"""What pytest gives a test by name: a fault says what it needs, whatever else is left alone."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar
from unittest.mock import MagicMock, Mock

import pytest

from highwater.faults.disconnect import Disconnect
from highwater.faults.expire_session import ExpireSession
from highwater.faults.hold_asked import HoldAsked
from highwater.faults.hold_disk_change import HoldDiskChange
from highwater.faults.hold_heartbeats import HoldHeartbeats
from highwater.faults.hold_isr_change import HoldIsrChange
from highwater.faults.hold_markers import HoldMarkers
from highwater.faults.hold_orders import HoldOrders
from highwater.faults.hold_produce import HoldProduce
from highwater.faults.jump_clock import JumpClock
from highwater.faults.kill import Kill
from highwater.faults.limit_cpu import LimitCpu
from highwater.faults.lose_disk import LoseDisk
from highwater.faults.mislead import Mislead
from highwater.faults.repeat import Repeat
from highwater.faults.stall_asked import StallAsked
from highwater.faults.together import Together
from highwater.harness.cluster import ClusterSpec
from highwater.harness.fitting import misfit
from highwater.harness.model import Proof
from highwater.harness.versions.catalogue import find_kafka

ALL = ClusterSpec(
    gated_clients=True,
    gated_metadata=True,
    fake_clock=True,
    obeys_file_modes=True,
    two_log_dirs=True,
)


@pytest.mark.parametrize(
    ("fault", "needed"),
    [
        (ExpireSession(1), "gated_metadata=True"),
        (HoldProduce("producer-1"), "gated_clients=True"),
        (HoldAsked("JoinGroup", "member-1"), "gated_clients=True"),
        (Mislead("producer-1", 1), "gated_clients=True"),
        (StallAsked("Produce", "producer-1"), "gated_clients=True"),
        (JumpClock(1, 60), "fake_clock=True"),
        (LoseDisk(1), "two_log_dirs=True"),
        (Together((Kill(1), ExpireSession(2))), "ExpireSession needs"),
        (Repeat(Together((ExpireSession(2),)), 2), "ExpireSession needs"),
        (ExpireSession, "gated_metadata=True"),
        ({"how": ExpireSession(1)}, "gated_metadata=True"),
        (partial(ExpireSession, 1), "gated_metadata=True"),
        (partial(Repeat, ExpireSession(1)), "gated_metadata=True"),
    ],
    ids=str,
)
def test_a_fault_says_what_its_cluster_lacks(fault: object, needed: str) -> None:
    assert needed in misfit(fault, ClusterSpec(), "process")
    assert misfit(fault, ALL, "process") == ""


@pytest.mark.parametrize("fault", [Disconnect(1), LimitCpu(1, 0.5)], ids=str)
def test_a_fault_says_which_backend_can_have_it(fault: object) -> None:
    assert "it works on docker (pytest --kafka-backend, highwater --backend)" in misfit(
        fault, ALL, "process"
    )
    assert misfit(fault, ALL, "docker") == ""
    assert misfit(fault, ALL, None) == ""


@pytest.mark.parametrize("value", [Kill(1), "a rack", 3, None, Kill], ids=str)
def test_what_needs_nothing_fits_everywhere(value: object) -> None:
    assert misfit(value, ClusterSpec(), "process") == ""


@pytest.mark.parametrize(
    "mock",
    [MagicMock(), Mock(), MagicMock(spec=Kill(1)), Mock(spec=dict), Mock(spec=list)],
    ids=type,
)
def test_a_mock_is_no_fault(mock: Mock) -> None:
    assert misfit(mock, ClusterSpec(), "process") == ""
    assert misfit([mock], ClusterSpec(), "process") == ""


def test_what_answers_no_question_is_no_fault() -> None:
    class Proxy:
        """As a lazy one is before there is something behind it."""

        def __getattr__(self, name: str) -> object:
            raise RuntimeError(f"not set up yet: {name}")

    assert misfit(Proxy(), ClusterSpec(), "process") == ""


def test_what_holds_itself_or_very_much_is_looked_through_once() -> None:
    itself: dict[str, Any] = {"fault": ExpireSession(1)}
    itself["itself"] = [itself]
    deep: list[Any] = [ExpireSession(1)]
    for _ in range(5000):
        deep = [deep, deep]

    assert "gated_metadata=True" in misfit(itself, ClusterSpec(), "process")
    assert "gated_metadata=True" in misfit(deep, ClusterSpec(), "process")
    assert misfit(itself, ALL, "process") == misfit(deep, ALL, "process") == ""


@dataclass(frozen=True)
class Own:
    """A fault of somebody's own."""

    needs: ClassVar[Any] = "gated_client"
    later: Kill = field(init=False)

    @contextmanager
    def inject(self, _cluster: Any) -> Generator[Proof]:
        yield Proof({})


@pytest.mark.parametrize("needs", ["gated_client", ("gated_client",), "key", ["links"], 3])
def test_a_fault_that_needs_what_no_cluster_has_is_told(
    monkeypatch: pytest.MonkeyPatch, needs: object
) -> None:
    monkeypatch.setattr(Own, "needs", needs)

    said = misfit(Own(), ALL, "process")

    assert said.startswith(
        f"Own.needs is {needs!r}: expected some of nodes, kills, pauses, processes, links,"
    )


@pytest.mark.parametrize(
    ("fault", "kafka", "why"),
    [
        (HoldOrders(2, 100), "3.9.1", "A controller tells each broker who leads what"),
        (Together((Kill(1), HoldOrders(2, 100))), "4.4.0", "HoldOrders needs a Kafka of which"),
        (HoldOrders, "4.4.0", "4.4.0 is none: A controller tells"),
        (HoldIsrChange(1), "2.6.3", "A leader asks the controller for another ISR (KIP-497)"),
        (HoldHeartbeats(1), "3.9.1-zk", "that it is there: with KRaft"),
        (HoldDiskChange(1), "3.6.2", "from 3.7 on (KIP-858)"),
        (HoldMarkers(1, 2), "0.10.2.2", "Message format v2"),
    ],
)
def test_a_fault_by_which_nothing_would_happen_is_refused(
    fault: object, kafka: str, why: str
) -> None:
    """The gate would wait for requests that nobody sends there."""
    assert why in misfit(fault, ALL, "process", kafka=find_kafka(kafka))
    assert misfit(fault, ALL, "process") == ""


@pytest.mark.parametrize(
    ("fault", "kafka"),
    [
        (HoldOrders(2, 100), "3.9.1-zk"),
        (HoldIsrChange(1), "2.7.1"),
        (HoldHeartbeats(1), "3.9.1"),
        (HoldDiskChange(1), "3.7.0"),
        (HoldMarkers(1, 2), "0.11.0.3"),
        (Kill(1), "0.10.0.0"),
    ],
)
def test_a_fault_is_let_in_where_its_requests_are_sent(fault: object, kafka: str) -> None:
    assert misfit(fault, ALL, "process", kafka=find_kafka(kafka)) == ""


@pytest.mark.parametrize("fact", ["no_fact", "at_least", "name", "join_group_version", 3])
def test_a_fault_that_names_no_fact_is_told(monkeypatch: pytest.MonkeyPatch, fact: object) -> None:
    monkeypatch.setattr(Own, "needs", "")
    monkeypatch.setattr(Own, "on_kafka", fact, raising=False)

    said = misfit(Own(), ALL, "process", kafka=find_kafka("4.4.0"))

    assert said.startswith(f"Own.on_kafka is {fact!r}: expected a fact of")


@pytest.mark.parametrize("not_on", ["process", ["process"]])
def test_a_fault_that_does_not_say_why_it_is_not_on_a_backend_is_told(
    monkeypatch: pytest.MonkeyPatch, not_on: object
) -> None:
    monkeypatch.setattr(Own, "needs", "")
    monkeypatch.setattr(Own, "not_on", not_on, raising=False)

    said = misfit(Own(), ALL, "process")

    assert said.startswith(f"Own.not_on is {not_on!r}: expected a reason for each backend")
