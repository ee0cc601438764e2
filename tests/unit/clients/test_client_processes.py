"""Clients in processes of their own: small programs, some of which keep to nothing agreed."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from tests.unit.clients.conftest import ENDED, READY, Launching
from tests.unit.clients.orders import Orders, no_topics

from highwater.harness.clients import process
from highwater.harness.clients.group import Group, Ways
from highwater.harness.clients.load import Load
from highwater.harness.clients.process import ClientProcess, Event
from highwater.harness.errors import (
    DeadlineError,
    InfrastructureError,
    PreconditionError,
    UsageError,
)


def test_a_client_that_keeps_to_what_is_agreed_is_heard_and_ends(launching: Launching) -> None:
    heard: list[Event] = []

    with ClientProcess(launching(READY + ENDED), heard.append) as client:
        assert client.is_well()

    assert [event["event"] for event in heard] == ["ready", "stopping", "ended"]
    assert client.is_well()


def test_a_client_that_ends_by_itself_says_why(launching: Launching) -> None:
    program = READY + "sys.exit('no broker likes me')"

    with (
        pytest.raises(InfrastructureError, match=r"exit code 1.*\n.*no broker likes me"),
        ClientProcess(launching(program), lambda _event: None) as client,
    ):
        client.await_said("never", 30)


def test_a_client_that_ends_before_it_has_begun_is_not_waited_for(launching: Launching) -> None:
    with (
        pytest.raises(InfrastructureError, match="exit code 3"),
        ClientProcess(launching("sys.exit(3)"), lambda _event: None),
    ):
        pass


def test_a_client_that_never_begins_is_given_up_and_killed(
    launching: Launching, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "START_TIMEOUT_S", 0.2)
    monkeypatch.setattr(process, "END_TIMEOUT_S", 0.2)
    client = ClientProcess(launching("time.sleep(600)"), lambda _event: None)

    with pytest.raises(DeadlineError, match="client-1 to say that it is ready"), client:
        pass

    assert client._process.poll() == -9


def test_a_client_that_does_not_stop_is_killed(
    launching: Launching, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "END_TIMEOUT_S", 0.2)
    client = ClientProcess(launching(READY + "time.sleep(600)"), lambda _event: None)

    with pytest.raises(DeadlineError, match="client-1 to end"), client:
        pass

    assert client._process.poll() == -9


def test_what_nobody_can_read_is_told_by_whoever_asks_next(launching: Launching) -> None:
    program = READY + "say('Traceback'); " + ENDED

    with (
        pytest.raises(InfrastructureError, match="client-1: Expecting value"),
        ClientProcess(launching(program), lambda _event: None) as client,
    ):
        client.await_said("never", 30)


def test_a_client_begins_once(launching: Launching) -> None:
    client = ClientProcess(launching(READY + ENDED), lambda _event: None)
    with client:
        pass

    with pytest.raises(UsageError, match="client-1 has been started before"), client:
        pass


def test_a_client_that_was_killed_is_not_missed(launching: Launching) -> None:
    heard: list[Event] = []

    with ClientProcess(launching(READY + "time.sleep(600)"), heard.append) as client:
        client.kill()
        assert client.is_well()

    assert client._process.poll() == -9
    assert [event["event"] for event in heard] == ["ready", "killed"]


def test_a_client_that_is_killed_while_it_is_paused_stays_dead(launching: Launching) -> None:
    heard: list[Event] = []

    client = ClientProcess(launching(READY + "time.sleep(600)"), heard.append)
    with client, client.paused():
        client.kill()

    assert [event["event"] for event in heard] == ["ready", "paused", "killed"]


@pytest.mark.parametrize("how", ["killed", "ended"])
def test_a_client_that_is_gone_is_not_paused(how: str, launching: Launching) -> None:
    with ClientProcess(launching(READY + ENDED), lambda _event: None) as client:
        if how == "killed":
            client.kill()
            with pytest.raises(UsageError, match=r"client-1 to live .* saw that it is gone"):
                client.paused().__enter__()

    with pytest.raises(UsageError, match=r"client-1 to live .* saw that it is gone"):
        client.paused().__enter__()


def test_a_client_that_is_frozen_is_not_frozen_again_nor_stopped(launching: Launching) -> None:
    """The inner one would have it go on, and the record would have it frozen for ever."""
    heard: list[Event] = []

    with ClientProcess(launching(READY + ENDED), heard.append) as client, client.paused():
        with pytest.raises(UsageError, match="client-1 to run when it is paused, saw that it is f"):
            client.paused().__enter__()
        with pytest.raises(UsageError, match="client-1 to run when it leaves, saw that it is f"):
            client.leave()
        assert client.is_paused

    told = [event["event"] for event in heard]
    assert told == ["ready", "paused", "resumed", "stopping", "ended"]


def test_a_client_that_is_gone_is_not_killed(launching: Launching) -> None:
    """The timeline would tell that one died in the middle of its work that had stopped in order."""
    heard: list[Event] = []
    killed = ClientProcess(launching(READY + "time.sleep(600)"), lambda _event: None)
    stopped = ClientProcess(launching(READY + ENDED, "client-2"), heard.append)

    with killed, stopped:
        killed.kill()
        stopped.leave()
        for gone in (killed, stopped):
            with pytest.raises(UsageError, match="to live when it is killed, saw that it is gone"):
                gone.kill()

    assert [event["event"] for event in heard] == ["ready", "leaving", "ended"]


def test_a_client_that_has_ended_and_not_left_yet_is_not_paused(launching: Launching) -> None:
    lingers = READY + ENDED + "; time.sleep(0.5)"

    with ClientProcess(launching(lingers), lambda _event: None) as client:
        client.leave()
        with pytest.raises(UsageError, match="to live when it is paused, saw that it is gone"):
            client.paused().__enter__()


def test_a_paused_client_is_frozen_and_goes_on(launching: Launching) -> None:
    with ClientProcess(launching(READY + ENDED), lambda _event: None) as client:
        stat = Path(f"/proc/{client._process.pid}/stat")
        with client.paused():
            frozen = stat.read_text().rpartition(")")[2].split()[0]
        thawed = stat.read_text().rpartition(")")[2].split()[0]

    assert frozen == "T"
    assert thawed != "T"


def test_a_client_whose_pause_ends_badly_goes_on_as_well(launching: Launching) -> None:
    with (
        pytest.raises(ValueError, match="a test's own"),
        ClientProcess(launching(READY + ENDED), lambda _event: None) as client,
        client.paused(),
    ):
        raise ValueError("a test's own")

    assert client._process.poll() == 0


def test_a_load_tells_what_it_has_been_told(launching: Launching) -> None:
    told = {"acked": 7, "failed": 1, "unknown": 2, "longest_gap_s": 0.5, "gap_since_ns": 9}
    progress = json.dumps({"event": "progress", **told})
    program = READY + f"say('{progress}'); " + ENDED

    with Load(lambda _more: launching(program), lambda _name, _event: None, Orders()) as load:
        load.await_acked(7 - load.acked)

    assert (load.acked, load.failed, load.longest_gap_s) == (7, 3, 0.5)


def test_a_load_that_stalls_is_not_waited_for_for_ever(launching: Launching) -> None:
    with (
        pytest.raises(DeadlineError, match="5 more records of client-1 to be acknowledged"),
        Load(lambda _more: launching(READY + ENDED), lambda _name, _event: None, Orders()) as load,
    ):
        load.await_acked(5, timeout_s=0.1)


def test_a_load_that_can_send_nothing_more_is_not_waited_for(launching: Launching) -> None:
    program = READY + """say('{"event": "fatal", "text": "out of order"}'); """ + ENDED

    with (
        pytest.raises(PreconditionError, match=r"5 records acknowledged, and 0 are: out of order"),
        Load(lambda _more: launching(program), lambda _name, _event: None, Orders()) as load,
    ):
        load.await_acked(5, timeout_s=600)


def test_a_load_that_was_killed_or_has_ended_is_not_waited_for(launching: Launching) -> None:
    killed = Load(
        lambda _more: launching(READY + "time.sleep(600)"), lambda _name, _event: None, Orders()
    )
    ended = Load(
        lambda _more: launching(READY + ENDED, "client-2"), lambda _name, _event: None, Orders()
    )

    with killed:
        killed.kill()
        with pytest.raises(PreconditionError, match=r"5 records .*, and 0 are: it was killed"):
            killed.await_acked(5, timeout_s=600)
        killed.await_acked(0)
    with ended:
        pass
    with pytest.raises(PreconditionError, match="5 records acknowledged, and 0 are: it has ended"):
        ended.await_acked(5, timeout_s=600)


@pytest.mark.parametrize(
    ("records", "timeout_s", "why"),
    [
        ("5", 1, "expected a whole number of records, saw '5'"),
        (1.5, 1, "saw 1.5"),
        (True, 1, "saw True"),
        (None, 1, "saw None"),
        (1, None, "expected a timeout_s above 0, saw None"),
        (1, 0, "saw 0"),
        (1, -1, "saw -1"),
        (1, "9", "saw '9'"),
        (1, float("nan"), "saw nan"),
    ],
)
def test_what_nobody_can_wait_for_is_refused(
    records: Any, timeout_s: Any, why: str, launching: Launching
) -> None:
    load = Load(lambda _more: launching(READY + ENDED), lambda _name, _event: None, Orders())
    again = lambda _order: pytest.fail("nobody asked for another")  # noqa: E731
    group = Group("billing", [Orders()], [], Ways(lambda _wheres: {}, again, no_topics()))

    for wait in (load.await_acked, group.await_handed, group.await_committed):
        with pytest.raises(UsageError, match=why):
            wait(records, timeout_s)


@pytest.mark.parametrize("use", [Load.kill, lambda load: load.await_acked(1), Load.paused])
def test_a_client_is_used_while_it_lives(use: Callable[[Load], Any], launching: Launching) -> None:
    load = Load(lambda _more: launching(READY + ENDED), lambda _name, _event: None, Orders())

    with (
        pytest.raises(UsageError, match="client-1 has not been started: expected `with`"),
        use(load) or nullcontext(),
    ):
        pass
