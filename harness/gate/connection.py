"""One client's connection through the gate: two sockets, two pipes, one end."""

from __future__ import annotations

import asyncio
from typing import cast

from highwater.harness.gate.dialogue import Dialogue
from highwater.harness.gate.frames import Stage
from highwater.harness.gate.hub import Hub
from highwater.harness.gate.pipe import Pipe
from highwater.harness.gate.upstream import Upstream
from highwater.harness.gate.witness import Witness

_CONNECT_TIMEOUT_S = 10.0
_LATE_ANSWER_TIMEOUT_S = 60.0


class Side(asyncio.Protocol):
    """One of the two sockets: what it reads goes into `inward`, what it is sent is `outward`."""

    def __init__(self, connection: Connection, name: str, inward: Pipe, outward: Pipe) -> None:
        self._connection = connection
        self.name = name
        self._inward = inward
        self._outward = outward
        self.transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast("asyncio.Transport", transport)
        self._inward.source = self._outward.target = self.transport
        self._connection.opened(self)

    def data_received(self, data: bytes) -> None:
        self._inward.feed(data)
        self._connection.answered()

    def eof_received(self) -> None:
        self._connection.lost(self)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - asyncio's signature
        self._connection.lost(self)

    def pause_writing(self) -> None:
        self._outward.pause(target_is_full=True)

    def resume_writing(self) -> None:
        self._outward.pause(target_is_full=False)

    def close(self, abruptly: bool) -> None:
        if self.transport is None:
            return
        if abruptly:
            self.transport.abort()
        else:
            self.transport.close()


class Connection:
    def __init__(self, hub: Hub, upstream: Upstream, live: set[Connection]) -> None:
        self._hub = hub
        self._upstream = upstream
        self._live = live
        self._dialogue = Dialogue(
            upstream.broker_id, hub.names, self._identified, lambda: hub.schemas
        )
        self._dialogue.follower = upstream.asker
        self._dialogue.is_foreign = upstream.foreign
        if upstream.clients:
            self._dialogue.witness = Witness(hub.seen, hub.names, upstream.broker_id)
        self._requests = Pipe("request", hub, self._dialogue, self)
        self._responses = Pipe("response", hub, self._dialogue, self)
        self.client = Side(self, "client", self._requests, self._responses)
        self._broker = Side(self, "broker", self._responses, self._requests)
        self._connecting: asyncio.Task[None] | None = None
        self._late: asyncio.TimerHandle | None = None
        self._client_is_gone = False
        self._closed_half: Side | None = None
        self._is_closed = False

    def opened(self, side: Side) -> None:
        if side is self.client and side.transport is not None:
            self._live.add(self)
            side.transport.pause_reading()
            self._connecting = asyncio.get_running_loop().create_task(self._connect())

    async def _connect(self) -> None:
        loop = asyncio.get_running_loop()
        attempt = loop.create_connection(
            lambda: self._broker, self._upstream.host, self._upstream.port
        )
        try:
            await asyncio.wait_for(attempt, _CONNECT_TIMEOUT_S)
        except OSError as error:  # TimeoutError is one
            self.close(f"refused: {error!r}")
            return
        if self._is_closed:
            self._broker.close(abruptly=False)
        else:
            self._requests.connected()

    def _identified(self) -> None:
        self._announce("connected")

    def answered(self) -> None:
        """Ends a connection that outlived its client when nothing is left to come."""
        if self._client_is_gone and self._requests.is_idle and self._dialogue.is_answered:
            self.close("answered")

    def resumed(self) -> None:
        if self._client_is_gone and not self._is_closed:
            loop = asyncio.get_running_loop()
            self._late = loop.call_later(_LATE_ANSWER_TIMEOUT_S, self.close, "never answered")
            self.answered()

    def turn_opaque(self) -> None:
        self._requests.turn_opaque()
        self._responses.turn_opaque()

    def half_close(self, stage: Stage) -> None:
        """Closes the side that a frame of this stage is for; the other one hears nothing of it."""
        self._closed_half = self._broker if stage == "request" else self.client
        self._closed_half.close(abruptly=False)
        self._announce("half-closed", reason=self._closed_half.name)

    def lost(self, side: Side) -> None:
        if (
            self._is_closed
            or side is self._closed_half
            or (side is self.client and self._client_is_gone)
        ):
            return
        holder = self._requests.holder
        if side is self.client and holder is not None and holder.rule.action.keep_after_close:
            self._client_is_gone = True
            self._announce("closed", reason="client, kept")
            return
        self.close(side.name)

    def close(self, reason: str, *, abruptly: bool = False) -> None:
        """Closes both sides; what has been written to them still goes out unless abruptly."""
        if self._is_closed:
            return
        self._is_closed = True
        self._live.discard(self)
        if self._late is not None:
            self._late.cancel()
        self._requests.finish()
        self._responses.finish()
        if self._dialogue.witness is not None:
            self._dialogue.witness.close()
        self.client.close(abruptly)
        self._broker.close(abruptly)
        self._announce("closed", reason=reason)

    def _announce(self, event: str, **fields: str) -> None:
        self._hub.emit(
            event,
            rule=None,
            leader=self._upstream.broker_id,
            follower=self._dialogue.follower,
            client_id=self._dialogue.client_id,
            connection=self._dialogue.connection,
            **fields,
        )
