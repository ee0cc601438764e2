"""What members of a group are told: what cannot be is refused before anything starts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from highwater.harness.clients.settings import AUTO, CONSUMER, SESSION_MS, ConsumerSettings
from highwater.harness.cluster import LINKS, Cluster
from highwater.harness.errors import UsageError
from highwater.harness.foreign import headers, memberships, securing
from highwater.harness.foreign.lines import MEMBER
from highwater.harness.foreign.programs import OURS, Client, command_of
from highwater.harness.foreign.talk import describe
from highwater.harness.probes.security import security_of
from highwater.harness.scene import Scene
from highwater.harness.workloads.pattern import Pattern
from highwater.harness.workloads.reaching import addresses_of
from highwater.harness.workloads.reader import SETTINGS

BROKERS_SESSION = "group.consumer.session.timeout.ms"
METADATA_MS = 1_000  # partitions that a topic is given are read a second later, not five minutes
RESET, RESETS = "auto.offset.reset", ("earliest", "latest")  # as any library calls them
SEAT = "{seat}"  # stands for the group.instance.id of each member


class Grouped:
    """Members of a group, by our own client or another one."""

    def __init__(self, scene: Scene, settings: ConsumerSettings, client: Client = OURS) -> None:
        if not isinstance(settings, ConsumerSettings):
            raise UsageError(f"expected ConsumerSettings, saw {settings!r:.120}")
        self._scene, self._settings, self._client = scene, settings, client

    def order(self, pattern: Pattern | None = None) -> dict[str, Any]:
        """As an adapter is told, but for its name and its group; UsageError for what cannot be.

        `pattern` is that of the records that are read.
        """
        is_ours, kafka = self._client == OURS, self._scene.cluster.kafka
        self._settings.described_on(kafka)  # refuses what nobody can do
        settings = self._settings.of_librdkafka if is_ours else self._settings
        order = {"role": "member", "settings": settings.described_on(kafka)}
        return order if is_ours else {**order, **self._foreign(pattern)}

    @property
    def recorded(self) -> dict[str, str]:
        """As run.json has it of the group."""
        told = self._settings.recorded
        if self._settings.protocol == CONSUMER:
            own = self._scene.record.identity.get("settings") or {}
            told["session.timeout.ms"] = str(own.get(BROKERS_SESSION, SESSION_MS[CONSUMER]))
        return told

    def _foreign(self, pattern: Pattern | None) -> dict[str, Any]:
        """How its adapter is started and told."""
        settings = self._settings
        if settings.commits == AUTO and not sees_clients(self._scene.cluster):
            raise UsageError(
                "what other libraries commit by themselves is seen at the gate alone: expected "
                f"gated_clients=True, commits of 'after' or 'before', or client={OURS!r}"
            )
        told = {RESET: settings.begins_at in RESETS, memberships.INTERVAL: settings.commits == AUTO}
        own = {name for name in settings.library if not told.get(name, False)}
        if RESET in own:
            raise UsageError(
                f"expected {RESET} of members of other libraries to be one of {', '.join(RESETS)}, "
                f"saw {settings.library[RESET]!r:.120}"
            )
        if own:
            raise UsageError(
                f"{min(own)} is a setting of librdkafka, of our own client: "
                f"expected library={{}}, or client={OURS!r}"
            )
        command = command_of(self._client, self._scene.cluster.kafka)
        hello = describe(command)
        securing.require(hello, security_of(addresses_of(self._scene.cluster.bootstrap)[0]))
        headers.require(hello, MEMBER, pattern)
        return {
            "command": list(command),
            "told": memberships.fitted(hello, self._wanted()),
            "commits": settings.commits,
            "processing_us": round(settings.processing_s * 1e6),
            "at_once": memberships.at_once(settings.processing_s),
        }

    @property
    def _interval_ms(self) -> int:
        """How often a library commits that does so by itself."""
        told: int = self._settings.library.get(memberships.INTERVAL, memberships.COMMIT_MS)
        return told

    def _wanted(self) -> dict[str, Any]:
        settings = self._settings
        is_classic = settings.protocol != CONSUMER
        is_automatic = settings.commits == AUTO
        return {
            RESET: settings.begins_at,
            "isolation.level": SETTINGS["isolation.level"],
            "session.timeout.ms": SESSION_MS[settings.protocol] if is_classic else None,
            memberships.AUTOMATIC: True if is_automatic else None,
            memberships.INTERVAL: self._interval_ms if is_automatic else None,
            "group.protocol": None if is_classic else settings.protocol,
            "group.instance.id": SEAT if settings.static else None,
            "metadata.max.age.ms": METADATA_MS,
            memberships.POLL_INTERVAL: settings.poll_interval_ms,
            memberships.ASSIGNOR: settings.assignor,
        }


def sees_clients(cluster: Cluster) -> bool:
    """Whether the gate sees what clients ask brokers."""
    return LINKS in cluster.has and cluster.gate.rows.is_between


def with_seat(order: Mapping[str, Any], seat: str) -> dict[str, Any]:
    """The order of one member: with its seat, which is the group.instance.id of a static one."""
    told = order.get("told", {})
    if told.get(memberships.INSTANCE) is not None:
        order = {**order, "told": {**told, memberships.INSTANCE: seat}}
    return {**order, "seat": seat}
