"""How a user's brokers want to be spoken to, of the properties file that his clients have."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from highwater.harness.errors import UsageError
from highwater.harness.probes.sasl import MECHANISMS
from highwater.harness.probes.security import PROTOCOLS, Security
from highwater.properties import read_properties

OF_SECURITY = re.compile(r"(security|sasl|ssl)\.")
IN_JAAS = re.compile(r'\b(username|password)\s*=\s*(?:"((?:\\.|[^"\\])*)"|([^\s;"]+))')
# By the names that Java's clients have for it, and by those of librdkafka.
KNOWN = frozenset({
    "security.protocol", "sasl.mechanism", "sasl.mechanisms", "sasl.jaas.config", "sasl.username",
    "sasl.password", "ssl.truststore.location", "ssl.truststore.type", "ssl.ca.location",
    "ssl.keystore.location", "ssl.keystore.type", "ssl.certificate.location", "ssl.key.location",
    "ssl.key.password", "ssl.endpoint.identification.algorithm",
})  # fmt: skip


def security_of_file(path: Path) -> Security:
    """Raises UsageError for what cannot be read, and for what we could not do as it is said."""
    told = {name: each for name, each in read_properties(path).items() if OF_SECURITY.match(name)}
    others = sorted(told.keys() - KNOWN)
    if others:
        raise UsageError(
            f"{path}: {others[0]} is not understood; known are {', '.join(sorted(KNOWN))}"
        )
    protocol = told.get("security.protocol", "PLAINTEXT").upper()
    if protocol not in PROTOCOLS:
        raise UsageError(
            f"{path}: security.protocol is {protocol!r:.60}; expected one of {PROTOCOLS}"
        )
    files = _Files(path, told)
    ours = files.pem("keystore") or files.named("ssl.certificate.location")
    found = Security(
        protocol=protocol,
        authorities=files.pem("truststore") or files.named("ssl.ca.location"),
        certificate=ours,
        key=files.named("ssl.key.location") or ours,
        key_password=told.get("ssl.key.password", ""),
        checks_host=_checks_host(told),
        **_who(path, told),
    )
    if found.authenticates and not (found.mechanism and found.username):
        raise UsageError(f"{path}: {protocol} needs sasl.mechanism, a username and a password")
    _try_files(path, found)
    return found


def _who(path: Path, told: Mapping[str, str]) -> dict[str, str]:
    jaas = {
        each[1]: re.sub(r"\\(.)", r"\1", each[2]) if each[2] is not None else each[3]
        for each in IN_JAAS.finditer(told.get("sasl.jaas.config", ""))
    }
    mechanism = told.get("sasl.mechanism") or told.get("sasl.mechanisms") or ""
    if mechanism and mechanism not in MECHANISMS:
        raise UsageError(
            f"{path}: sasl.mechanism is {mechanism!r:.60}; known are {', '.join(MECHANISMS)}"
        )
    return {
        "mechanism": mechanism,
        "username": told.get("sasl.username") or jaas.get("username", ""),
        "password": told.get("sasl.password") or jaas.get("password", ""),
    }


def _checks_host(told: Mapping[str, str]) -> bool:
    """Java's clients have "" for no, librdkafka has "none"."""
    return told.get("ssl.endpoint.identification.algorithm", "https") not in {"", "none"}


class _Files:
    def __init__(self, path: Path, told: Mapping[str, str]) -> None:
        self._path, self._told = path, told

    def named(self, setting: str) -> str:
        """The file, beside the properties where it is no whole path; "" where none is named."""
        place = self._told.get(setting, "")
        return str(self._path.parent / place) if place else ""

    def pem(self, store: str) -> str:
        """A store of Java's, if it is PEM; raises UsageError for one that only Java reads."""
        place = self.named(f"ssl.{store}.location")
        kind = self._told.get(f"ssl.{store}.type", "JKS")
        if place and kind.upper() != "PEM":
            raise UsageError(
                f"{self._path}: ssl.{store}.location is a {kind} file, which only Java reads; "
                f"expected ssl.{store}.type=PEM: keytool -list -rfc -keystore {place} > {store}.pem"
            )
        return place


def _try_files(path: Path, security: Security) -> None:
    if not security.encrypts:
        return
    try:
        security.context()
    except OSError as error:
        raise UsageError(f"{path}: its certificates cannot be used: {error}") from error
