"""Clients in processes of their own: small programs, some of which keep to nothing agreed."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from highwater.harness.clients import process
from highwater.harness.clients.group import Ends, Group, Member
from highwater.harness.clients.load import Load
from highwater.harness.clients.process import ClientProcess, Event, Launch
from highwater.harness.errors import (
    DeadlineError,
    InfrastructureError,
    PreconditionError,
    UsageError,
)
from highwater.harness.model import TopicPartition
from highwater.harness.processes.warden import Warden

SAYS = "import sys, time; say = lambda text: print(text, flush=True); sys.stdin.readline(); "
READY = 'say(\'{"event": "ready"}\'); '
ENDED = 'sys.stdin.readline(); say(\'{"event": "ended"}\')'

Launching = Callable[..., Launch]
NOTHING: Ends = dict


@pytest.fixture
def launching(tmp_path: Path) -> Iterator[Launching]:
    with Warden() as warden:

        def launch(program: str, name: str = "client-1") -> Launch:
            line = (sys.executable, "-c", SAYS + program)
            return Launch({"client": name}, tmp_path / "logs" / f"{name}.log", warden.group, line)

        yield launch


def test_a_client_that_keeps_to_what_is_agreed_is_heard_and_ends(launching: Launching) -> None:
    heard: list[Event] = []

    with ClientProcess(launching(READY + ENDED), heard.append) as client:
        assert client.is_well()

    assert [event["event"] for event in heard] == ["ready", "ended"]
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


def test_a_member_that_was_killed_owns_nothing(launching: Launching) -> None:
    heard: list[str] = []
    dealt = '{"event": "assigned", "partitions": [["orders", 0]]}'
    launch = launching(READY + f"say('{dealt}'); time.sleep(600)")
    member = Member(launch, lambda _name, event: heard.append(event["event"]))

    with Group("billing", [TopicPartition("orders", 0)], [member], NOTHING) as group:
        member.kill()

        assert group.assigned == frozenset()
        assert group.lag_records is None

    assert heard == ["ready", "assigned", "killed"]


def test_a_load_tells_what_it_has_been_told(launching: Launching) -> None:
    progress = '{"event": "progress", "acked": 7, "failed": 1, "unknown": 2, "longest_gap_s": 0.5}'
    program = READY + f"say('{progress}'); " + ENDED

    with Load(launching(program), lambda _name, _event: None) as load:
        load.await_acked(7 - load.acked)

    assert (load.acked, load.failed, load.longest_gap_s) == (7, 3, 0.5)


def test_a_load_that_stalls_is_not_waited_for_for_ever(launching: Launching) -> None:
    with (
        pytest.raises(DeadlineError, match="5 more records of client-1 to be acknowledged"),
        Load(launching(READY + ENDED), lambda _name, _event: None) as load,
    ):
        load.await_acked(5, timeout_s=0.1)


def test_a_group_has_begun_when_each_partition_has_one_owner(launching: Launching) -> None:
    def member(name: str, number: int) -> Member:
        dealt = f'{{"event": "assigned", "partitions": [["orders", {number}]]}}'
        progress = '{"event": "progress", "handed": 3, "lag_records": 1, "positions": []}'
        program = READY + f"say('{dealt}'); say('{progress}'); " + ENDED
        return Member(launching(program, name), lambda _name, _event: None)

    wheres = [TopicPartition("orders", 0), TopicPartition("orders", 1)]
    with Group("billing", wheres, [member("a", 0), member("b", 1)], NOTHING) as group:
        group.await_handed(6 - group.handed)

        assert group.assigned == set(wheres)
        assert (group.handed, group.lag_records) == (6, 2)


def test_a_partition_that_nobody_owns_keeps_a_group_from_beginning(
    launching: Launching, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("highwater.harness.clients.group.JOIN_TIMEOUT_S", 0.2)
    member = Member(launching(READY + ENDED), lambda _name, _event: None)

    with (
        pytest.raises(DeadlineError, match="the partitions of billing to be assigned"),
        Group("billing", [TopicPartition("orders", 0)], [member], NOTHING),
    ):
        pass

    assert member._process._process.poll() is not None


def reading(position: int) -> str:
    """A member with one partition that has been handed all below that."""
    dealt = '{"event": "assigned", "partitions": [["orders", 0]]}'
    told = f'"handed": 3, "lag_records": 0, "positions": [["orders", 0, {position}]]'
    return READY + f"say('{dealt}'); say('{{\"event\": \"progress\", {told}}}'); " + ENDED


def test_a_group_has_caught_up_when_it_is_beyond_what_was_committed(launching: Launching) -> None:
    where = TopicPartition("orders", 0)
    member = Member(launching(reading(7)), lambda _name, _event: None)
    ends = iter([{}, {where: 7}, {where: 8}])

    with Group("billing", [where], [member], lambda: next(ends)) as group:
        group.await_caught_up()
        with pytest.raises(DeadlineError, match="the group billing to have been handed everything"):
            group.await_caught_up(timeout_s=0.1)


def test_who_takes_over_begins_where_the_group_has_committed(launching: Launching) -> None:
    where = TopicPartition("orders", 0)
    dealt = '{"event": "assigned", "partitions": [["orders", 0]]}'
    gone = '{"event": "revoked", "partitions": [["orders", 0]]}'
    told = '{"event": "progress", "handed": 0, "lag_records": 25, "positions": [["orders", 0, %d]]}'
    before = READY + "".join(f"say('{line}'); " for line in (dealt, told % 100, gone))
    after = READY + "".join(f"say('{line}'); " for line in (dealt, told % 55))
    first = Member(launching(before + ENDED, "a"), lambda _name, _event: None)
    second = Member(launching(after + ENDED, "b"), lambda _name, _event: None)

    with Group("billing", [where], [first, second], lambda: {where: 80}) as group:
        with pytest.raises(DeadlineError, match="to have been handed everything"):
            group.await_caught_up(timeout_s=0.2)

        second.kill()
        assert second.positions == {}


@pytest.mark.parametrize("positions", [(80, 55), (55, 80)])
def test_a_frozen_member_that_others_have_taken_over_from_holds_up_nobody(
    positions: tuple[int, int], launching: Launching
) -> None:
    """It does not know yet that its partition is somebody else's, and says nothing more."""
    where = TopicPartition("orders", 0)
    members = [
        Member(launching(reading(position), f"b-{position}"), lambda _name, _event: None)
        for position in positions
    ]
    group = Group("billing", [where], members, lambda: {where: 80})

    with members[0], members[1]:
        group.await_caught_up(timeout_s=10)


def test_a_load_that_can_send_nothing_more_is_not_waited_for(launching: Launching) -> None:
    program = READY + """say('{"event": "fatal", "text": "out of order"}'); """ + ENDED

    with (
        pytest.raises(PreconditionError, match=r"5 records acknowledged, and 0 are: out of order"),
        Load(launching(program), lambda _name, _event: None) as load,
    ):
        load.await_acked(5, timeout_s=600)


@pytest.mark.parametrize("use", [Load.kill, lambda load: load.await_acked(1), Load.paused])
def test_a_client_is_used_while_it_lives(use: Callable[[Load], Any], launching: Launching) -> None:
    load = Load(launching(READY + ENDED), lambda _name, _event: None)

    with (
        pytest.raises(UsageError, match="client-1 has not been started: expected `with`"),
        use(load) or nullcontext(),
    ):
        pass
