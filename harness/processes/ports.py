"""Ports that stay ours: chosen free at run time, and reserved for as long as a cluster lives.

A reservation is a socket that is bound and never listens. A server that sets SO_REUSEADDR (JVMs
and asyncio do) may bind beside it; a second harness, which tries without, is refused. So a broker
that was killed finds its port again, and nobody else takes it meanwhile.
"""

from __future__ import annotations

import random
import socket

from highwater.harness.errors import InfrastructureError, UsageError
from highwater.harness.lifetime import Lifetime

HOST = "127.0.0.1"
FIRST, LAST = 20_000, 32_000  # below the ephemeral ports, which any client may be given
ATTEMPTS = 500


class Ports(Lifetime):
    """Reserved ports, released when the context is left."""

    def free(self) -> int:
        """A port that nobody uses, ours until the context is left."""
        for _ in range(ATTEMPTS):
            port = random.randrange(FIRST, LAST)
            if self._reserve(port):
                return port
        raise InfrastructureError(f"no free port found in {FIRST}-{LAST} after {ATTEMPTS} attempts")

    def exactly(self, port: int) -> int:
        """A port that the user asked for; raises UsageError when it is taken."""
        if not self._reserve(port):
            raise UsageError(f"port {port} on {HOST} is taken; see who has it: ss -ltnp")
        return port

    def _reserve(self, port: int) -> bool:
        reserved = socket.socket()
        try:
            reserved.bind((HOST, port))  # without SO_REUSEADDR: fails if anyone has it
        except OSError:
            reserved.close()
            return False
        # From here on a server may bind beside it; Linux looks at the option again on each bind.
        reserved.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._ending.callback(reserved.close)
        return True
