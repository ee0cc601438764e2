"""A broker that may not lead is waited for as well: until it serves, or has halted."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from highwater.scenarios.acts.failed_disk import follow_its_advice

BROKER = 1


def test_a_broker_that_is_passed_over_has_to_serve_first() -> None:
    """Nobody leads, and another one is eligible, before it is started already."""
    serving, looks = set[int](), list[bool]()

    def await_state(_what: str, condition: Callable[[], bool]) -> None:
        looks.append(condition())
        serving.add(BROKER)
        looks.append(condition())

    nodes = SimpleNamespace(start=lambda _: None, running=lambda _: True)
    files = SimpleNamespace(server_log=lambda _: Path("none"))
    metadata = SimpleNamespace(registered=lambda: serving)
    play = SimpleNamespace(cluster=SimpleNamespace(nodes=nodes, files=files, metadata=metadata))
    partition = SimpleNamespace(
        state=lambda: SimpleNamespace(leader=-1, elr=(3,)), await_state=await_state
    )

    follow_its_advice(cast("Any", play), cast("Any", partition), BROKER)

    assert looks == [False, True]
