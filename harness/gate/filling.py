"""When whoever writes into a connection that is not read can write no more."""

from __future__ import annotations

import asyncio
import fcntl
import socket
import struct
import termios
from asyncio.trsock import TransportSocket
from collections.abc import Callable

# What the kernel takes in for who does not read would else grow to tens of megabytes, and no sender
# would notice that reading has stopped.
RECEIVED_BYTES = 128 << 10
STILL_S = 0.2  # nothing has come for so long
_COUNT = struct.Struct("i")


def when_full(source: asyncio.Transport | None, then: Callable[[], None]) -> None:
    """Call this when the kernel takes nothing more in, as both sides' buffers are full.

    A frame that is stalled goes on to fill them for as long as the sender is not done with that,
    which may take a busy machine a while: until then the sender still reads from its files.
    """
    loop = asyncio.get_running_loop()
    if (held := _socket(source)) is not None:
        held.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, RECEIVED_BYTES)

    def look(before: int) -> None:
        waiting = waiting_bytes(source)
        if waiting == before:
            then()
        else:
            loop.call_later(STILL_S, look, waiting)

    loop.call_later(STILL_S, look, waiting_bytes(source))


def waiting_bytes(source: asyncio.Transport | None) -> int:
    """What the kernel has for it, and nobody has read; 0 where it is closed (FIONREAD)."""
    held = _socket(source)
    if held is None:
        return 0
    (count,) = _COUNT.unpack(fcntl.ioctl(held.fileno(), termios.FIONREAD, bytes(_COUNT.size)))
    return int(count)


def _socket(source: asyncio.Transport | None) -> TransportSocket | None:
    """None where it is closed."""
    held: TransportSocket | None = source.get_extra_info("socket") if source is not None else None
    return held if held is not None and held.fileno() >= 0 else None
