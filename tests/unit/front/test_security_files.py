"""The files that are told of security: looked at before, and never shown where they are keys."""

from __future__ import annotations

import os
import re
import socket
import ssl
import subprocess
import tempfile
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.unit.front.test_refused_security import OURS, SSL, written
from tests.unit.probes.pems import CERTIFICATE, KEYS

from highwater.harness.errors import UsageError
from highwater.harness.jvm.java import find_java
from highwater.securing import security_of_file

HASH = "1f0e3173"  # of who has signed CERTIFICATE, as openssl x509 -hash shows it
KEY = KEYS["PKCS#8"]
BARE = "".join(KEY.splitlines()[1:-1])
STORES = "ssl.keystore.location=", "ssl.keystore.type=PEM\nssl.keystore.location="
NOBODY = 65534
LONG = "x" * 300


def refusal(path: Path) -> str:
    with pytest.raises(UsageError) as refused:
        security_of_file(path)
    return str(refused.value)


@contextmanager
def closed(directory: Path) -> Generator[None]:
    """Nobody may look into it meanwhile, not even who may look everywhere."""
    who = os.geteuid()
    directory.chmod(0)
    if who == 0:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(who)
        directory.chmod(0o700)


def test_what_nobody_may_look_at_is_refused_in_words() -> None:
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        directory.chmod(0o755)
        (directory / "closed").mkdir()
        written(directory / "closed", SSL)
        path = written(directory, f"{SSL}ssl.ca.location=closed/ca.pem\n")

        with closed(directory / "closed"):
            of_file = refusal(path)
            of_properties = refusal(directory / "closed" / path.name)

    assert re.search("expected a PEM file at /.*/closed/ca.pem: Permission denied$", of_file)
    assert re.search("expected a properties file at /.*: .*Permission denied", of_properties)


def test_a_name_that_is_too_long_is_refused_in_words(tmp_path: Path) -> None:
    of_file = refusal(written(tmp_path, f"{SSL}ssl.ca.location={LONG}\n"))

    assert re.search("expected a PEM file at /.*x: File name too long$", of_file)
    assert "File name too long" in refusal(tmp_path / LONG)


@pytest.mark.parametrize("said", ["ssl.key.location=", *STORES])
@pytest.mark.parametrize("key", [KEY.replace("\n", r"\n"), KEY.replace("\n", " "), BARE])
def test_a_key_in_the_place_of_its_file_is_not_shown(tmp_path: Path, said: str, key: str) -> None:
    text = f"{SSL}ssl.certificate.location=cert.pem\n{said}{key}\n"

    shown = refusal(written(tmp_path, text, {"cert.pem": CERTIFICATE}))

    assert "location has what stands in a PEM file: expected where that file is" in shown
    assert BARE[:16] not in shown


def test_a_file_whose_name_is_of_letters_and_strokes_is_no_key(tmp_path: Path) -> None:
    name = "MIDDLEWARE/kafka/production/certificates/authorities"
    path = written(tmp_path, SSL + f"ssl.ca.location={name}\n")
    with pytest.raises(UsageError, match="has what stands in a PEM file"):
        security_of_file(path)

    (tmp_path / name).parent.mkdir(parents=True)
    (tmp_path / name).write_text(CERTIFICATE)

    assert security_of_file(path).context().get_ca_certs()


@pytest.mark.parametrize(
    ("more", "kind"),
    [
        ("", "a JKS file"),
        ("ssl.truststore.type=\n", "a JKS file"),
        ("ssl.truststore.password=s3cret\n", "a JKS file"),
        ("ssl.truststore.password=s3cret\nssl.truststore.type=PKCS12\n", "a PKCS12 file"),
    ],
)
def test_a_store_of_javas_is_refused_with_how_it_becomes_pem(
    tmp_path: Path, more: str, kind: str
) -> None:
    keytool = str(Path(find_java().path).with_name("keytool"))
    text = f"{SSL}ssl.truststore.location=my store\n{more}"
    words = ["-importcert", "-noprompt", "-file", "cert.pem", "-storepass", "s3cret"]
    (tmp_path / "cert.pem").write_text(CERTIFICATE)
    subprocess.run([keytool, *words, "-keystore", "my store"], cwd=tmp_path, check=True, timeout=60)

    shown = refusal(written(tmp_path, text))

    found = re.search(f"is {kind}, .*; expected ssl.truststore.type=PEM: (keytool .*)", shown)
    assert found
    run = found[1].replace("keytool", keytool)
    subprocess.run(run, shell=True, cwd=tmp_path, input=b"s3cret\n", check=True, timeout=60)
    said = "ssl.truststore.location=truststore.pem\nssl.truststore.type=PEM\n"
    assert security_of_file(written(tmp_path, SSL + said)).context().get_ca_certs()


def test_a_keystore_of_javas_is_refused_with_how_its_key_becomes_pem(tmp_path: Path) -> None:
    text = f"{SSL}ssl.keystore.location=ours.jks\nssl.keystore.password=s3cret\n"

    shown = refusal(written(tmp_path, f"{text}ssl.key.password=s3cret\n"))

    assert "-deststoretype PKCS12, and openssl pkcs12 -in keystore.p12 -out keystore.pem" in shown
    assert "s3cret" not in shown


def test_a_store_in_pem_has_no_password(tmp_path: Path) -> None:
    text = f"{SSL}ssl.truststore.location=ca.pem\nssl.truststore.type=PEM\n"

    assert "ssl.truststore.password is of no use: a store in PEM has none" in refusal(
        written(tmp_path, f"{text}ssl.truststore.password=s3cret\n", {"ca.pem": CERTIFICATE})
    )


def test_who_has_signed_is_looked_for_in_a_directory(tmp_path: Path) -> None:
    (tmp_path / "known").mkdir()
    (tmp_path / "known" / f"{HASH}.0").write_text(CERTIFICATE)
    text = f"{OURS}ssl.endpoint.identification.algorithm=none\nssl.ca.location=known\n"
    path = written(tmp_path, text, {"cert.pem": CERTIFICATE, "key.pem": KEY})
    server = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    server.load_cert_chain(tmp_path / "cert.pem", tmp_path / "key.pem")
    ours, theirs = socket.socketpair()

    with ThreadPoolExecutor(1) as other:
        served = other.submit(server.wrap_socket, theirs, server_side=True)
        security = security_of_file(path)
        with security.context().wrap_socket(ours) as connection:
            assert connection.getpeercert()
        served.result().close()

    assert security.library()["ssl.ca.location"] == str(tmp_path / "known")


def test_a_directory_in_which_nobody_would_be_found_is_refused(tmp_path: Path) -> None:
    (tmp_path / "known").mkdir()
    (tmp_path / "known" / "ca.pem").write_text(CERTIFICATE)

    shown = refusal(written(tmp_path, f"{SSL}ssl.ca.location=known\n"))

    assert "known: no file in this directory has a name as of openssl rehash" in shown
    assert "known, and that is no file" in refusal(
        written(tmp_path, OURS.replace("cert.pem", "known"))
    )
