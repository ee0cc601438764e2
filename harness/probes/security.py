"""How brokers want to be spoken to: by encryption and passwords, where they do.

Known by address: whoever opens a connection asks here, so that nobody has to hand it on, and what
is meant for one cluster is told to no other one.
"""

from __future__ import annotations

import socket
import ssl
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from highwater.harness.probes.sasl import authenticate

Address = tuple[str, int]
PROTOCOLS = ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")


@dataclass(frozen=True, slots=True, kw_only=True)
class Security:
    """As the properties of a client have it; files are PEM, and "" is none."""

    protocol: str = "PLAINTEXT"
    mechanism: str = ""
    username: str = ""
    password: str = field(default="", repr=False)
    authorities: str = ""  # that are believed, or a directory of such; "": the machine's
    certificate: str = ""  # ours, where brokers ask for one
    key: str = ""
    key_password: str = field(default="", repr=False)
    checks_host: bool = True

    @property
    def encrypts(self) -> bool:
        return self.protocol.endswith("SSL")

    @property
    def authenticates(self) -> bool:
        return self.protocol.startswith("SASL")

    @property
    def has_directory(self) -> bool:
        """As OpenSSL has one: certificates whose names are their hashes."""
        return bool(self.authorities) and Path(self.authorities).is_dir()

    def library(self) -> dict[str, Any]:
        """The same as librdkafka has it."""
        told: dict[str, Any] = {"security.protocol": self.protocol}
        if self.authenticates:
            told |= {
                "sasl.mechanisms": self.mechanism,
                "sasl.username": self.username,
                "sasl.password": self.password,
            }
        if self.encrypts:
            told |= {
                "ssl.ca.location": self.authorities,
                "ssl.certificate.location": self.certificate,
                "ssl.key.location": self.key,
                "ssl.key.password": self.key_password,
                "ssl.endpoint.identification.algorithm": "https" if self.checks_host else "none",
            }
        return {name: value for name, value in told.items() if value != ""}

    def context(self) -> ssl.SSLContext:
        """Raises OSError or ValueError for files that cannot be read, or are no certificates."""
        place = self.authorities or None
        file, directory = (None, place) if self.has_directory else (place, None)
        context = ssl.create_default_context(cafile=file, capath=directory)
        context.check_hostname = self.checks_host
        if self.certificate:
            context.load_cert_chain(self.certificate, self.key or None, self._password_of_key)
        return context

    def _password_of_key(self) -> str:
        """OpenSSL asks for it where the key is encrypted; not told, it would ask the terminal."""
        if not self.key_password:
            raise OSError(f"{self.key or self.certificate} is encrypted: expected ssl.key.password")
        return self.key_password


_SECURED: dict[Address, Security] = {}


@contextmanager
def secured(addresses: Iterable[Address], security: Security | None) -> Generator[None]:
    """Meanwhile connections to these are opened so."""
    named = list(addresses) if security else []
    try:
        if security is not None:
            secure(named, security)
        yield
    finally:
        for each in named:
            _SECURED.pop(each, None)


def secure(addresses: Iterable[Address], security: Security) -> None:
    """The same as long as this process lives."""
    _SECURED.update(dict.fromkeys(addresses, security))


def security_of(address: Address) -> Security | None:
    """None: without encryption and passwords."""
    return _SECURED.get(address)


def opened(address: Address, timeout_s: float) -> socket.socket:
    """A connection that is ready for questions; raises OSError, of which DeniedError is one."""
    security = security_of(address)
    connection = socket.create_connection(address, timeout_s)
    if security is None:
        return connection
    try:
        if security.encrypts:
            connection = security.context().wrap_socket(connection, server_hostname=address[0])
        if security.authenticates:
            authenticate(connection, security.mechanism, security.username, security.password)
    except BaseException:
        connection.close()
        raise
    return connection
