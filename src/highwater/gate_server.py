"""The gate's control by HTTP: JSON in and out, in the shape of Toxiproxy's."""

from __future__ import annotations

import json
import re
import socket
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import metadata
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from highwater.gate_control import GateControl, NotFoundError, TakenError, listed, proxy_told
from highwater.harness.addresses import written
from highwater.harness.errors import HighwaterError, UsageError
from highwater.harness.lifetime import Lifetime

LONGEST_BODY_BYTES = 1 << 20
UNHEARD_BYTES, UNHEARD_S = 1 << 26, 2  # of a body that is refused
LONGEST_WAIT_S = 300.0
IDLE_S = 60.0  # a connection that says nothing is given up
Answer = tuple[HTTPStatus, Any]


def _route(method: str, path: str, does: str) -> tuple[str, re.Pattern[str], str]:
    """`{p}` and `{t}` are the names of a proxy and of a toxic."""
    pattern = path.replace("{p}", "(?P<proxy>[^/]+)").replace("{t}", "(?P<name>[^/]+)")
    return method, re.compile(pattern), does


ROUTES = [
    _route("GET", "/version", "version"),
    _route("GET", "/proxies", "list"),
    _route("POST", "/proxies", "open"),
    _route("POST", "/populate", "populate"),
    _route("POST", "/reset", "reset"),
    _route("GET", "/proxies/{p}", "show"),
    _route("POST", "/proxies/{p}", "change"),
    _route("PATCH", "/proxies/{p}", "change"),
    _route("DELETE", "/proxies/{p}", "close"),
    _route("GET", "/proxies/{p}/toxics", "toxics"),
    _route("POST", "/proxies/{p}/toxics", "add"),
    _route("GET", "/proxies/{p}/toxics/{t}", "toxic"),
    _route("POST", "/proxies/{p}/toxics/{t}", "alter"),
    _route("PATCH", "/proxies/{p}/toxics/{t}", "alter"),
    _route("DELETE", "/proxies/{p}/toxics/{t}", "remove"),
    _route("GET", "/proxies/{p}/toxics/{t}/standing", "standing"),
    _route("POST", "/proxies/{p}/toxics/{t}/pass", "pass"),
    _route("POST", "/proxies/{p}/toxics/{t}/discard", "discard"),
]


class GateServer(Lifetime):
    """Answers until the context ends."""

    def __init__(self, control: GateControl, host: str, port: int) -> None:
        super().__init__()
        self._control = control
        self._wanted = host, port
        self.address = ""

    def _begin(self) -> None:
        handler = type("Handler", (_Handler,), {"controls": _Controls(self._control)})
        try:
            server = _Server(self._wanted, handler)
        except OSError as error:
            told = f"cannot listen on {written(*self._wanted)}: {error}"
            raise UsageError(f"{told}; --control names another address") from error
        self._ending.callback(server.server_close)
        thread = threading.Thread(target=server.serve_forever, name="gate-control", daemon=True)
        thread.start()
        self._ending.callback(server.shutdown)
        self.address = written(self._wanted[0], server.server_address[1])


class _Controls:
    """One method per route; each returns a status and what is said."""

    def __init__(self, control: GateControl) -> None:
        self._control = control
        self._does: dict[str, Callable[[dict[str, str], Any], Answer]] = {
            "version": lambda _at, _body: (
                HTTPStatus.OK,
                {"version": metadata.version("highwater")},
            ),
            "list": lambda _at, _body: (HTTPStatus.OK, listed(control)),
            "open": self._open,
            "populate": self._populate,
            "reset": self._reset,
            "show": lambda at, _body: (HTTPStatus.OK, control.proxy(at["proxy"]).told),
            "change": self._change,
            "close": self._close,
            "toxics": lambda at, _body: (HTTPStatus.OK, control.proxy(at["proxy"]).told["toxics"]),
            "add": lambda at, body: (HTTPStatus.OK, control.add(at["proxy"], body).told),
            "toxic": lambda at, _body: (HTTPStatus.OK, control.toxic(at["proxy"], at["name"]).told),
            "alter": self._alter,
            "remove": self._remove,
            "standing": self._standing,
            "pass": lambda at, _body: self._resolve(at, discard=False),
            "discard": lambda at, _body: self._resolve(at, discard=True),
        }

    def answer(self, method: str, path: str, body: Any) -> Answer:
        try:
            url = urlsplit(path)
        except ValueError as error:
            raise UsageError(f"{path!r:.120} is no address: {error}") from error
        allowed = []
        for wanted, pattern, does in ROUTES:
            found = pattern.fullmatch(url.path.rstrip("/") or "/")
            if found and wanted == method:
                query = {name: values[-1] for name, values in parse_qs(url.query).items()}
                at = {name: unquote(value) for name, value in found.groupdict().items()}
                return self._does[does](query | at, body)
            allowed += [wanted] if found else []
        if allowed:
            raise _MethodError(f"{method} of {url.path}: expected {' or '.join(allowed)}")
        raise NotFoundError(f"nothing is at {url.path:.120}; see GET /proxies")

    def _open(self, _at: dict[str, str], body: Any) -> Answer:
        told = proxy_told(body, is_new=True)
        opened = self._control.open(told["name"], told["upstream"], told.get("listen", ""))
        return HTTPStatus.CREATED, self._control.change(opened.name, told).told

    def _populate(self, _at: dict[str, str], body: Any) -> Answer:
        if not isinstance(body, list):
            raise UsageError(f"expected a list of proxies, saw {body!r:.80}")
        proxies = self._control.populate([proxy_told(each, is_new=True) for each in body])
        return HTTPStatus.CREATED, {"proxies": [each.told for each in proxies]}

    def _change(self, at: dict[str, str], body: Any) -> Answer:
        self._control.proxy(at["proxy"])
        told = proxy_told(body, is_new=False)
        if told.get("name", at["proxy"]) != at["proxy"]:
            raise UsageError("the name of a proxy stays; remove it, and open another one")
        return HTTPStatus.OK, self._control.change(at["proxy"], told).told

    def _close(self, at: dict[str, str], _body: Any) -> Answer:
        self._control.close(at["proxy"])
        return HTTPStatus.NO_CONTENT, None

    def _alter(self, at: dict[str, str], body: Any) -> Answer:
        return HTTPStatus.OK, self._control.change_toxic(at["proxy"], at["name"], body).told

    def _reset(self, _at: dict[str, str], _body: Any) -> Answer:
        self._control.reset()
        return HTTPStatus.NO_CONTENT, None

    def _remove(self, at: dict[str, str], _body: Any) -> Answer:
        self._control.remove(at["proxy"], at["name"])
        return HTTPStatus.NO_CONTENT, None

    def _resolve(self, at: dict[str, str], *, discard: bool) -> Answer:
        frames = self._control.remove(at["proxy"], at["name"], discard=discard)
        return HTTPStatus.OK, {"frames": frames}

    def _standing(self, at: dict[str, str], _body: Any) -> Answer:
        text = at.get("timeout_s", "0")
        if not re.fullmatch(r"\d{1,3}(\.\d{1,3})?", text) or float(text) > LONGEST_WAIT_S:
            raise UsageError(f"timeout_s {text!r:.40}: expected 0 to {LONGEST_WAIT_S:.0f}")
        return HTTPStatus.OK, self._control.await_standing(at["proxy"], at["name"], float(text))


class _MethodError(HighwaterError):
    pass


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, wanted: tuple[str, int], handler: type[BaseHTTPRequestHandler]) -> None:
        self.address_family = socket.AF_INET6 if ":" in wanted[0] else socket.AF_INET
        super().__init__(wanted, handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away before it was answered is nobody's mistake."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    """One request after the other of one connection."""

    controls: _Controls
    protocol_version = "HTTP/1.1"
    server_version = "highwater"
    timeout = IDLE_S
    is_refused = False  # unread

    def do_GET(self) -> None:
        self._answer()

    def do_POST(self) -> None:
        self._answer()

    def do_PUT(self) -> None:
        self._answer()

    def do_PATCH(self) -> None:
        self._answer()

    def do_DELETE(self) -> None:
        self._answer()

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's name
        """Nothing: who asks hears the answer."""

    def _answer(self) -> None:
        """What was sent is read whatever is answered: left unread it would be the next request."""
        try:
            body = self._body()
            if self.headers.get("Origin"):
                status, told = (
                    HTTPStatus.FORBIDDEN,
                    _error("pages of a browser have no business here", 403),
                )
            else:
                status, told = self.controls.answer(self.command, self.path, body)
        except NotFoundError as error:
            status, told = HTTPStatus.NOT_FOUND, _error(str(error), 404)
        except _MethodError as error:
            status, told = HTTPStatus.METHOD_NOT_ALLOWED, _error(str(error), 405)
        except TakenError as error:
            status, told = HTTPStatus.CONFLICT, _error(str(error), 409)
        except UsageError as error:
            status, told = HTTPStatus.BAD_REQUEST, _error(str(error), 400)
        except HighwaterError as error:
            status, told = HTTPStatus.INTERNAL_SERVER_ERROR, _error(str(error), 500)
        self._send(status, told)
        if self.is_refused:
            self._hear_out()

    def _hear_out(self) -> None:
        """Whoever still sends when a connection is closed is reset, and has no answer."""
        self.connection.settimeout(UNHEARD_S)
        with suppress(OSError):
            self.connection.shutdown(socket.SHUT_WR)
            left = UNHEARD_BYTES
            while left > 0 and (heard := self.rfile.read1(1 << 16)):
                left -= len(heard)

    def _body(self) -> Any:
        """What was sent as JSON; raises UsageError where it is none."""
        told = self.headers.get("Content-Length") or "0"
        in_parts = self.headers.get("Transfer-Encoding")
        if in_parts or not re.fullmatch("[0-9]{1,9}", told) or int(told) > LONGEST_BODY_BYTES:
            self.close_connection = self.is_refused = True
            raise UsageError(
                f"expected a body of at most {LONGEST_BODY_BYTES} bytes, and its Content-Length"
            )
        raw = self.rfile.read(int(told))
        try:
            return json.loads(raw) if raw.strip() else None
        except (ValueError, RecursionError) as error:
            raise UsageError(f"the body is no JSON: {error}") from error

    def _send(self, status: HTTPStatus, told: Any) -> None:
        content = b"" if told is None else json.dumps(told, indent=1).encode() + b"\n"
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


def _error(text: str, status: int) -> dict[str, Any]:
    return {"error": text, "status": status}
