"""SCRAM as the RFCs write it out, and what no honest server says."""

from __future__ import annotations

import pytest

from highwater.harness.probes.sasl import DeniedError, Scram

# RFC 7677, section 3.
NONCE = "rOprNGfwEbeRWgbNEkqO"
CHALLENGE = "r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096"
PROOF = (
    "c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,"
    "p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ="
)
SIGNATURE = "v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4="


def exchange() -> Scram:
    return Scram("sha256", "user", "pencil", NONCE)


def test_an_exchange_is_that_of_the_rfc() -> None:
    scram = exchange()

    assert scram.first == "n,,n=user,r=rOprNGfwEbeRWgbNEkqO"
    assert scram.proof_for(CHALLENGE) == PROOF
    scram.believe(SIGNATURE)


def test_a_name_is_written_as_the_rfc_wants_it() -> None:
    assert Scram("sha512", "a=b,c", "p", "n").first == "n,,n=a=3Db=2Cc,r=n"


@pytest.mark.parametrize(
    "challenge",
    [
        "",
        CHALLENGE.replace("r=rO", "r=xO"),
        f"r={NONCE},s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096",
        CHALLENGE.replace("i=4096", "i=0"),
        CHALLENGE.replace("i=4096", "i=99999999"),
        CHALLENGE.replace("i=4096", "i=x"),
    ],
)
def test_what_is_no_challenge_is_refused(challenge: str) -> None:
    with pytest.raises(DeniedError):
        exchange().proof_for(challenge)


@pytest.mark.parametrize("signature", ["", "v=", "e=other-error", SIGNATURE.replace("6r", "6s")])
def test_a_server_that_does_not_know_the_password_is_not_believed(signature: str) -> None:
    scram = exchange()
    scram.proof_for(CHALLENGE)

    with pytest.raises(DeniedError, match="does not prove"):
        scram.believe(signature)
