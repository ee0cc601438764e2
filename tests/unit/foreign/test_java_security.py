"""What Kafka's own client reads is what was meant, and what it cannot read is refused before."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.unit.foreign.java_security import made
from tests.unit.probes.pems import CERTIFICATE, KEYS, PASSWORD
from tests.unit.probes.rare_pems import RARE

from highwater.harness.errors import UsageError
from highwater.harness.foreign import keys, securing
from highwater.harness.probes.security import Security
from highwater.jaas import login_in

WORDS = ("a\nx=y;//", "a\r\nb", 'p"\'w\\"', "x\\", "\\101", "a//b/*c", "пароль€😀", " a\t")
LOGINS = (
    r"""o.M required username='it\'s' password="\101\0477\400\n\q";""",
    "o.M required username=a-b_$.c password='\"';",
    "o.M required username=\xa0geheim§x password=٣£😀;",
)


def of_ours(directory: Path, form: str, password: str = PASSWORD) -> Security:
    """A key in this form; a password does not hurt where it needs none."""
    (directory / "cert.pem").write_text(CERTIFICATE)
    (directory / form).write_text(KEYS[form])
    certificate, key = str(directory / "cert.pem"), str(directory / form)
    return Security(protocol="SSL", certificate=certificate, key=key, key_password=password)


def rare(directory: Path, name: str) -> Security:
    pair, told = RARE[name], of_ours(directory, "PKCS#8")
    told = replace(told, key=str(directory / name), certificate=str(directory / f"{name}.crt"))
    Path(told.key).write_text(pair.key)
    Path(told.certificate).write_text(pair.certificate)
    return told


def hello(*security: str) -> dict[str, Any]:
    able = {"roles": [], "settings": [], "compression": [], "security": ["SSL", *security]}
    return {"library": "literal", "version": "1", "capabilities": able}


def is_taken(security: Security, *able: str) -> bool:
    try:
        securing.require(hello(*able), security)
    except UsageError:
        return False
    return True


def test_javas_client_reads_what_it_is_told_and_nothing_else(tmp_path: Path) -> None:
    told = [
        Security(protocol="SASL_PLAINTEXT", mechanism=mechanism, username=f"u{each}", password=each)
        for each in WORDS
        for mechanism in ("PLAIN", "SCRAM-SHA-512")
    ]
    ours = [of_ours(tmp_path, form) for form in KEYS] + [rare(tmp_path, name) for name in RARE]
    names = [*KEYS, *RARE]

    able, *read = made(tmp_path, [*told, *ours, *LOGINS])

    wanted = [{"username": each.username, "password": each.password} for each in told]
    assert read[: len(told)] == wanted
    assert read[-len(LOGINS) :] == [login_in(each).options for each in LOGINS]
    of_keys = dict(zip(names, read[len(told) : -len(LOGINS)], strict=True))
    reads = {form: each == {} for form, each in of_keys.items()}
    assert reads == {form: is_taken(each, *able) for form, each in zip(names, ours, strict=True)}
    assert reads["PKCS#8"]
    assert reads["Brainpool r1"]
    assert not reads["SEC1"]


@pytest.mark.parametrize("form", KEYS)
def test_a_key_is_known_by_its_form(tmp_path: Path, form: str) -> None:
    plain = {
        "PKCS#8": [],
        "SEC1 with a password": ["SEC1"],
        "PBES2 with DES": ["PBES2 with another cipher"],
    }

    assert keys.forms(of_ours(tmp_path, form)) == plain.get(form, [form])


@pytest.mark.parametrize("name", RARE)
def test_what_java_does_not_read_in_a_key_is_told(tmp_path: Path, name: str) -> None:
    assert keys.forms(rare(tmp_path, name)) == RARE[name].forms


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("scrypt", "which has PBES2 with scrypt: expected one key of RSA or EC in PKCS #8"),
        ("RSA-PSS in PBES1", "has RSA-PSS: .* expected a new key, and a certificate of it"),
        ("explicit", "has EC with explicit parameters: .* -ec_param_enc named_curve"),
    ],
)
def test_how_it_becomes_one_that_java_reads_is_said(tmp_path: Path, name: str, advice: str) -> None:
    told = rare(tmp_path, name)

    with pytest.raises(UsageError, match=advice):
        securing.require(hello("certificate", "PBES1", "PBES2"), told)
    securing.require(hello("certificate", "OpenSSL"), told)


@pytest.mark.parametrize("content", ["", "M", "MIIB", "MIIBAAAA", "////" * 9, "MIAwgA=="])
def test_what_is_no_key_has_another_algorithm(tmp_path: Path, content: str) -> None:
    told = of_ours(tmp_path, "PKCS#8")
    Path(told.key).write_text(
        f"-----BEGIN PRIVATE KEY-----\n{content}\n-----END PRIVATE KEY-----\n"
    )

    assert keys.forms(told) == ["another algorithm"]


def test_whoever_cannot_read_a_key_is_refused_in_words(tmp_path: Path) -> None:
    old, beyond = of_ours(tmp_path, "SEC1"), of_ours(tmp_path, "PBES1", "sécret")

    with pytest.raises(
        UsageError, match=r"literal 1 cannot read the key in .*SEC1, which has SEC1: "
    ):
        securing.require(hello("certificate", "PBES1"), old)
    with pytest.raises(UsageError, match="has a password beyond ASCII: expected one key") as raised:
        securing.require(hello("certificate", "PBES1"), beyond)
    assert "sécret" not in str(raised.value)
    securing.require(hello("certificate", "OpenSSL"), old)


def test_of_several_keys_nobody_knows_which_is_meant(tmp_path: Path) -> None:
    two = of_ours(tmp_path, "PKCS#8")
    Path(two.key).write_text(KEYS["PKCS#8"] + KEYS["EdDSA"])

    assert keys.forms(two) == ["several keys"]
    Path(two.key).unlink()
    with pytest.raises(UsageError, match="cannot be read"):
        keys.forms(two)
