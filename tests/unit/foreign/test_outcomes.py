"""Failed is only what cannot have been appended; settings are those that an adapter can do."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from highwater.harness.errors import InfrastructureError, UsageError
from highwater.harness.foreign import transactional
from highwater.harness.foreign.abilities import (
    WORDS,
    fitted,
    orders_five_in_flight,
    sends_once,
    told,
)
from highwater.harness.foreign.clock import Clock
from highwater.harness.foreign.lines import BreachError
from highwater.harness.foreign.outcomes import REFUSED, outcome_of
from highwater.harness.foreign.programs import command_of
from highwater.harness.foreign.talk import describe
from highwater.harness.model import Outcome
from highwater.harness.versions.catalogue import find_kafka
from highwater.harness.workloads.producer import ProducerSettings

KAFKA = find_kafka("4.1.1")
ALL = [word.name for word in WORDS.values()]


def hello(settings: list[str] | None = None, **more: Any) -> dict[str, Any]:
    names = ALL if settings is None else settings
    able = {"roles": ["producer"], "settings": names, "compression": ["gzip"]}
    return {"library": "literal", "version": "1", "capabilities": {**able, **more}}


def error(code: int | None, *, refused: bool = False) -> dict[str, Any]:
    return {"code": code, "refused": refused, "retriable": False}


@pytest.mark.parametrize("code", [*REFUSED, 7, 20, 3, -1, None])
def test_what_was_not_sent_once_and_refused_may_be_there(code: int | None) -> None:
    assert outcome_of(error(code), sends_once=False) is Outcome.UNKNOWN
    once = Outcome.FAILED if code in REFUSED else Outcome.UNKNOWN
    assert outcome_of(error(code), sends_once=True) is once
    assert outcome_of(error(code, refused=True), sends_once=False) is Outcome.FAILED


@pytest.mark.parametrize(
    ("library", "version", "five"),
    [
        ("kafka-clients", "0.11.0.3", False),
        ("kafka-clients", "1.0.0", True),
        ("kafka-clients", "4.5.0-SNAPSHOT", True),
        ("literal", "0.11.0.3", True),
    ],
)
def test_kafkas_own_producer_orders_five_requests_since_it_may(
    library: str, version: str, five: bool
) -> None:
    told = {**hello(), "library": library, "version": version}

    assert orders_five_in_flight(told) is five


def test_who_cannot_be_told_to_send_once_is_not_believed_to() -> None:
    settings = ProducerSettings(retries=0, idempotence=False)

    assert sends_once(told(hello(), settings))
    assert not sends_once(told(hello(["acks"]), settings))
    assert not sends_once(told(hello(), ProducerSettings()))


def test_an_adapter_is_told_what_it_can_do_in_kafkas_words() -> None:
    settings = ProducerSettings(linger_ms=5, delivery_timeout_s=2.5, compression="gzip").on(KAFKA)

    assert told(hello(["acks", "linger.ms", "delivery.timeout.ms"]), settings) == {
        "acks": "all",
        "linger.ms": 5,
        "delivery.timeout.ms": 2500,
    }
    assert set(ALL) - set(told(hello(), settings)) == {"request.timeout.ms"}  # the library's own


def test_an_adapter_is_told_how_long_to_wait_for_an_answer_where_somebody_says_it() -> None:
    settings = ProducerSettings(request_timeout_s=1.5)

    assert told(hello(), settings.on(KAFKA))["request.timeout.ms"] == 1500
    with pytest.raises(UsageError, match=r"cannot be set to request_timeout_s=1.5 \(request.time"):
        fitted(hello(["acks"]), settings, KAFKA)


@pytest.mark.parametrize(
    ("chosen", "why"),
    [
        ({"linger_ms": 5}, r"literal 1 cannot be set to linger_ms=5 \(linger.ms\): expected"),
        ({"idempotence": True}, "cannot be set to idempotence=True"),
        ({"retries": 0}, "cannot be set to retries=0"),
        ({"delivery_timeout_s": 3.0}, "cannot be set to delivery_timeout_s"),
    ],
)
def test_settings_that_an_adapter_does_not_have_are_refused(
    chosen: dict[str, Any], why: str
) -> None:
    assert fitted(hello(), ProducerSettings(**chosen), KAFKA)
    with pytest.raises(UsageError, match=why):
        fitted(hello(["acks"]), ProducerSettings(**chosen), KAFKA)


def test_who_has_no_idempotence_is_not_said_to_have_it() -> None:
    assert fitted(hello(), ProducerSettings(), KAFKA).idempotence is True
    assert fitted(hello(["acks"]), ProducerSettings(), KAFKA).idempotence is False
    assert fitted(hello(["acks"]), ProducerSettings(idempotence=False), KAFKA)


def test_who_has_no_transactions_is_refused_in_words() -> None:
    transactional.require(hello(transactions=[*transactional.NEEDED]))
    for said, seen in ({}, "neither"), ({"transactions": ["transactional.id"]}, "transactional.id"):
        with pytest.raises(UsageError, match=f"literal 1 has no transactions here: .* saw {seen};"):
            transactional.require(hello(**said))


def test_a_record_is_not_longer_on_its_way_than_its_transaction_may_be_open() -> None:
    brief = ProducerSettings(delivery_timeout_s=20, transaction_timeout_s=5)
    long = ProducerSettings(delivery_timeout_s=20, transaction_timeout_s=60)

    chosen = [transactional.told(hello(), each) for each in (brief, long)]

    assert [each["delivery.timeout.ms"] for each in chosen] == [5_000, 20_000]
    assert [each["transaction.timeout.ms"] for each in chosen] == [5_000, 60_000]


def test_who_does_not_know_a_compression_no_role_or_no_acks_is_refused() -> None:
    with pytest.raises(UsageError, match="compression='zstd': expected one of none, gzip"):
        fitted(hello(), ProducerSettings(compression="zstd"), KAFKA)
    with pytest.raises(UsageError, match=r"to be a producer, saw roles \[\]"):
        fitted(hello(roles=[]), ProducerSettings(), KAFKA)
    with pytest.raises(UsageError, match="to have a setting acks"):
        fitted(hello(["retries"]), ProducerSettings(), KAFKA)


@pytest.mark.parametrize(
    "client", ["", "ruby", "kafka-python:-2", [], ["no-such-program"], [1], Path("x"), 5, {"x"}]
)
def test_who_is_no_client_is_refused(client: Any) -> None:
    with pytest.raises(UsageError, match="expected"):
        command_of(client, KAFKA)


@pytest.mark.parametrize("origin_ns", [0, 10**18, -(10**18)])
def test_a_clock_of_its_own_is_mapped_by_its_first_reading(origin_ns: int) -> None:
    clock = Clock.of({"clock": "own", "at_ns": origin_ns + 150}, 100, 200)

    clock.require(origin_ns + 1_000, since_ns=950, read_ns=1_000)
    with pytest.raises(BreachError, match="after its line was read"):
        clock.require(origin_ns + 1_000, since_ns=0, read_ns=940)
    with pytest.raises(BreachError, match="before it was asked for"):
        clock.require(origin_ns + 1_000, since_ns=1_060, read_ns=1_100)


def test_a_program_that_cannot_be_started_is_told_in_words() -> None:
    with pytest.raises(InfrastructureError, match=r"'/no/such word' does not start: .*No such"):
        describe(["/no/such", "word"])


def test_what_a_program_said_that_failed_is_told() -> None:
    with pytest.raises(InfrastructureError, match=r"saw it gone|to say hello") as raised:
        describe([sys.executable, "-c", "import sys; sys.exit('no such library')"])

    assert raised.value.__notes__ == ["its standard error ends with 'no such library'"]
