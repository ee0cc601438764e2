"""One connection to one broker, for questions that no client library asks."""

from __future__ import annotations

import math
import socket
import struct
import threading
from typing import Self

from highwater.harness.addresses import addresses
from highwater.harness.errors import InfrastructureError
from highwater.harness.gate.headers import encode_request, response_body
from highwater.harness.gate.messages.errors import NAMES
from highwater.harness.gate.primitives import Reader
from highwater.harness.patience import left_s
from highwater.harness.probes.sasl import receive
from highwater.harness.probes.security import opened

CLIENT_ID = "highwater-probe"
TIMEOUT_S = 3.0
SHORTEST_S = 0.1
UNSENT = "nothing was sent"


class AnswerError(InfrastructureError, LookupError):
    """The broker answered with an error code: often no more than "not yet"."""

    def __init__(self, question: str, code: int, reason: str = "") -> None:
        """`reason` is what the broker has said besides, where it has."""
        named = f" ({NAMES[code]})" if code in NAMES else ""
        told = f": {reason}" if reason else ""
        super().__init__(f"{question} was answered with error {code}{named}{told}")
        self.code = code


def may_be_sent(error: OSError) -> bool:
    """Whether the broker may have what it was asked, though there was no answer."""
    is_unsent = UNSENT in getattr(error, "__notes__", ())
    return not (is_unsent or isinstance(error, ConnectionRefusedError))


class Wire:
    """Asks one broker, one question at a time; opens the connection again after a failure.

    Raises OSError when the broker cannot be reached, does not let us in, or does not answer within
    `timeout_s`.
    """

    def __init__(
        self, host: str, port: int, timeout_s: float = TIMEOUT_S, client_id: str = CLIENT_ID
    ) -> None:
        self._client_id = client_id
        self._address = (host, port)
        self._timeout_s = timeout_s
        self._socket: socket.socket | None = None
        self._lock = threading.Lock()

    @classmethod
    def at(cls, address: str, timeout_s: float = TIMEOUT_S, client_id: str = CLIENT_ID) -> Self:
        """To one HOST:PORT, as brokers are told of; raises UsageError for what is none."""
        ((host, port),) = addresses(address)
        return cls(host, port, timeout_s, client_id)

    def ask(self, api_key: int, version: int, body: bytes, timeout_s: float = math.inf) -> Reader:
        """Send a request and return a reader that stands at the first field of the answer.

        An answer that takes longer than this `timeout_s` is not waited for either.
        """
        with self._lock:
            try:
                connection = self._reached(min(timeout_s, self._timeout_s))
                connection.sendall(encode_request(api_key, version, 1, self._client_id, body))
                answer = receive(connection, struct.unpack(">i", receive(connection, 4))[0])
            except BaseException:
                self._forget()
                raise
        return response_body(answer, api_key, version, start=4)

    def close(self) -> None:
        with self._lock:
            self._forget()

    def _reached(self, timeout_s: float) -> socket.socket:
        try:
            return self._connected(max(SHORTEST_S, left_s(timeout_s)))
        except OSError as error:
            error.add_note(UNSENT)
            raise

    def _connected(self, timeout_s: float) -> socket.socket:
        if self._socket is None:
            self._socket = opened(self._address, timeout_s)
        if self._socket.gettimeout() != timeout_s:  # who asked before had more time, or less
            self._socket.settimeout(timeout_s)
        return self._socket

    def _forget(self) -> None:
        if self._socket is not None:
            self._socket.close()
            self._socket = None
