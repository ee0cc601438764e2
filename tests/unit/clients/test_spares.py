"""Clients that were started ahead of time: they become whoever is needed, or nobody."""

from __future__ import annotations

import os
import signal
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from highwater.harness.clients import process
from highwater.harness.clients.process import ClientProcess, Event, Launch
from highwater.harness.clients.spares import CONFLUENT, Spares
from highwater.harness.processes.warden import Warden
from highwater.harness.wait import wait_until
from highwater.harness.workloads.producer import ProducerSettings


@pytest.fixture
def spares(monkeypatch: pytest.MonkeyPatch) -> Spares:
    made = Spares()
    monkeypatch.setattr(process, "spares", made)
    return made


def launch(warden: Warden, directory: Path) -> Launch:
    place = {"directory": str(directory), "origin_ns": 0, "number": 1}
    order: dict[str, Any] = {"role": "steps", "client": "sender", "bootstrap": "127.0.0.1:1"}
    return Launch({**order, "record": place}, directory / "sender.log", warden.group, CONFLUENT)


def test_one_that_waits_becomes_the_client_in_its_place_and_group(
    spares: Spares, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard: list[Event] = []
    spares.prepare()
    spares.prepare()
    waiting = spares._waiting
    assert waiting is not None
    monkeypatch.chdir(tmp_path)
    with Warden() as warden:
        with ClientProcess(launch(warden, Path("run")), heard.append) as client:
            assert client._process is waiting
            assert os.getpgid(waiting.pid) == warden.group
            settings = asdict(ProducerSettings())
            told = {"name": "p", "settings": settings, "transactional": False}
            client.tell({"do": "open", "step": 1, **told, "bootstrap": "127.0.0.1:1"})
            client.await_said("done", 30)
        assert [each["event"] for each in heard] == ["ready", "client", "done", "stopping", "ended"]
    assert (tmp_path / "run" / "sender.log").read_bytes() == b""
    assert spares.take() is None


def test_what_one_that_had_waited_says_of_its_end_is_in_its_log(
    spares: Spares, tmp_path: Path
) -> None:
    spares.prepare()
    with Warden() as warden:
        told = launch(warden, tmp_path)
        wrong = Launch({**told.order, "role": "nobody"}, told.log, told.group, told.line)
        with (
            pytest.raises(process.InfrastructureError, match=r"ended by itself[^$]*KeyError"),
            ClientProcess(wrong, lambda _event: None),
        ):
            pass


def test_one_that_has_died_is_nobody_and_another_one_takes_its_place(
    spares: Spares, tmp_path: Path
) -> None:
    spares.prepare()
    dead = spares._waiting
    assert dead is not None
    os.kill(dead.pid, signal.SIGKILL)
    wait_until(lambda: Path(f"/proc/{dead.pid}/stat").read_text().split()[2] == "Z", "its death")

    with Warden() as warden, ClientProcess(launch(warden, tmp_path), lambda _event: None) as client:
        assert client._process.pid != dead.pid


def test_one_that_nobody_needed_ends_with_its_standard_input(spares: Spares) -> None:
    spares.prepare()
    left = spares.take()
    assert left is not None

    said, _ = left.communicate(timeout=30)

    assert (left.returncode, said) == (0, b"")


def test_one_that_waits_is_ended_with_whoever_keeps_it(spares: Spares) -> None:
    spares.prepare()
    waiting = spares._waiting
    assert waiting is not None

    spares.close()
    spares.close()

    assert waiting.returncode == -signal.SIGKILL
