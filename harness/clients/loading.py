"""What a load is told: what cannot be is refused before anything starts."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any

from highwater.harness.clients.names import incarnations
from highwater.harness.clients.settings import Transactions
from highwater.harness.errors import UsageError
from highwater.harness.foreign import abilities, headers, securing, transactional
from highwater.harness.foreign.lines import PRODUCER
from highwater.harness.foreign.programs import OURS, Client, command_of
from highwater.harness.foreign.talk import describe
from highwater.harness.probes.security import security_of
from highwater.harness.scene import Scene
from highwater.harness.topic import Topic, require_topics
from highwater.harness.versions.catalogue import Kafka
from highwater.harness.workloads.pattern import require_no_keys
from highwater.harness.workloads.producer import ProducerSettings
from highwater.harness.workloads.reaching import addresses_of

MOST_PER_S = 1_000_000  # more than any load has sent
IN_FLIGHT = 5  # what an idempotent producer may have on its way and keep its order


class Ordered:
    """A load on a topic, by our own client or another one."""

    def __init__(self, scene: Scene, topic: Topic, client: Client = OURS) -> None:
        self._scene = scene
        self._topic = topic
        self._client = client

    def order(
        self,
        rate_per_s: float | None,
        settings: ProducerSettings | None,
        transactions: Transactions | None,
    ) -> dict[str, Any]:
        """As an adapter is told, but for its name; raises UsageError for what cannot be."""
        if rate_per_s is not None and not _is_rate(rate_per_s):
            raise UsageError(
                f"expected a rate_per_s above 0 and up to {MOST_PER_S:,}, or None for as many as "
                f"are taken, saw {rate_per_s!r:.120}"
            )
        require_topics(self._topic)
        kafka = self._scene.cluster.kafka
        chosen = ProducerSettings.of(settings).on(kafka)
        require_no_keys(self._topic.pattern, chosen.keys)
        if transactions is not None:
            _refuse_transactions(kafka, chosen, transactions)
        foreign: dict[str, Any] = {}
        if self._client != OURS:
            chosen, foreign = self._foreign(ProducerSettings.of(settings), transactions)
        else:
            chosen = _in_order(chosen, five=kafka.orders_five_in_flight)
        return {
            "role": "producer",
            "topic": self._topic.name,
            "incarnations": incarnations([self._topic]),
            "partitions": len(self._topic),
            "rate_per_s": rate_per_s,
            "settings": asdict(chosen),
            "transactions": None if transactions is None else transactions.described(),
            **foreign,
        }

    def _foreign(
        self, settings: ProducerSettings, transactions: Transactions | None
    ) -> tuple[ProducerSettings, dict[str, Any]]:
        """The settings as its adapter can do them, and how that is started and told."""
        kafka = self._scene.cluster.kafka
        command = command_of(self._client, kafka)
        hello = describe(command)
        securing.require(hello, security_of(addresses_of(self._scene.cluster.bootstrap)[0]))
        headers.require(hello, PRODUCER, self._topic.pattern)
        five = kafka.orders_five_in_flight and abilities.orders_five_in_flight(hello)
        chosen = _in_order(abilities.fitted(hello, settings, kafka), five=five)
        if transactions is None:
            told = abilities.told(hello, chosen)
        else:
            transactional.require(hello)
            _refuse_transactions(kafka, chosen, transactions)
            told = transactional.told(hello, chosen)
        return chosen, {"command": list(command), "told": told}


def can_be_told(client: Client, kafka: Kafka, setting: str) -> bool:
    """Whether its loads can have another value of this field of ProducerSettings than the usual."""
    return client == OURS or abilities.has_setting(describe(command_of(client, kafka)), setting)


def as_told(client: Client, kafka: Kafka, settings: ProducerSettings) -> ProducerSettings:
    """Of these what its loads can be told; for the rest it goes by what is usual."""
    if client == OURS:
        return settings
    hello, usual = describe(command_of(client, kafka)), ProducerSettings()
    lacking = [name for name in abilities.WORDS if not abilities.has_setting(hello, name)]
    return replace(settings, **{name: getattr(usual, name) for name in lacking})


def for_transactions(kafka: Kafka, settings: object) -> ProducerSettings:
    """Of a producer that a play tells what to send, and where; UsageError for what cannot be."""
    chosen = ProducerSettings.of(settings).into_one_partition(kafka)
    _refuse_transactions(kafka, chosen, Transactions())
    return chosen


def _in_order(settings: ProducerSettings, *, five: bool) -> ProducerSettings:
    if settings.idempotence and five:
        return replace(settings, in_flight=IN_FLIGHT)
    return settings


def _refuse_transactions(kafka: Kafka, settings: ProducerSettings, wanted: object) -> None:
    """Raises UsageError for what is none, and where there cannot be any."""
    if not isinstance(wanted, Transactions):
        raise UsageError(f"expected Transactions, saw {wanted!r:.120}")
    if not settings.idempotence:
        raise UsageError(
            f"a producer on {kafka.name} with {settings} can have no transactions: expected Kafka "
            "0.11 or newer, acks='all', retries, and idempotence not False"
        )
    if settings.unanswered is not None:
        raise UsageError(
            "one transaction ends before the next one begins: expected unanswered=None, saw "
            f"{settings.unanswered}; Transactions(records=...) says how many records each has"
        )
    if settings.linger_ms >= settings.transaction_timeout_s * 1000:
        raise UsageError(
            f"expected a transaction_timeout_s above {settings.linger_ms / 1000:g} s, for which a "
            f"batch waits (linger_ms), saw {settings.transaction_timeout_s!r}"
        )


def _is_rate(rate_per_s: object) -> bool:
    if isinstance(rate_per_s, bool) or not isinstance(rate_per_s, int | float):
        return False
    return 0 < rate_per_s <= MOST_PER_S
