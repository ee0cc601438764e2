"""The gate's listening ports, in front of the brokers' listeners, all under one set of rules."""

from __future__ import annotations

import asyncio
import socket

from highwater.harness.gate.connection import Connection, Side
from highwater.harness.gate.hub import Hub
from highwater.harness.gate.upstream import Upstream

# What the kernel takes in for who does not read would else grow to tens of megabytes, and no sender
# would notice that reading has stopped.
RECEIVED_BYTES = 128 << 10


class Gate:
    def __init__(self, hub: Hub) -> None:
        self.hub = hub
        self._servers: list[asyncio.Server] = []
        self._live: set[Connection] = set()

    async def listen(self, upstream: Upstream, host: str, port: int) -> int:
        """Opens a port in front of one broker and returns it; port 0 takes a free one.

        Raises OSError for a port that is taken. A broker may have several: one for its peers, and
        one for clients.
        """

        def accept() -> Side:
            return Connection(self.hub, upstream, self._live).client

        server = await asyncio.get_running_loop().create_server(accept, host, port)
        for each in server.sockets:  # those that it accepts have the same
            each.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, RECEIVED_BYTES)
        self._servers.append(server)
        bound: int = server.sockets[0].getsockname()[1]
        return bound

    def close(self) -> None:
        """Closes all ports and aborts all connections."""
        for server in self._servers:
            server.close()
        for connection in tuple(self._live):
            connection.close("gate", abruptly=True)
