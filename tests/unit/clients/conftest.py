"""Small programs that are clients, or pretend to be."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from highwater.harness import topic
from highwater.harness.clients.crew import Crew
from highwater.harness.clients.process import Launch
from highwater.harness.processes.warden import Warden
from highwater.harness.topics import Topics
from highwater.harness.versions.catalogue import find_kafka
from highwater.harness.workloads.payload import Values

SAYS = "import sys, time; say = lambda text: print(text, flush=True); sys.stdin.readline(); "
READY = 'say(\'{"event": "ready"}\'); '
ENDED = 'sys.stdin.readline(); say(\'{"event": "ended"}\')'

Launching = Callable[..., Launch]


@pytest.fixture
def launching(tmp_path: Path) -> Iterator[Launching]:
    with Warden() as warden:

        def launch(program: str, name: str = "client-1") -> Launch:
            line = (sys.executable, "-c", SAYS + program)
            return Launch({"client": name}, tmp_path / "logs" / f"{name}.log", warden.group, line)

        yield launch


class Topic(topic.Topic):
    """Named, of one partition, and of no cluster."""

    def __init__(self, name: str) -> None:
        scene = SimpleNamespace(require_there=lambda: None)
        super().__init__(cast("Any", scene), name, [])

    def __len__(self) -> int:
        return 1

    @property
    def wheres(self) -> Any:
        return [(self.name, 0)]

    def when_grown(self, follower: Callable[[], None]) -> None:
        """It never does."""


@pytest.fixture
def crew(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> Crew:
    history = SimpleNamespace(patterns={})
    told = {"path": tmp_path, "origin_ns": 0, "history": history}
    record = SimpleNamespace(**told, group=lambda *_: None)
    cluster = SimpleNamespace(
        kafka=find_kafka("4.1.1"),
        bootstrap="127.0.0.1:1",
        client_bootstrap="127.0.0.1:2",
        has=frozenset(),
    )
    scene: Any = SimpleNamespace(record=record, cluster=cluster, values=Values())
    made = Crew(scene, Topics(scene, "shop"))
    monkeypatch.setattr(made, "_group", lambda: 0)
    return made
