"""How a user's brokers want to be spoken to, of the properties file that his clients have."""

from __future__ import annotations

import re
import shlex
import stat
from collections.abc import Mapping
from pathlib import Path

from highwater.harness.errors import UsageError
from highwater.harness.probes.sasl import MECHANISMS
from highwater.harness.probes.security import PROTOCOLS, Security
from highwater.jaas import login_in
from highwater.properties import read_properties

OF_SECURITY = re.compile(r"(enable\.)?(security|sasl|ssl)\.")
PROVIDED = re.compile(r"\$\{[^}]*:[^}]*\}")  # by a config provider, which only Java has
TRIMMED_BY_C = " \t\n\v\f\r"  # at the beginning of each text that librdkafka is told
JAAS, HOST = "sasl.jaas.config", "ssl.endpoint.identification.algorithm"
SIGNED = "enable.ssl.certificate.verification"
# Of what stands in a login, these are no secrets: Kafka's own modules, and their options.
MODULE = re.compile(r"org\.apache\.kafka\.[a-z.]{1,60}\.[A-Z][A-Za-z]{1,40}LoginModule")
OPTIONS = ("tokenauth", "serviceName", "clientId", "clientSecret", "scope")
# Told as they stand, with the blanks at their end.
SECRETS = frozenset({JAAS, "sasl.username", "sasl.password", "ssl.key.password"})
# By the names that Java's clients have for it, and by those of librdkafka.
KNOWN = SECRETS | {
    "security.protocol", "sasl.mechanism", "sasl.mechanisms", "ssl.truststore.location",
    "ssl.truststore.type", "ssl.ca.location", "ssl.keystore.location", "ssl.keystore.type",
    "ssl.certificate.location", "ssl.key.location", HOST, SIGNED,
}  # fmt: skip
# Understood, to say what a store of Java's has to become: PEM has no password.
OF_STORES = frozenset({"ssl.truststore.password", "ssl.keystore.password"})
# Hosts are not looked at: Java's clients have "" for it, librdkafka has "none".
NO_HOST = frozenset({"none", ""})
# PEM, or what is between its first and its last line: not to be quoted, it may be a private key.
TEXT = re.compile(r"-----BEGIN|[\r\n]|^M[A-I][A-Za-z0-9+/=\s]{38,}$")
PROBED = "ssl.ca.location", "probe"  # librdkafka's word for those of the machine
HASHED = re.compile(r"[0-9a-f]{8}\.\d+")  # how OpenSSL looks for a certificate in a directory
TO_PEM = {
    "truststore": "keytool -list -rfc -keystore {} > truststore.pem",
    "keystore": "keytool -importkeystore -srckeystore {} -destkeystore keystore.p12 -deststoretype "
    "PKCS12, and openssl pkcs12 -in keystore.p12 -out keystore.pem",
}


def security_of_file(path: Path) -> Security:
    """Raises UsageError for what cannot be read, and for what we could not do as it is said."""
    told = _Told(path)
    protocol = told.get("security.protocol", "PLAINTEXT").upper()
    if protocol not in PROTOCOLS:
        raise told.refused(f"security.protocol is {protocol!r:.60}; expected one of {PROTOCOLS}")
    ours = told.one(
        {"ssl.keystore.location": told.pem("keystore"), **told.file("ssl.certificate.location")}
    )
    found = Security(
        protocol=protocol,
        authorities=told.one(
            {"ssl.truststore.location": told.pem("truststore"), **told.file("ssl.ca.location")}
        ),
        certificate=ours,
        key=told.file("ssl.key.location")["ssl.key.location"] or ours,
        key_password=told.get("ssl.key.password"),
        checks_host=not protocol.endswith("SSL") or _checks_host(told),
        **_who(told),
    )
    _refuse_unused(told, found)
    _refuse_incomplete(told, found)
    _try_files(told, found)
    return found


class _Told:
    """What a file says of security; an empty value says nothing, but of hosts."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.words = {
            name: self._meant(name, value)
            for name, value in read_properties(path, trims=False).items()
            if OF_SECURITY.match(name)
            and (name == HOST or (value if name in SECRETS else value.strip()))
        }
        others = sorted(self.words.keys() - KNOWN - OF_STORES)
        if others:
            raise self.refused(
                f"{others[0]!r:.120} is not understood; known are {', '.join(sorted(KNOWN))}"
            )

    def refused(self, why: str) -> UsageError:
        return UsageError(f"{self.path}: {why}")

    def get(self, name: str, usual: str = "") -> str:
        return self.words.get(name, usual)

    def one(self, said: Mapping[str, str]) -> str:
        """By names, the value that any of them has; raises UsageError where two have others."""
        values = {value: name for name, value in said.items() if value}
        if len(values) > 1:
            raise self.refused(f"{' and '.join(values.values())} say different things")
        return next(iter(values), "")

    def file(self, setting: str) -> dict[str, str]:
        """By its name the file, which is beside the properties where it is no whole path."""
        place = self.get(setting)
        if (setting, place) == PROBED:
            return {setting: ""}
        if TEXT.search(place) and not self._is_there(place):
            raise self.refused(
                f"{setting} has what stands in a PEM file: expected where that file is"
            )
        return {setting: str(self.path.absolute().parent / place) if place else ""}

    def _is_there(self, place: str) -> bool:
        """A name of letters and strokes alone may be that of a file."""
        try:
            return (self.path.absolute().parent / place).exists()
        except (OSError, ValueError):
            return False

    def pem(self, store: str) -> str:
        """A store of Java's, if it is PEM; raises UsageError for one that not everybody reads."""
        place = self.file(f"ssl.{store}.location")[f"ssl.{store}.location"]
        kind = self.get(f"ssl.{store}.type", "JKS")
        if place and kind.upper() != "PEM":
            raise self.refused(
                f"ssl.{store}.location is a {kind:.20} file, which not every client reads; "
                f"expected ssl.{store}.type=PEM: {TO_PEM[store].format(shlex.quote(place))}"
            )
        if self.get(f"ssl.{store}.password"):
            raise self.refused(f"ssl.{store}.password is of no use: a store in PEM has none")
        return place

    def _meant(self, name: str, value: str) -> str:
        if PROVIDED.search(value):
            raise self.refused(
                f"{name} is left to a config provider of Java's: expected the value itself"
            )
        try:  # Java's \ud83d\ude00 is one character
            return self.text(name, value if name in SECRETS else value.strip())
        except UnicodeDecodeError:
            raise self.refused(f"{name} has half a character, \\ud800 to \\udfff alone") from None

    def text(self, name: str, value: str) -> str:
        """Raises UsageError for one with a NUL, where C and SASL's PLAIN see its end."""
        if "\0" in value:
            raise self.refused(f"{name} has a NUL, which ends a text")
        return value.encode("utf-16", "surrogatepass").decode("utf-16")


def _who(told: _Told) -> dict[str, str]:
    mechanism = told.one({name: told.get(name) for name in ("sasl.mechanism", "sasl.mechanisms")})
    if mechanism and mechanism not in MECHANISMS:
        raise told.refused(
            f"sasl.mechanism is {mechanism!r:.60}; known are {', '.join(MECHANISMS)}"
        )
    login = _login(told, mechanism)
    who = {
        each: told.one({f"sasl.{each}": told.get(f"sasl.{each}"), JAAS: login.get(each, "")})
        for each in ("username", "password")
    }
    return {"mechanism": mechanism, **who}


def _login(told: _Told, mechanism: str) -> Mapping[str, str]:
    """The options of the login module."""
    if not told.get(JAAS):
        return {}
    try:
        module, options = login_in(told.get(JAAS))
    except ValueError as error:
        raise told.refused(f"{JAAS} is not understood: {error}") from None
    wanted = ("Plain" if mechanism == "PLAIN" else "Scram") + "LoginModule"
    if mechanism and module.rpartition(".")[2] != wanted:
        known = repr(module) if MODULE.fullmatch(module) else "another login module"
        raise told.refused(
            f"{JAAS} has {known} and sasl.mechanism is {mechanism}: expected {wanted}"
        )
    others = options.keys() - {"username", "password"}
    if others:  # not named: what is no option is a piece of a password with a quote in it
        known = next((repr(each) for each in OPTIONS if each in others), "an option")
        raise told.refused(
            f"{known} in {JAAS} is not understood; known are username, password, and a quote in "
            r'their values is \\"'
        )
    return {name: told.text(f"{name} in {JAAS}", value) for name, value in options.items()}


def _checks_host(told: _Told) -> bool:
    if told.get(SIGNED, "true").lower() not in {"true", "t", "1"}:
        raise told.refused(
            f"{SIGNED} is off, and who has signed is always looked at: expected his certificate as "
            "ssl.ca.location"
        )
    algorithm = told.get(HOST, "https").lower()
    if algorithm not in {"https", *NO_HOST}:
        raise told.refused(f"{HOST} is {algorithm!r:.60}; expected https, none or nothing")
    return algorithm == "https"


def _refuse_unused(told: _Told, found: Security) -> None:
    """A protocol that was forgotten would have us speak in the open."""
    for family, used in (("sasl.", found.authenticates), ("ssl.", found.encrypts)):
        unused = [
            name
            for name, value in sorted(told.words.items())
            if name.startswith(family) and not (name == HOST and value.lower() in NO_HOST)
        ]
        if unused and not used:
            usable = [each for each in PROTOCOLS if family[:-1].upper() in each.split("_")]
            raise told.refused(
                f"{unused[0]} is of no use where security.protocol is {found.protocol}: expected "
                f"one of {', '.join(usable)}, or nothing that begins with {family}"
            )


def _refuse_incomplete(told: _Told, found: Security) -> None:
    words = {
        "a username": found.username,
        "a password": found.password,
        "ssl.key.password": found.key_password,
    }
    for name, word in words.items():
        if word != word.lstrip(TRIMMED_BY_C):
            raise told.refused(f"{name} begins with a blank, which librdkafka leaves out")
    if found.authenticates and not (found.mechanism and found.username and found.password):
        raise told.refused(f"{found.protocol} needs sasl.mechanism, a username and a password")
    keys = [name for name in ("ssl.key.location", "ssl.key.password") if told.get(name)]
    if keys and not found.certificate:
        raise told.refused(
            f"{keys[0]} has no certificate: expected ssl.certificate.location, or "
            "ssl.keystore.location with ssl.keystore.type=PEM"
        )


def _try_files(told: _Told, security: Security) -> None:
    if not security.encrypts:
        return
    named = (security.authorities, security.certificate, security.key)
    files = [each for each in dict.fromkeys(named) if each]
    for each in files:
        why = _unusable(Path(each), may_be_directory=each == security.authorities)
        if why is not None:
            raise told.refused(f"expected a PEM file at {each:.255}{why}")
    try:
        security.context()
    except (OSError, ValueError) as error:
        shown = ", ".join(files) or "of the machine"
        raise told.refused(f"its certificates ({shown}) cannot be used: {error}") from error


def _unusable(place: Path, *, may_be_directory: bool) -> str | None:
    """Why it is no PEM file, as far as that is known; None: it is one, or a directory of such."""
    try:
        mode = place.stat().st_mode
        if stat.S_ISREG(mode):
            return None
        if not (may_be_directory and stat.S_ISDIR(mode)):
            return ", and that is no file"
        hashed = any(HASHED.fullmatch(each.name) for each in place.iterdir())
    except OSError as error:
        return f": {error.strerror}"
    return None if hashed else ": no file in this directory has a name as of openssl rehash"
