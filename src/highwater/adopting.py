"""The Kafkas that a user names; one that only the repository knows is locked on first use."""

from __future__ import annotations

from collections.abc import Sequence

from highwater import console
from highwater.harness.errors import InfrastructureError, UsageError
from highwater.harness.versions.cache import adopted_lock
from highwater.harness.versions.catalogue import (
    RELEASE,
    Kafka,
    every_kafka,
    find_kafka,
    ladder_kafkas,
    rows,
)

SETS = {"all": every_kafka, "ladder": ladder_kafkas}


def kafkas_named(names: Sequence[str], *, offline: bool = False) -> list[Kafka]:
    """Each of them once; `all` and `ladder` name many.

    Raises UsageError for a name that nobody knows.
    """
    found: dict[str, Kafka] = {}
    for name in names:
        many = SETS[name]() if name in SETS else [kafka_named(name, offline=offline)]
        found.update({kafka.name: kafka for kafka in many})
    return list(found.values())


def kafka_named(name: str, *, offline: bool = False) -> Kafka:
    """A Kafka of the catalogue, or of the repository, which is locked now.

    Raises UsageError where neither has it, or it could not be looked up.
    """
    try:
        return find_kafka(name)
    except UsageError as unknown:
        version, _, mode = name.partition("-")
        if offline or not RELEASE.fullmatch(version) or mode not in {"", "zk", "kraft"}:
            raise
        if all(row.version != version for row in rows()):
            _adopt(version, unknown)
        return find_kafka(name)


def _adopt(version: str, unknown: UsageError) -> None:
    from highwater.harness.versions.releases import adopt  # noqa: PLC0415 - rarely needed

    try:
        with console.err.status(f"Kafka {version} is not in the catalogue; locking its jars"):
            adopt(version)
    except (UsageError, InfrastructureError) as error:
        raise UsageError(f"{unknown}; {error}") from error
    console.err.print(
        f"Kafka {version} is not in the catalogue. Its jars were taken as the repository has them "
        f"now, and are locked for this machine alone: {adopted_lock(version)}",
        markup=False,
        soft_wrap=True,
    )
