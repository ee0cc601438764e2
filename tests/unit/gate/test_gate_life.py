"""The gate's process: how it reports, ends, and dies."""

from __future__ import annotations

import io
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
from tests.unit.gate.conftest import (
    PATIENCE_S,
    FakeBroker,
    Peer,
    fetch,
)

from highwater.harness.errors import DeadlineError, InfrastructureError, Interrupted
from highwater.harness.gate import client
from highwater.harness.gate.client import GateProcess
from highwater.harness.gate.rules import Action, Match, Rule
from highwater.harness.gate.upstream import Upstream

Connect = Callable[[], Peer]
REQUEST = Match(stage="request")


def test_connections_are_reported_with_who_they_belong_to(
    connect: Connect, gate: GateProcess
) -> None:
    peer = connect()
    peer.ask(fetch())
    peer.sock.close()

    gate.wait_event(lambda event: event["event"] == "closed", "the end", PATIENCE_S)

    connection = [event for event in gate.events() if event["event"] in {"connected", "closed"}]
    assert [event["event"] for event in connection] == ["connected", "closed"]
    assert {event["follower"] for event in connection} == {2}
    assert connection[-1]["reason"] == "client"


def test_the_gate_ends_when_its_stdin_does() -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "highwater.harness.gate"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    assert b"ready" in process.stdout.readline()

    process.send_signal(signal.SIGINT)
    process.stdin.write(b'{"id":1,"command":"nothing"}\n')
    process.stdin.flush()
    survived = process.stdout.readline()
    process.stdin.close()

    assert b"KeyError" in survived
    assert process.wait(PATIENCE_S) == 0
    process.stdout.close()


def test_the_death_of_the_gate_is_reported_to_whoever_waits(gate: GateProcess) -> None:
    hold = gate.add(Rule(REQUEST))

    os.kill(gate.pid, signal.SIGKILL)

    with pytest.raises(InfrastructureError, match=r"the gate died \(exit -9\)"):
        hold.standing()
    with pytest.raises(InfrastructureError, match="the gate died"):
        gate.listen(Upstream(1, "127.0.0.1", 1))


def test_a_broker_may_have_a_port_for_its_peers_and_one_for_clients(
    gate: GateProcess, broker: FakeBroker
) -> None:
    ports = {gate.listen(Upstream(1, "127.0.0.1", broker.port)) for _ in range(2)}
    hold = gate.add(Rule(Match(leader=1), Action("watch")))

    for port in ports:
        with socket.create_connection(("127.0.0.1", port)) as sock:
            Peer(sock).ask(fetch())

    assert len(ports) == 2
    assert hold.counters()["matched"] == 4


def test_a_wait_that_is_not_fulfilled_says_what_was_seen(
    connect: Connect, gate: GateProcess
) -> None:
    hold = gate.add(Rule(Match(follower=3)))
    connect().ask(fetch())
    gate.wait_event(lambda event: event["event"] == "connected", "the client", PATIENCE_S)

    with pytest.raises(DeadlineError, match=r'"standing" of rule-1.*"connected".*matched'):
        hold.standing(0.0)


def test_a_callback_hears_every_event_and_its_error_is_not_lost(broker: FakeBroker) -> None:
    heard: list[str] = []

    def listen(event: dict[str, Any]) -> None:
        heard.append(event["event"])
        if event["event"] == "connected":
            raise LookupError("no such record")

    with GateProcess(on_event=listen) as gate:
        port = gate.listen(Upstream(1, "127.0.0.1", broker.port))
        with socket.create_connection(("127.0.0.1", port)) as sock:
            Peer(sock).ask(fetch())
        with pytest.raises(LookupError, match="no such record"):
            gate.wait_event(lambda _: False, "an error", PATIENCE_S)

    assert heard[:2] == ["ready", "connected"]


class Talker(GateProcess):
    """A gate that is any program: what it says, and when it ends, is up to the test."""

    def say(self, script: str) -> None:
        self._stderr = io.BytesIO()
        self._process = subprocess.Popen(
            [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self._ending.callback(self._stop, self._process)
        self._read()


READY = 'print(\'{"event":"ready","seq":0}\', flush=True)'


@pytest.mark.parametrize(
    ("script", "seen"),
    [
        (f"{READY}; print('{{\"event\":\"stand', end='')", r"exit 0.*its last line b'{\"event"),
        (f"{READY}; print('Traceback'); import time; time.sleep(600)", r"exit -9.*b'Traceback"),
        (f"{READY}; print('{{}}')", r"exit 0.*b'{}.*reply"),
    ],
)
def test_a_line_that_cannot_be_read_is_the_end_of_the_gate_and_is_told(
    script: str, seen: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, "_EXIT_TIMEOUT_S", 0.5)
    gate = Talker()
    gate.say(script)

    with pytest.raises(InfrastructureError, match=rf"the gate died \({seen}"):
        gate.wait_event(lambda event: event["event"] == "standing", "a frame", 3600)
    with pytest.raises(InfrastructureError, match="the gate died"):
        gate.counters("rule-1")

    gate.__exit__(None, None, None)


def test_a_rule_that_may_be_in_force_and_has_no_handle_is_retired(
    gate: GateProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    ask = gate._ask

    def interrupted(name: str, **fields: Any) -> dict[str, Any]:
        asked.append(name)
        answer = ask(name, **fields)
        if name == "add":
            raise Interrupted
        return answer

    monkeypatch.setattr(gate, "_ask", interrupted)

    with pytest.raises(Interrupted):
        gate.add(Rule(REQUEST))

    assert asked == ["add", "resolve"]
