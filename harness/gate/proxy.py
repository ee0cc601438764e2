"""The gate's listening ports, in front of the brokers' listeners, all under one set of rules."""

from __future__ import annotations

import asyncio
import socket
from dataclasses import dataclass, field

from highwater.harness.gate.connection import Connection, Side
from highwater.harness.gate.filling import RECEIVED_BYTES
from highwater.harness.gate.hub import Hub
from highwater.harness.gate.upstream import Upstream


@dataclass(slots=True)
class Port:
    """One that listens, and the connections that have come by it and have not ended."""

    server: asyncio.Server
    live: set[Connection] = field(default_factory=set)

    def close(self) -> None:
        self.server.close()
        for connection in tuple(self.live):
            connection.close("gate", abruptly=True)


class Gate:
    def __init__(self, hub: Hub) -> None:
        self.hub = hub
        self._ports: dict[tuple[str, int], Port] = {}

    async def listen(self, upstream: Upstream, host: str, port: int) -> int:
        """Opens a port in front of one broker and returns it; port 0 takes a free one.

        Raises OSError for a port that is taken. A broker may have several: one for its peers, and
        one for clients.
        """
        live: set[Connection] = set()

        def accept() -> Side:
            return Connection(self.hub, upstream, live).client

        server = await asyncio.get_running_loop().create_server(accept, host, port)
        for each in server.sockets:  # those that it accepts have the same
            each.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, RECEIVED_BYTES)
        bound: int = server.sockets[0].getsockname()[1]
        self._ports[host, bound] = Port(server, live)
        return bound

    def shut(self, host: str, port: int) -> None:
        """Closes one port, so that who connects is refused, and aborts what came by it.

        Raises KeyError for one that does not listen.
        """
        self._ports.pop((host, port)).close()

    def close(self) -> None:
        """Closes all ports and aborts all connections."""
        for port in self._ports.values():
            port.close()
