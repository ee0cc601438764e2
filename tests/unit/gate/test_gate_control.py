"""The gate is told by HTTP what it is to do, and says what it has done, as is described."""

from __future__ import annotations

import json
import socket
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from tests.unit.gate.conftest import FakeBroker, read_frame

from highwater.gate_control import GateControl
from highwater.gate_server import ROUTES, GateServer
from highwater.harness.errors import UsageError
from highwater.harness.gate.headers import encode_request

OPENAPI = json.loads(
    (Path(__file__).parents[3] / "docs" / "schemas" / "gate.openapi.json").read_text()
)
TOXICS = "/proxies/one/toxics"
CONNECTING = {"type": "answer", "attributes": {"api": "ApiVersions", "error": "NOT_CONTROLLER"}}


class Client:
    def __init__(self, server: GateServer) -> None:
        self.server = server

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> tuple[int, Any]:
        content = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        asked = urllib.request.Request(
            f"http://{self.server.address}{path}", content, method=method, headers=headers
        )
        try:
            with urllib.request.urlopen(asked, timeout=30) as answer:
                text = answer.read()
                return answer.status, json.loads(text) if text else None
        except urllib.error.HTTPError as error:
            with error:
                return error.code, json.loads(error.read())


def validate(name: str, content: Any) -> None:
    schema = {"$ref": f"#/components/schemas/{name}", "components": OPENAPI["components"]}
    jsonschema.Draft202012Validator(schema).validate(content)


@pytest.fixture
def client(broker: FakeBroker) -> Iterator[Client]:
    with GateControl() as control, GateServer(control, "127.0.0.1", 0) as server:
        control.open("one", f"127.0.0.1:{broker.port}", broker=1)
        yield Client(server)


@pytest.fixture(scope="module")
def lasting() -> Iterator[Client]:
    """In front of nobody: for what is refused."""
    with GateControl() as control, GateServer(control, "127.0.0.1", 0) as server:
        control.open("one", "127.0.0.1:1")
        yield Client(server)


def connected(client: Client) -> socket.socket:
    host, _, port = client.ask("GET", "/proxies/one")[1]["listen"].rpartition(":")
    return socket.create_connection((host, int(port)), 10)


def produced(number: int, client_id: str = "billing") -> bytes:
    return encode_request(0, 7, number, client_id, b"what a producer says")


def test_the_description_has_every_route_and_no_other() -> None:
    written = {
        (method.upper(), path.replace("{proxy}", "{p}").replace("{toxic}", "{t}"))
        for path, methods in OPENAPI["paths"].items()
        for method in methods
    }
    named = {"(?P<proxy>[^/]+)": "{p}", "(?P<name>[^/]+)": "{t}"}
    there = set()
    for method, pattern, _ in ROUTES:
        path = pattern.pattern
        for group, name in named.items():
            path = path.replace(group, name)
        there.add((method, path))

    assert there == written


def test_a_frame_stands_until_it_is_passed_on(client: Client) -> None:
    status, made = client.ask(
        "POST", TOXICS, {"type": "hold", "stream": "upstream", "attributes": {"nth": 2}}
    )
    validate("Toxic", made)

    with connected(client) as peer:
        peer.sendall(produced(1))
        first = read_frame(peer)
        peer.sendall(produced(2))
        _, standing = client.ask("GET", f"{TOXICS}/hold_upstream/standing?timeout_s=20")
        _, told = client.ask("GET", "/proxies")
        _, frames = client.ask("POST", f"{TOXICS}/hold_upstream/pass")
        second = read_frame(peer)

    assert status == 200
    assert [first[7], second[7]] == [1, 2]
    assert [(each["client_id"], each["correlation_id"]) for each in standing] == [("billing", 2)]
    validate("Proxy", told["one"])
    assert told["one"]["toxics"][0]["counts"]["matched"] == 2
    assert frames == {"frames": 1}
    assert client.ask("GET", TOXICS) == (200, [])


def test_what_is_discarded_never_arrives(client: Client, broker: FakeBroker) -> None:
    client.ask("POST", TOXICS, {"name": "held", "type": "hold", "stream": "upstream"})

    with connected(client) as peer:
        peer.sendall(produced(1))
        client.ask("GET", f"{TOXICS}/held/standing?timeout_s=20")
        assert client.ask("POST", f"{TOXICS}/held/discard") == (200, {"frames": 1})
        with pytest.raises(EOFError):
            read_frame(peer)

    assert broker.received.empty()


def test_other_clients_are_let_be_and_nothing_stands_when_time_is_up(client: Client) -> None:
    attributes = {"client_id": "billing", "api": ["Produce", 1]}
    client.ask("POST", TOXICS, {"type": "hold", "stream": "upstream", "attributes": attributes})

    with connected(client) as peer:
        peer.sendall(produced(1, "shipping"))
        assert read_frame(peer)[7] == 1

    assert client.ask("GET", f"{TOXICS}/hold_upstream/standing?timeout_s=0.2") == (200, [])
    assert client.ask("DELETE", f"{TOXICS}/hold_upstream") == (204, None)


def test_one_more_proxy_is_opened_and_a_reset_ends_every_toxic(
    client: Client, broker: FakeBroker
) -> None:
    upstream = f"127.0.0.1:{broker.port}"
    status, made = client.ask("POST", "/proxies", {"name": "two", "upstream": upstream})
    client.ask("POST", "/proxies/two/toxics", {"type": "cut"})

    assert (status, client.ask("POST", "/reset")) == (201, (204, None))
    validate("Proxy", made)
    assert client.ask("GET", "/proxies/two/toxics") == (200, [])


@pytest.mark.parametrize(
    ("asked", "status", "said"),
    [
        (("POST", TOXICS, {"type": "latency"}), 400, "expected one of hold, drop"),
        (("POST", TOXICS, {"type": "hold", "stream": "up"}), 400, "upstream, downstream"),
        (("POST", TOXICS, {"type": "delay", "attributes": {}}), 400, "delay_ms is None"),
        (
            ("POST", TOXICS, {"type": "drop", "attributes": {"delay_ms": 1}}),
            400,
            "has no 'delay_ms'",
        ),
        (("POST", TOXICS, {"type": "hold", "attributes": {"api": "Produces"}}), 400, "Produce"),
        (("POST", TOXICS, CONNECTING), 400, "api is 'ApiVersions'; expected one of Produce"),
        (("POST", TOXICS, {"type": "hold", "toxicity": 2}), 400, "expected 0 to 1"),
        (
            ("POST", TOXICS, {"type": "hold", "toxicity": 0.5, "attributes": {"nth": 1}}),
            400,
            "exclude one another",
        ),
        (("POST", TOXICS, []), 400, "a JSON object"),
        (("POST", TOXICS, b"{"), 400, "no JSON"),
        (("POST", "/proxies", {"name": "one", "upstream": "h:1"}), 409, "a name that is free"),
        (("POST", "/proxies", {"upstream": "h:1"}), 400, "expected a name, without a slash"),
        (("POST", "/proxies", {"name": "x", "upstream": "h:1", "enabled": 1}), 400, "bool"),
        (("PATCH", "/proxies/one", {"listen": "nowhere"}), 400, "HOST:PORT"),
        (("PATCH", "/proxies/one", {"upstream": "h:1,i:2"}), 400, "one broker behind it"),
        (("PATCH", "/proxies/one", {"name": "two"}), 400, "the name of a proxy stays"),
        (("PATCH", "/proxies/one", []), 400, "expected a proxy such as"),
        (("PATCH", "/proxies/two", {"enabled": False}), 404, "there are one"),
        (("DELETE", "/proxies/two", None), 404, "there are one"),
        (("POST", "/populate", {}), 400, "a list of proxies"),
        (("POST", "/populate", [{"name": "two"}]), 400, "expected a proxy such as"),
        (("PATCH", f"{TOXICS}/x", {}), 404, "there are none"),
        (("POST", "/proxies", {"name": "x", "upstream": "nowhere"}), 400, "HOST:PORT"),
        (("POST", "/proxies", {"name": "x"}), 400, "expected a proxy such as"),
        (
            ("POST", "/proxies", {"name": "x", "upstream": "h:1", "listen": "0.0.0.0:0"}),
            400,
            "the address at which they reach this machine",
        ),
        (("GET", "/proxies/two", None), 404, "there are one"),
        (("GET", f"{TOXICS}/x", None), 404, "there are none"),
        (("GET", "/", None), 404, "nothing is at"),
        (("DELETE", "/reset", None), 405, "expected POST"),
        (("PUT", "/proxies/broker-1", {"enabled": False}), 405, "expected GET or POST or PATCH"),
        (("GET", f"{TOXICS}/x/standing?timeout_s=soon", None), 400, "timeout_s"),
    ],
)
def test_what_cannot_be_is_said_in_words(
    lasting: Client, asked: tuple[str, str, Any], status: int, said: str
) -> None:
    seen, told = lasting.ask(*asked)

    validate("Error", told)
    assert (seen, told["status"]) == (status, status)
    assert said in told["error"]


def test_whose_port_is_taken_is_told_how_to_name_another(lasting: Client) -> None:
    host, _, port = lasting.server.address.rpartition(":")

    with (
        pytest.raises(UsageError, match=f"cannot listen on {host}:{port}: .*; --control names"),
        GateControl() as control,
        GateServer(control, host, int(port)),
    ):
        pass


def test_pages_of_a_browser_are_refused(lasting: Client) -> None:
    assert lasting.ask("POST", "/reset", None, Origin="http://elsewhere")[0] == 403


def _has_ipv6() -> bool:
    with socket.socket(socket.AF_INET6) as tried:
        try:
            tried.bind(("::1", 0))
        except OSError:
            return False
    return True


@pytest.mark.skipif(not _has_ipv6(), reason="this machine has no ::1")
def test_addresses_of_ipv6_are_written_in_brackets_and_read_so(broker: FakeBroker) -> None:
    with GateControl() as control, GateServer(control, "::1", 0) as server:
        first = control.open("one", f"127.0.0.1:{broker.port}", "[::1]:0")
        second = control.open("two", first.told["listen"])

        _, proxies = Client(server).ask("GET", "/proxies")
        with socket.create_connection(second.listen, timeout=30) as asks:
            asks.sendall(encode_request(3, 7, 1, "c", b""))
            assert read_frame(asks)

    assert server.address.startswith("[::1]:")
    assert proxies["two"]["upstream"] == proxies["one"]["listen"] == f"[::1]:{first.listen[1]}"
