"""What says nothing of security, or is of no use and does no harm, is taken."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.front.test_refused_security import LOGIN, PLAIN, SSL, WHO, written

from highwater.harness.errors import UsageError
from highwater.harness.probes.security import Security
from highwater.securing import security_of_file

HOST = "ssl.endpoint.identification.algorithm="
SIGNED = "enable.ssl.certificate.verification="
SASL = PLAIN + WHO
OF_SASL = Security(
    protocol="SASL_PLAINTEXT", mechanism="PLAIN", username="orders", password="s3cret"
)
OF_SSL = Security(protocol="SSL")
EMPTY = (
    "sasl.mechanism=",
    "sasl.jaas.config=",
    "sasl.username=",
    "sasl.login.callback.handler.class=",
    "ssl.truststore.location= ",
    "ssl.truststore.password=",
    "ssl.truststore.type=",
    "ssl.keystore.password=",
    "ssl.ca.location=",
    "ssl.cipher.suites=",
    HOST,
)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        *((f"security.protocol=PLAINTEXT\n{each}\n", Security()) for each in EMPTY),
        *((f"security.protocol=SSL\n{each}\n", OF_SSL) for each in EMPTY[:-1]),
        *((f"{SASL}{each}\n", OF_SASL) for each in EMPTY[3:]),
        (f"{SASL}sasl.jaas.config=\n", OF_SASL),
        (f'{PLAIN}{LOGIN}username="orders" password="s3cret";\nsasl.password=\n', OF_SASL),
        (f"{SSL}{HOST}\n", Security(protocol="SSL", checks_host=False)),
        (f"{SASL}{HOST}none\n", OF_SASL),
        (f"{SASL}{SIGNED}false\n", OF_SASL),
        (f"{SIGNED}false\n", Security()),
        ("security.protocol=\nbatch.size=1\n", Security()),
        (f"{SSL}ssl.ca.location=probe\n", OF_SSL),
    ],
)
def test_it_means_the_same_as_without_it(tmp_path: Path, text: str, meant: Security) -> None:
    assert security_of_file(written(tmp_path, text)) == meant


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f"{SASL}{HOST}https\n", "algorithm is of no use where security.protocol is SASL_PLAIN"),
        (f"security.protocol=\n{WHO}", "sasl.password is of no use .* is PLAINTEXT"),
        (f"{PLAIN}sasl.username=orders\nsasl.password=\n", "needs .* a password"),
        (f"{SSL}{SIGNED}false\n", "verification is off"),
        (f"{SSL}ssl.truststore.location=t.jks\nssl.truststore.type=\n", "is a JKS file"),
    ],
)
def test_what_would_be_passed_over_is_still_refused(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        security_of_file(written(tmp_path, text))
