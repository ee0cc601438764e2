"""Where librdkafka finds brokers, and how it has to speak to them."""

from __future__ import annotations

from typing import Any

SECURITY = (
    "SSL",
    "SASL_PLAINTEXT",
    "SASL_SSL",
    "PLAIN",
    "SCRAM-SHA-256",
    "SCRAM-SHA-512",
    "certificate",
    "OpenSSL",
)
# Its names for what the protocol says in these words.
NAMES = {
    "mechanism": "sasl.mechanisms",
    "username": "sasl.username",
    "password": "sasl.password",
    "authorities": "ssl.ca.location",
    "certificate": "ssl.certificate.location",
    "key": "ssl.key.location",
    "key_password": "ssl.key.password",
}


def reached(begin: dict[str, Any]) -> dict[str, Any]:
    told: dict[str, Any] = {"bootstrap.servers": begin["bootstrap"]}
    wanted = begin.get("security")
    if wanted is None:
        return told
    told["security.protocol"] = wanted["protocol"]
    told.update({NAMES[word]: wanted[word] for word in NAMES if wanted[word]})
    if wanted["protocol"].endswith("SSL"):
        checks = wanted["checks_host"]
        told["ssl.endpoint.identification.algorithm"] = "https" if checks else "none"
    return told
