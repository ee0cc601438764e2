"""What a client sends before the gate has reached the broker."""

from __future__ import annotations

import asyncio

from tests.unit.gate.conftest import FakeBroker, fetch

from highwater.harness.gate.connection import Connection
from highwater.harness.gate.hub import Hub
from highwater.harness.gate.upstream import Upstream


class EagerTransport(asyncio.Transport):
    """Reads on whatever it is told, as Python 3.11.2 does before a connection has been made."""

    def pause_reading(self) -> None: ...

    def resume_reading(self) -> None: ...

    def is_closing(self) -> bool:
        return False

    def close(self) -> None: ...


def test_a_frame_that_is_early_waits_for_the_broker(broker: FakeBroker) -> None:
    async def send_at_once() -> bytes:
        client = Connection(
            Hub(lambda _: None), Upstream(1, "127.0.0.1", broker.port), set()
        ).client
        client.connection_made(EagerTransport())
        client.data_received(fetch())
        return await asyncio.to_thread(broker.next_frame)

    frame = asyncio.run(send_at_once())

    assert frame == fetch()
