"""The gate's listening ports: one per broker, all under one set of rules."""

from __future__ import annotations

import asyncio

from highwater.harness.gate.connection import Connection, Side, Upstream
from highwater.harness.gate.hub import Hub


class Gate:
    def __init__(self, hub: Hub) -> None:
        self.hub = hub
        self._servers: dict[int, asyncio.Server] = {}
        self._live: set[Connection] = set()

    async def listen(self, upstream: Upstream, host: str, port: int) -> int:
        """Opens the port in front of one broker and returns it; port 0 takes a free one.

        Raises OSError for a port that is taken, ValueError for a broker that has one already.
        """
        if upstream.broker_id in self._servers:
            raise ValueError(f"broker {upstream.broker_id} has a port already")

        def accept() -> Side:
            return Connection(self.hub, upstream, self._live).client

        server = await asyncio.get_running_loop().create_server(accept, host, port)
        self._servers[upstream.broker_id] = server
        bound: int = server.sockets[0].getsockname()[1]
        return bound

    def close(self) -> None:
        """Closes all ports and aborts all connections."""
        for server in self._servers.values():
            server.close()
        for connection in tuple(self._live):
            connection.close("gate", abruptly=True)
