"""Brokers are asked who is in a share group, and only one of them knows."""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import pytest

from highwater.harness.clients.asking import share_members
from highwater.harness.probes.wire import AnswerError

HELD = {"w-1": frozenset({("orders", 0)})}


def scene(knows: int, *, has: frozenset[str] = frozenset({"nodes"})) -> Any:
    """Of four brokers, of which 1 is gone and 2 is frozen, which would answer in three seconds."""

    def probe(broker: int) -> Any:
        if has and broker in (1, 2):
            pytest.fail(f"{broker} was asked")

        def asked(group: str) -> Mapping[str, frozenset[tuple[str, int]]]:
            if broker == knows:
                return HELD
            raise AnswerError(f"who the members of {group} are", 16)

        return SimpleNamespace(share_members=asked)

    nodes = SimpleNamespace(running=lambda each: each != 1, frozen=lambda each: each == 2)
    cluster = SimpleNamespace(has=has, brokers=(1, 2, 3, 4), nodes=nodes, probe=probe)
    return SimpleNamespace(cluster=cluster)


@pytest.mark.parametrize("coordinator", [3, 4])
def test_the_coordinator_is_whoever_tells(coordinator: int) -> None:
    assert share_members(scene(coordinator), "workers") == HELD


def test_of_brokers_that_nobody_started_all_are_asked() -> None:
    assert share_members(scene(2, has=frozenset()), "workers") == HELD


def test_what_nobody_tells_is_not_known_yet() -> None:
    saw = r"no broker told the members of workers: 3: .*NOT_COORDINATOR.*; 4: .*NOT_COORDINATOR"

    with pytest.raises(LookupError, match=saw):
        share_members(scene(1), "workers")
