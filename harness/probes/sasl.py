"""Who a connection belongs to, told to a broker: SASL, by PLAIN or SCRAM.

SaslHandshake in version 1 has what follows in Kafka's own frames (KIP-152). SCRAM is RFC 5802, and
RFC 7677 for SHA-256; Kafka has it without channel binding.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
import socket
import struct
from collections.abc import Mapping

from highwater.harness.gate.headers import encode_request, response_body
from highwater.harness.gate.messages.errors import NAMES
from highwater.harness.gate.primitives import Reader, Writer

SASL_HANDSHAKE, SASL_AUTHENTICATE = 17, 36
MECHANISMS: Mapping[str, str] = {  # and the hash of each, as Python names it
    "PLAIN": "",
    "SCRAM-SHA-256": "sha256",
    "SCRAM-SHA-512": "sha512",
}
MOST_ITERATIONS = 1 << 20  # more would only keep us busy
CLIENT_ID = "highwater-probe"


class DeniedError(PermissionError):
    """The broker does not believe who we are, or we do not believe who it is."""


def authenticate(connection: socket.socket, mechanism: str, username: str, password: str) -> None:
    """Raises DeniedError, and OSError as sockets do."""
    writer = Writer(flexible=False)
    writer.nullable_string(mechanism)
    answer = _asked(connection, SASL_HANDSHAKE, bytes(writer.buffer))
    error = answer.int16()
    if error:
        known = ", ".join(answer.array(answer.string))
        raise DeniedError(f"{mechanism} was answered with {_named(error)}; the broker has {known}")
    if mechanism == "PLAIN":
        _told(connection, f"\0{username}\0{password}".encode())
        return
    scram = Scram(MECHANISMS[mechanism], username, password, secrets.token_urlsafe(24))
    final = scram.proof_for(_told(connection, scram.first.encode()).decode())
    scram.believe(_told(connection, final.encode()).decode())


class Scram:
    """A client's side of one exchange; raises DeniedError for what no honest server says."""

    def __init__(self, algorithm: str, username: str, password: str, nonce: str) -> None:
        self._algorithm, self._password, self._nonce = algorithm, password, nonce
        name = username.replace("=", "=3D").replace(",", "=2C")
        self._bare = f"n={name},r={nonce}"
        self._expected = b""

    @property
    def first(self) -> str:
        """What the client begins with."""
        return f"n,,{self._bare}"

    def proof_for(self, told: str) -> str:
        """What the client says to the server's challenge."""
        said = _attributes(told)
        nonce, salt, times = said.get("r", ""), said.get("s", ""), said.get("i", "")
        if not nonce.startswith(self._nonce) or nonce == self._nonce or not times.isdecimal():
            raise DeniedError("what the broker answered is no SCRAM challenge to what was said")
        if not 1 <= int(times) <= MOST_ITERATIONS:
            raise DeniedError(f"the broker wants {times} iterations of SCRAM")
        salted = hashlib.pbkdf2_hmac(
            self._algorithm, self._password.encode(), base64.b64decode(salt), int(times)
        )
        final = f"c={base64.b64encode(b'n,,').decode()},r={nonce}"
        agreed = f"{self._bare},{told},{final}".encode()
        key = self._mac(salted, b"Client Key")
        signature = self._mac(hashlib.new(self._algorithm, key).digest(), agreed)
        self._expected = self._mac(self._mac(salted, b"Server Key"), agreed)
        proof = bytes(one ^ other for one, other in zip(key, signature, strict=True))
        return f"{final},p={base64.b64encode(proof).decode()}"

    def believe(self, told: str) -> None:
        """The server knows the password as well, or it is another one."""
        said = _attributes(told).get("v", "")
        if not hmac.compare_digest(base64.b64encode(self._expected).decode(), said):
            raise DeniedError("the broker does not prove that it knows the password")

    def _mac(self, key: bytes, text: bytes) -> bytes:
        return hmac.new(key, text, self._algorithm).digest()


def _attributes(told: str) -> dict[str, str]:
    return {each[:1]: each[2:] for each in told.split(",") if each[1:2] == "="}


def _told(connection: socket.socket, said: bytes) -> bytes:
    """What the broker says to it."""
    writer = Writer(flexible=False)
    writer.nullable_bytes(said)
    answer = _asked(connection, SASL_AUTHENTICATE, bytes(writer.buffer))
    error, why, content = answer.int16(), answer.nullable_string(), answer.nullable_bytes()
    if error:
        raise DeniedError(f"the broker answered with {_named(error)}: {why or 'without a word'}")
    return bytes(content or b"")


def _asked(connection: socket.socket, api_key: int, body: bytes) -> Reader:
    version = 1 if api_key == SASL_HANDSHAKE else 0
    connection.sendall(encode_request(api_key, version, 1, CLIENT_ID, body))
    answer = receive(connection, struct.unpack(">i", receive(connection, 4))[0])
    return response_body(answer, api_key, version, start=4)


def _named(error: int) -> str:
    return f"error {error} ({NAMES.get(error, 'unknown')})"


def receive(connection: socket.socket, size: int) -> bytes:
    """So many bytes; raises ConnectionError where the other side closes before."""
    chunks = bytearray()
    while len(chunks) < size:
        chunk = connection.recv(size - len(chunks))
        if not chunk:
            raise ConnectionError("the broker closed the connection instead of answering")
        chunks += chunk
    return bytes(chunks)
