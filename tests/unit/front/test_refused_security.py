"""What a file says of security and could not be done so, or would be passed over, is refused."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.unit.probes.pems import CERTIFICATE, KEYS, PASSWORD

from highwater.harness.errors import UsageError
from highwater.securing import security_of_file

PLAIN = "security.protocol=SASL_PLAINTEXT\nsasl.mechanism=PLAIN\n"
WHO = "sasl.username=orders\nsasl.password=s3cret\n"
LOGIN = "sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required "
SSL = "security.protocol=SSL\n"
OURS = f"{SSL}ssl.certificate.location=cert.pem\nssl.key.location=key.pem\n"


def written(directory: Path, text: str, files: Mapping[str, str] | None = None) -> Path:
    for name, content in (files or {}).items():
        (directory / name).write_text(content)
    path = directory / "client.properties"
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f"{PLAIN}sasl.username=orders\n", "needs sasl.mechanism, a username and a password"),
        (f'{PLAIN}{LOGIN}username="orders";\n', "a username and a password"),
        (f"{PLAIN}{WHO}sasl.mechanisms=SCRAM-SHA-512\n", "mechanism and sasl.mechanisms say diff"),
        (f'{PLAIN}{WHO}{LOGIN}username="other";\n', "username and sasl.jaas.config say different"),
        (f'{PLAIN}{WHO}{LOGIN}password="other";\n', "password and sasl.jaas.config say different"),
        (f'{PLAIN}{LOGIN}username="u" password="s3cret" tokenauth="true";\n', "'tokenauth' in"),
        (f'{PLAIN}{LOGIN}username="u" password="p"s3cret="x";\n', "an option in sasl.jaas"),
        (f'{PLAIN}sasl.jaas.config="s3cret" required username="u";\n', "another login module"),
        (f'{PLAIN}{LOGIN}username="u" password="s3cret"\n', "is not understood: expected one"),
        (
            f'{PLAIN}{LOGIN.replace("Plain", "Scram")}username="u" password="s3cret";\n',
            "ScramLoginModule' and sasl.mechanism is PLAIN: expected PlainLoginModule",
        ),
        (
            f'{PLAIN}{LOGIN.replace("Plain", "OAuthBearer")}username="u" password="s3cret";\n',
            "expected PlainLoginModule",
        ),
        (f"sasl.mechanism=PLAIN\n{WHO}", "is PLAINTEXT: expected one of SASL_PLAINTEXT, SASL_SSL"),
        (f"{SSL}{WHO}", "sasl.password is of no use where security.protocol is SSL"),
        (f"{PLAIN}{WHO}ssl.ca.location=none.pem\n", "ssl.ca.location is of no use"),
        (f"{SSL}enable.ssl.certificate.verification=false\n", "verification is off"),
        (f"{SSL}enable.sasl.oauthbearer.unsecure.jwt=true\n", "is not understood"),
        (f"{SSL}ssl.endpoint.identification.algorithm=false\n", "expected https, none or nothing"),
        (
            f"{SSL}ssl.ca.location=a.pem\nssl.truststore.location=b.pem\nssl.truststore.type=PEM\n",
            "ssl.truststore.location and ssl.ca.location say different things",
        ),
        (f"{SSL}ssl.key.location=key.pem\n", "ssl.key.location has no certificate"),
        (f"{SSL}ssl.key.password=word\n", "ssl.key.password has no certificate"),
        (f"{PLAIN}sasl.username=u\nsasl.password=${{file:/s3cret:x}}\n", "config provider"),
        (f"{SSL}ssl.ca.location=a\\u0000b\n", "ssl.ca.location has a NUL"),
        (f"{PLAIN}sasl.username=u\nsasl.password=s3cret\\u0000\n", "sasl.password has a NUL"),
        (f'{PLAIN}{LOGIN}username="u" password="s3cret\\\\0";\n', "password in sasl.jaas.config"),
        (f"{SSL}ssl.ca.location=\\ud83d\n", "ssl.ca.location has half a character"),
        (f"{SSL}ssl.\\ud83d=x\n", "is not understood"),
        (f"{PLAIN}sasl.username=u\nsasl.password=\\ s3cret\n", "a password begins with a blank"),
        (f'{PLAIN}{LOGIN}username="\\\\nu" password="s3cret";\n', "a username begins with a blank"),
    ],
)
def test_what_would_be_passed_over_is_refused_in_words(
    tmp_path: Path, text: str, said: str
) -> None:
    with pytest.raises(UsageError, match=said) as raised:
        security_of_file(written(tmp_path, text))

    assert "s3cret" not in str(raised.value)
    str(raised.value).encode()  # and can be printed


def test_a_password_is_told_as_it_stands(tmp_path: Path) -> None:
    found = security_of_file(
        written(tmp_path, f"{PLAIN}sasl.username=u\nsasl.password=a\\nx=y;// \\ud83d\\ude00 \n")
    )

    assert found.password == "a\nx=y;// \U0001f600 "


def test_what_is_said_twice_and_means_the_same_is_taken(tmp_path: Path) -> None:
    text = f'{PLAIN}{WHO}sasl.mechanisms=PLAIN\n{LOGIN}username="orders" password="s3cret";\n'

    found = security_of_file(written(tmp_path, text))

    assert (found.mechanism, found.username, found.password) == ("PLAIN", "orders", "s3cret")


READS = """
import os, sys
from pathlib import Path
from highwater.harness.errors import UsageError
from highwater.securing import security_of_file
if os.isatty(0):
    os.open(os.ttyname(0), os.O_RDWR)  # the terminal that OpenSSL would ask at
try:
    security_of_file(Path(sys.argv[1]))
except UsageError as error:
    print(error)
"""


@pytest.mark.parametrize("has_terminal", [True, False])
@pytest.mark.parametrize("form", ["PBES2", "SEC1 with a password"])
def test_a_key_without_its_password_is_refused_and_nobody_is_asked(
    tmp_path: Path, form: str, has_terminal: bool
) -> None:
    path = written(tmp_path, OURS, {"cert.pem": CERTIFICATE, "key.pem": KEYS[form]})
    ours, theirs = os.openpty()
    asked = os.dup(theirs)
    os.set_blocking(ours, False)

    done = subprocess.run(
        [sys.executable, "-c", READS, str(path)],
        stdin=theirs if has_terminal else subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
        start_new_session=True,
    )

    with pytest.raises(BlockingIOError):
        os.read(ours, 1)
    for each in (ours, theirs, asked):
        os.close(each)
    assert "key.pem is encrypted: expected ssl.key.password" in done.stdout
    assert "PEM pass phrase" not in done.stdout + done.stderr


@pytest.mark.parametrize("word", ["wrong", "w" * 2000])
def test_a_password_that_does_not_open_a_key_is_refused(tmp_path: Path, word: str) -> None:
    files = {"cert.pem": CERTIFICATE, "key.pem": KEYS["PBES2"]}

    with pytest.raises(UsageError, match=r"certificates \(/.*key.pem\) cannot be used"):
        security_of_file(written(tmp_path, f"{OURS}ssl.key.password={word}\n", files))


@pytest.mark.parametrize("form", ["SEC1", "PKCS#8", "PBES2", "SEC1 with a password"])
def test_a_key_that_can_be_opened_is_taken(tmp_path: Path, form: str) -> None:
    files = {"cert.pem": CERTIFICATE, "key.pem": KEYS[form]}

    found = security_of_file(written(tmp_path, f"{OURS}ssl.key.password={PASSWORD}\n", files))

    assert (found.key, found.key_password) == (str(tmp_path / "key.pem"), PASSWORD)
