"""Proxies come and go, listen and refuse, and toxics change, as Toxiproxy's do."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from typing import Any

import pytest
from tests.unit.gate.conftest import FakeBroker, read_frame
from tests.unit.gate.test_gate_control import Client, connected, produced, validate

from highwater.gate_control import GateControl
from highwater.gate_server import GateServer

ONE = "/proxies/one"
DELAY = {"name": "slow", "type": "delay", "attributes": {"api": "Produce", "delay_ms": 1}}


@pytest.fixture
def control() -> Iterator[GateControl]:
    with GateControl() as control:
        yield control


@pytest.fixture
def client(control: GateControl, broker: FakeBroker) -> Iterator[Client]:
    with GateServer(control, "127.0.0.1", 0) as server:
        control.open("one", f"127.0.0.1:{broker.port}", broker=1)
        yield Client(server)


def told(client: Client, path: str = ONE) -> Any:
    return client.ask("GET", path)[1]


class RemovesBefore:
    """A lock before which another request is the first to have it: one that removes a proxy."""

    def __init__(self, control: GateControl) -> None:
        self._control, self._lock = control, control._lock

    def __enter__(self) -> None:
        self._lock.acquire()
        self._control._lock = self._lock
        self._control.close("two")

    def __exit__(self, *_: object) -> None:
        self._lock.release()


def answers(client: Client) -> bool:
    try:
        with connected(client) as peer:
            peer.sendall(produced(1))
            return bool(read_frame(peer))
    except (ConnectionError, EOFError):
        return False


def test_who_is_disabled_cuts_off_and_refuses_until_it_is_enabled(client: Client) -> None:
    before = told(client)["listen"]

    with connected(client) as peer:
        peer.sendall(produced(1))
        read_frame(peer)
        status, disabled = client.ask("PATCH", ONE, {"enabled": False})
        with pytest.raises((ConnectionError, EOFError)):
            read_frame(peer)
    refused = not answers(client)
    client.ask("POST", ONE, {"enabled": True})

    validate("Proxy", disabled)
    assert (status, disabled["enabled"], refused) == (200, False, True)
    assert (told(client)["listen"], answers(client)) == (before, True)


def test_a_proxy_is_made_disabled_and_a_reset_enables_it(
    client: Client, broker: FakeBroker
) -> None:
    upstream = f"127.0.0.1:{broker.port}"
    made = {"name": "two", "upstream": upstream, "enabled": False}

    status, two = client.ask("POST", "/proxies", made)
    client.ask("POST", "/reset")

    assert (status, two["enabled"], told(client, "/proxies/two")["enabled"]) == (201, False, True)


def test_a_proxy_that_is_moved_has_left_where_it_was(client: Client) -> None:
    host, port = told(client)["listen"].split(":")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        free = taken.getsockname()[1]

    _, moved = client.ask("POST", ONE, {"listen": f"127.0.0.1:{free}"})

    with pytest.raises(ConnectionRefusedError):
        socket.create_connection((host, int(port)), 10)
    assert (moved["listen"], answers(client)) == (f"127.0.0.1:{free}", True)


def test_a_port_that_is_taken_is_told_and_nobody_listens(client: Client) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        at = f"127.0.0.1:{taken.getsockname()[1]}"
        status, error = client.ask("POST", ONE, {"listen": at})

    assert (status, told(client)["enabled"]) == (400, False)
    assert f"cannot listen on {at}" in error["error"]


@pytest.mark.parametrize(
    "told",
    [{"upstream": ""}, {"upstream": "127.0.0.1:1", "listen": f"127.0.0.1:{'1' * 5_000}"}],
    ids=["no upstream", "no port"],
)
def test_a_place_that_is_none_is_answered(client: Client, told: dict[str, str]) -> None:
    opened = client.ask("POST", "/proxies", {"name": "two", **told})
    populated = client.ask("POST", "/populate", [{"name": "two", **told}])

    assert (opened[0], populated[0]) == (400, 400)
    assert "expected" in opened[1]["error"]


def test_a_reset_does_what_it_can_where_a_port_is_taken(client: Client, broker: FakeBroker) -> None:
    client.ask("POST", "/proxies", {"name": "two", "upstream": f"127.0.0.1:{broker.port}"})
    for proxy in (ONE, "/proxies/two"):
        client.ask("POST", f"{proxy}/toxics", DELAY)
        client.ask("POST", proxy, {"enabled": False})
    host, port = told(client)["listen"].split(":")
    with socket.create_server((host, int(port))):
        status, error = client.ask("POST", "/reset")

    one, two = told(client), told(client, "/proxies/two")
    assert (status, one["enabled"], two["enabled"]) == (400, False, True)
    assert f"cannot listen on {host}:{port}" in error["error"]
    assert (one["toxics"], two["toxics"]) == ([], [])


def test_populate_keeps_who_is_there_and_makes_who_is_not(
    client: Client, broker: FakeBroker
) -> None:
    client.ask("POST", f"{ONE}/toxics", DELAY)
    before, upstream = told(client), f"127.0.0.1:{broker.port}"
    any_port = {"upstream": upstream, "listen": "127.0.0.1:0"}

    status, both = client.ask(
        "POST", "/populate", [{"name": "one", **any_port}, {"name": "two", **any_port}]
    )

    assert status == 201
    assert both["proxies"][0] == before
    assert {*told(client, "/proxies")} == {"one", "two"}


def test_a_proxy_that_is_removed_is_gone_with_its_toxics(client: Client) -> None:
    client.ask("POST", f"{ONE}/toxics", {"name": "held", "type": "hold", "stream": "upstream"})

    with connected(client) as peer:
        peer.sendall(produced(1))
        client.ask("GET", f"{ONE}/toxics/held/standing?timeout_s=20")
        ended = client.ask("DELETE", ONE)
        with pytest.raises((ConnectionError, EOFError)):
            read_frame(peer)

    assert ended == (204, None)
    assert told(client, "/proxies") == {}


def test_clients_are_sent_to_who_is_left_before_the_broker(
    control: GateControl, client: Client, broker: FakeBroker, monkeypatch: pytest.MonkeyPatch
) -> None:
    behind = ("127.0.0.1", broker.port)
    seen: list[tuple[Any, Any]] = []

    def readdress(gates: Any, gone: Any = ()) -> None:
        seen.append((gates, gone))

    monkeypatch.setattr(control.gate, "readdress", readdress)
    first = control.proxy("one").listen

    control.open("two", f"127.0.0.1:{broker.port}")
    control.close("two")
    control.close("one")

    assert seen[1:] == [({behind: first}, []), ({}, [behind])]


@pytest.mark.parametrize("enabled", [False, True])
def test_nobody_goes_past_a_proxy_that_is_moved_and_does_not_listen(
    control: GateControl, client: Client, monkeypatch: pytest.MonkeyPatch, enabled: bool
) -> None:
    gates: dict[Any, Any] = {}

    def readdress(there: Any, gone: Any = ()) -> None:
        gates.update(there)
        for each in gone:
            gates.pop(each, None)

    monkeypatch.setattr(control.gate, "readdress", readdress)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        at = f"127.0.0.1:{taken.getsockname()[1]}"
        client.ask("POST", ONE, {"listen": at, "upstream": "127.0.0.1:9", "enabled": enabled})

    proxy = control.proxy("one")
    assert not proxy.enabled
    assert gates == {("127.0.0.1", 9): proxy.listen}


def test_a_toxic_is_on_no_proxy_that_is_removed_meanwhile(
    control: GateControl, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    control.open("two", "127.0.0.1:1")
    monkeypatch.setattr(control, "_lock", RemovesBefore(control))

    status, _ = client.ask("POST", "/proxies/two/toxics", DELAY)

    assert status == 404


def test_of_a_toxic_that_changes_the_rest_stays(client: Client) -> None:
    client.ask("POST", f"{ONE}/toxics", DELAY)

    _, slower = client.ask("PATCH", f"{ONE}/toxics/slow", {"attributes": {"delay_ms": 2}})
    _, any_api = client.ask("POST", f"{ONE}/toxics/slow", {"attributes": {"api": None}})
    wrong = client.ask("PATCH", f"{ONE}/toxics/slow", {"attributes": {"delay_ms": 0}})
    other = client.ask("PATCH", f"{ONE}/toxics/slow", {"type": "cut"})

    validate("Toxic", slower)
    assert slower["attributes"] == {"api": "Produce", "delay_ms": 2}
    assert any_api["attributes"] == {"delay_ms": 2}
    assert (wrong[0], other[0]) == (400, 400)
    assert "the type of a toxic stays" in other[1]["error"]
    assert told(client, f"{ONE}/toxics/slow")["attributes"] == {"delay_ms": 2}
