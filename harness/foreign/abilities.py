"""What a producer is to be set to, in Kafka's words, and whether an adapter can do that."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from highwater.harness.errors import UsageError
from highwater.harness.foreign.lines import PRODUCER, Event
from highwater.harness.versions.catalogue import Kafka, find_kafka
from highwater.harness.workloads.producer import ProducerSettings

IDEMPOTENCE = "enable.idempotence"
RETRIES = "retries"
LINGER = "linger.ms"


class Word(NamedTuple):
    name: str  # Kafka's
    told: Callable[[Any], Any] = lambda value: value


def _ms(seconds: float) -> int:
    return int(seconds * 1000)


WORDS: Mapping[str, Word] = {
    "acks": Word("acks"),
    "idempotence": Word(IDEMPOTENCE, bool),
    "retries": Word(RETRIES),
    "linger_ms": Word(LINGER, int),
    "compression": Word("compression.type"),
    "delivery_timeout_s": Word("delivery.timeout.ms", _ms),
    "request_timeout_s": Word("request.timeout.ms", _ms),
    "batch_bytes": Word("batch.size"),
    "request_bytes": Word("max.request.size"),
    "in_flight": Word("max.in.flight.requests.per.connection"),
    "batch_records": Word("batch.num.messages"),  # librdkafka's: Java's producer counts bytes alone
}
OWN = "kafka-clients"  # Kafka's, for Java
NEEDED = ("acks",)  # a library whose acks nobody knows cannot be judged


def fitted(hello: Event, settings: ProducerSettings, kafka: Kafka) -> ProducerSettings:
    """The settings as they will be; raises UsageError for what this client cannot be set to."""
    able = hello["capabilities"]
    _refuse_role(hello)
    usual = ProducerSettings()
    for name, word in WORDS.items():
        chosen = getattr(settings, name)
        is_without = name == "idempotence" and chosen is False  # which it is then anyway
        if chosen != getattr(usual, name) and _lacks(able, word) and not is_without:
            raise UsageError(
                f"{named(hello)} cannot be set to {name}={chosen!r} ({word.name}): expected "
                f"settings of {', '.join(able['settings'])}"
            )
    if settings.compression not in ("none", *able["compression"]):
        raise UsageError(
            f"{named(hello)} cannot be set to compression={settings.compression!r}: expected one "
            f"of {', '.join(['none', *able['compression']])}"
        )
    if _lacks(able, WORDS["idempotence"]):
        settings = replace(settings, idempotence=False)
    return settings.on(kafka)


def orders_five_in_flight(hello: Event) -> bool:
    """Whether an idempotent producer of this library may have five requests on their way.

    Kafka's own may from 1.0 on (KAFKA-5494), and refuses more than one before.
    """
    if hello["library"] != OWN:
        return True
    try:
        return find_kafka(hello["version"]).orders_five_in_flight
    except UsageError:  # a build of somebody's own
        return True


def _refuse_role(hello: Event) -> None:
    able = hello["capabilities"]
    if PRODUCER not in able["roles"]:
        raise UsageError(f"expected {named(hello)} to be a producer, saw roles {able['roles']}")
    for name in NEEDED:
        if name not in able["settings"]:
            raise UsageError(
                f"expected {named(hello)} to have a setting {name}, saw {able['settings']}"
            )


def told(hello: Event, settings: ProducerSettings) -> dict[str, Any]:
    """What the adapter is told of the settings: those that it can do, and that are not its own."""
    able = hello["capabilities"]["settings"]
    chosen = {word: getattr(settings, name) for name, word in WORDS.items() if word.name in able}
    return {word.name: word.told(value) for word, value in chosen.items() if value is not None}


def has_setting(hello: Event, name: str) -> bool:
    """Whether this client can be told the field `name` of ProducerSettings."""
    return not _lacks(hello["capabilities"], WORDS[name])


def sends_once(told: Mapping[str, Any]) -> bool:
    """Whether each record leaves in one attempt at most; who cannot be told may try again."""
    return bool(told.get(RETRIES, 1) == 0)


def flushes(hello: Event) -> bool:
    """Whether it is its library that waits when it is told to flush, and not the adapter."""
    return hello["capabilities"].get("flush") is True


def pipelines(hello: Event) -> bool:
    """Whether several requests with records of one partition are under way at once, as set here."""
    return hello["capabilities"].get("pipelines") is True


def keeps_order(hello: Event, told: Mapping[str, Any]) -> bool:
    """Whether its library promises that records of a partition stand as it was given them."""
    promises = hello["capabilities"].get("keeps_order") is True
    return promises and bool(told.get(IDEMPOTENCE, False))


def named(hello: Event) -> str:
    return f"{hello['library']} {hello['version']}"


def _lacks(able: Mapping[str, Any], word: Word) -> bool:
    return word.name not in able["settings"]
