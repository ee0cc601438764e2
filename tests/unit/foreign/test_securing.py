"""What an adapter has to say that it can do, for brokers that want encryption and passwords."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
from tests.unit.foreign.test_lines import is_of_the_schema

from highwater.adapters.confluent_kafka.reaching import reached
from highwater.harness.errors import UsageError
from highwater.harness.foreign import securing
from highwater.harness.probes.security import Security

SECURED = Security(
    protocol="SASL_SSL", mechanism="PLAIN", username="orders", password="secret", authorities="ca"
)


def hello(*security: str) -> dict[str, Any]:
    able = {"roles": ["producer"], "settings": ["acks"], "compression": []}
    words = {"library": "literal", "version": "1"}
    return {**words, "capabilities": {**able, **({"security": [*security]} if security else {})}}


@pytest.mark.parametrize(
    ("security", "able"),
    [
        (None, ()),
        (Security(), ()),
        (SECURED, ("SASL_SSL", "PLAIN")),
        (replace(SECURED, certificate="ours"), ("PLAIN", "SASL_SSL", "certificate", "OpenSSL")),
    ],
)
def test_who_says_that_it_can_is_taken(security: Security | None, able: tuple[str, ...]) -> None:
    securing.require(hello(*able), security)


@pytest.mark.parametrize(
    ("security", "able", "lacking"),
    [
        (SECURED, (), "by SASL_SSL and PLAIN here: .*, saw none"),
        (SECURED, ("SASL_SSL", "SCRAM-SHA-256"), "by PLAIN here: .*, saw SASL_SSL, SCRAM-SHA-256"),
        (replace(SECURED, certificate="ours"), ("SASL_SSL", "PLAIN"), "by certificate here"),
        (Security(protocol="SSL"), ("SASL_SSL", "PLAIN"), "by SSL here"),
    ],
)
def test_who_does_not_is_refused_in_words(
    security: Security, able: tuple[str, ...], lacking: str
) -> None:
    with pytest.raises(UsageError, match=f"literal 1 cannot speak to brokers {lacking}") as raised:
        securing.require(hello(*able), security)

    assert "secret" not in str(raised.value)


def test_authorities_in_a_directory_are_what_openssl_reads(tmp_path: Path) -> None:
    told = replace(SECURED, authorities=str(tmp_path))

    securing.require(hello("SASL_SSL", "PLAIN", "OpenSSL"), told)
    securing.require(hello("SASL_PLAINTEXT", "PLAIN"), replace(told, protocol="SASL_PLAINTEXT"))
    with pytest.raises(UsageError, match=r"cannot read authorities in a directory, as /.*: exp"):
        securing.require(hello("SASL_SSL", "PLAIN"), told)


def test_what_is_told_of_it_is_of_the_schema_and_librdkafka_s_as_ours_has_it() -> None:
    begin: dict[str, Any] = {"do": "begin", "protocol": 1, "role": "producer", "client": "load"}
    begin |= {"bootstrap": "127.0.0.1:9092", "settings": {}, "security": asdict(SECURED)}

    assert is_of_the_schema(begin)
    assert not is_of_the_schema({**begin, "security": {"protocol": "TLS"}})
    assert reached(begin) == {"bootstrap.servers": "127.0.0.1:9092", **SECURED.library()}
