"""How brokers want to be spoken to, and whether an adapter can do that."""

from __future__ import annotations

from collections.abc import Sequence

from highwater.harness.errors import UsageError
from highwater.harness.foreign import keys
from highwater.harness.foreign.abilities import named
from highwater.harness.foreign.lines import Event
from highwater.harness.probes.security import Security

CERTIFICATE = "certificate"  # of the client itself, where brokers ask for one
OPENSSL = "OpenSSL"  # whatever that reads, directories too
PLAIN = "PLAINTEXT"
ANEW = "; no command turns this one into such: expected a new key, and a certificate of it"
ADVICE = {  # what is more to do than to write the key otherwise
    **dict.fromkeys(("RSA-PSS", "EdDSA", "EC of another curve", "another algorithm"), ANEW),
    "EC with explicit parameters": "; its curve by name, as from openssl pkey -ec_param_enc "
    "named_curve, and a new certificate where that has them too",
}


def require(hello: Event, security: Security | None) -> None:
    """Raises UsageError for a client that cannot speak so, or cannot read the files; None: plainly,
    which each one can.
    """
    able = hello["capabilities"].get("security", [])
    lacking = [each for each in _wanted(security) if each not in able]
    if lacking:
        raise UsageError(
            f"{named(hello)} cannot speak to brokers by {' and '.join(lacking)} here: expected an "
            f"adapter whose 'security' has that, saw {', '.join(able) or 'none'}"
        )
    if security is None or OPENSSL in able:
        return
    if security.encrypts and security.has_directory:
        raise UsageError(
            f"{named(hello)} cannot read authorities in a directory, as {security.authorities} is: "
            "expected a PEM file as ssl.ca.location, as from cat DIRECTORY/*.[0-9] > ca.pem"
        )
    if CERTIFICATE in _wanted(security):
        _require_key(hello, able, security)


def _require_key(hello: Event, able: Sequence[str], security: Security) -> None:
    lacking = [each for each in keys.forms(security) if each not in able]
    if lacking:
        advice = next((ADVICE[each] for each in lacking if each in ADVICE), "")
        raise UsageError(
            f"{named(hello)} cannot read the key in {security.key or security.certificate}, which "
            f"has {' and '.join(lacking)}: expected one key of RSA or EC in PKCS #8, as from "
            "openssl pkcs8 -topk8, with -v1 PBE-SHA1-3DES and a password of ASCII, or -nocrypt"
            f"{advice}"
        )


def _wanted(security: Security | None) -> list[str]:
    """Words of the capability."""
    if security is None or security.protocol == PLAIN:
        return []
    wanted = [security.protocol]
    if security.authenticates:
        wanted.append(security.mechanism)
    if security.encrypts and security.certificate:
        wanted.append(CERTIFICATE)
    return wanted
