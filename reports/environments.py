"""What the runs were made with: tool, Java and Kafka's jars, each distinct set once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from highwater.reports.wording import compact

MOST_JARS = 80


@dataclass(frozen=True, slots=True)
class Environment:
    kafka: str
    tool: str
    java: str
    backend: str
    runs: int
    first: str
    last: str
    jars: Sequence[tuple[str, str]]
    jars_left_out: int


def environments(identities: Sequence[Mapping[str, Any]]) -> list[Environment]:
    groups: dict[tuple[str, ...], list[Mapping[str, Any]]] = {}
    for identity in identities:
        named = (
            *(compact(identity.get(key)) for key in ("kafka", "tool", "java")),
            _where(identity),
        )
        groups.setdefault((*named, compact(identity.get("jars"))), []).append(identity)
    return [_environment(key, members) for key, members in sorted(groups.items())]


def _environment(key: tuple[str, ...], members: Sequence[Mapping[str, Any]]) -> Environment:
    kafka, tool, java, backend, _ = key
    dates = sorted(str(member.get("started_at", "")) for member in members)
    jars = members[0].get("jars")
    listed = list(jars.items()) if isinstance(jars, Mapping) else []
    return Environment(
        kafka,
        tool,
        java,
        backend,
        len(members),
        _moment(dates[0]),
        _moment(dates[-1]),
        [(str(name), compact(value)) for name, value in listed[:MOST_JARS]],
        max(0, len(listed) - MOST_JARS),
    )


def _where(identity: Mapping[str, Any]) -> str:
    """The backend, and of which image its containers are."""
    image = identity.get("image")
    return compact(identity.get("backend")) + (f", {image}" if image else "")


def _moment(date: str) -> str:
    return date[:19].replace("T", " ") + (" UTC" if date.endswith("+00:00") else "")
