"""How brokers want to be spoken to, and whether an adapter can do that."""

from __future__ import annotations

from highwater.harness.errors import UsageError
from highwater.harness.foreign.abilities import named
from highwater.harness.foreign.lines import Event
from highwater.harness.probes.security import Security

CERTIFICATE = "certificate"  # of the client itself, where brokers ask for one
PLAIN = "PLAINTEXT"


def require(hello: Event, security: Security | None) -> None:
    """Raises UsageError for a client that cannot speak so; None: plainly, which each one can."""
    able = hello["capabilities"].get("security", [])
    lacking = [each for each in _wanted(security) if each not in able]
    if lacking:
        raise UsageError(
            f"{named(hello)} cannot speak to brokers by {' and '.join(lacking)} here: expected an "
            f"adapter whose 'security' has that, saw {', '.join(able) or 'none'}"
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
