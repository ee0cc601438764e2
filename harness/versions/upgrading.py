"""Which release a broker may get on the data of another, and at what level brokers then speak.

As the notes on upgrading say that come with each release: new binaries first, which speak and write
as the old ones do; the protocol when all have them; the message format when clients have followed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, get_args

from highwater.harness.errors import UsageError
from highwater.harness.versions.catalogue import Kafka, find_kafka

PROTOCOL = "inter.broker.protocol.version"
FORMAT = "log.message.format.version"
Step = Literal["binaries", "protocol", "format"]
STEPS: tuple[Step, ...] = get_args(Step)
Stage = Literal["copied", "brokers", "final"]  # of leaving ZooKeeper for KRaft (KIP-866)
STAGES: tuple[Stage, ...] = get_args(Stage)
Turn = Literal["before"] | Stage  # as what a node starts again: as it was, or as at a stage


@dataclass(frozen=True, slots=True)
class Level:
    """As which lines of releases the brokers speak and write, whatever more they know."""

    protocol: str  # in KRaft the line whose metadata.version is final
    format: str | None  # None: nobody has to say it, as between releases from 0.11 on

    def settings(self, kafka: Kafka) -> dict[str, str]:
        """What holds a broker of this Kafka at the level; in KRaft the quorum does."""
        if kafka.kraft:
            return {}
        return {PROTOCOL: self.protocol, **({FORMAT: self.format} if self.format else {})}

    def raised(self, kafka: Kafka, step: Step) -> Level:
        """The one that a step of the upgrade to this Kafka comes to."""
        if step == "protocol":
            return replace(self, protocol=kafka.line)
        return replace(self, format=kafka.line) if step == "format" and self.format else self


def first_level(kafka: Kafka, settings: Mapping[str, str]) -> Level:
    """Of a cluster that has begun with this Kafka and these settings."""
    written = None if kafka.at_least("0.11") else kafka.line
    return Level(settings.get(PROTOCOL, kafka.line), settings.get(FORMAT, written))


def require_stage(stage: object) -> None:
    """Raises UsageError for what is no stage of a migration."""
    if stage not in STAGES:
        raise UsageError(
            f"expected a stage of a migration, {', '.join(STAGES)}, saw {stage!r:.120}"
        )


def require_migrates(kafka: Kafka, level: Level) -> None:
    """Raises UsageError for brokers that cannot leave ZooKeeper for KRaft as they are."""
    if kafka.kraft:
        raise UsageError(f"the brokers of Kafka {kafka.name} have no ZooKeeper to leave")
    if not kafka.migrates:
        raise UsageError(
            f"the brokers of Kafka {kafka.name} cannot leave ZooKeeper: expected 3.6 to 3.9 "
            "(KIP-866), to which older ones are upgraded first"
        )
    if level.protocol != kafka.line:
        raise UsageError(
            f"expected {PROTOCOL}={kafka.line} before brokers leave ZooKeeper, saw "
            f"{level.protocol}: finish the upgrade with its step 'protocol'"
        )


def require_step(step: object) -> None:
    """Raises UsageError for what is no step of an upgrade."""
    if step not in STEPS:
        raise UsageError(f"expected a step of an upgrade, {', '.join(STEPS)}, saw {step!r:.120}")


def successor(kafka: Kafka, level: Level, name: object) -> Kafka:
    """What a broker of `kafka` is upgraded to by this name: it keeps its metadata where they are.

    Raises UsageError for a release that nobody knows, or that is no way to go from here.
    """
    if not isinstance(name, str):
        raise UsageError(f'expected a release such as "3.9.1", saw {name!r:.120}')
    found = find_kafka(name)
    if name == found.version and kafka.mode in found.row.modes:
        found = replace(found, mode=kafka.mode)
    if found.mode != kafka.mode:
        raise UsageError(_other_metadata(kafka, found))
    if kafka.kraft and not found.at_least(level.protocol):
        raise UsageError(
            f"Kafka {found.name} cannot read what this cluster has: its metadata.version is that "
            f"of {level.protocol}; a downgrade is possible before it is raised, and not after"
        )
    for setting, value in level.settings(kafka).items():
        if not found.at_least(value):
            raise UsageError(
                f"Kafka {found.name} cannot read what this cluster has: its {setting} is {value}; "
                "a downgrade is possible before it is raised, and not after"
            )
    return found


def _other_metadata(kafka: Kafka, found: Kafka) -> str:
    if kafka.kraft:
        return (
            f"a broker of Kafka {kafka.name} keeps its metadata in KRaft, and {found.name} has "
            "them in ZooKeeper: there is no way back"
        )
    return (
        f"a broker of Kafka {kafka.name} has its metadata in ZooKeeper, and {found.name} in KRaft: "
        "that is a migration (KIP-866): play.migrate_to_kraft() with 3.6 to 3.9, then an upgrade"
    )
