"""Small programs that are clients, or pretend to be."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from highwater.harness.clients.process import Launch
from highwater.harness.processes.warden import Warden

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
