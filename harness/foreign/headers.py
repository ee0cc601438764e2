"""The header by which the records of a topic are known: who can send it, and who can tell it."""

from __future__ import annotations

from collections.abc import Collection

from highwater.harness.errors import UsageError
from highwater.harness.foreign.abilities import named
from highwater.harness.foreign.lines import Event
from highwater.harness.workloads.pattern import HEADER, Markings, Pattern


def has_headers(hello: Event, role: str) -> bool:
    """Whether this client can send a header, or as a member tell one."""
    return role in hello["capabilities"].get("headers", [])


def require(hello: Event, role: str, pattern: Pattern | None) -> None:
    """Raises UsageError where records are known by a header, and this client has none."""
    if pattern is None or pattern.parts[0] != HEADER or has_headers(hello, role):
        return
    known = hello["capabilities"].get("headers", [])
    raise UsageError(
        f"{named(hello)} has no headers here as a {role}: expected an adapter whose 'headers' have "
        f"that, saw {', '.join(known) or 'none'}; or a Pattern with the identity 'key' or "
        f"'json:a.b', saw {pattern.identity!r:.120}"
    )


def told(markings: Markings, topics: Collection[str]) -> dict[str, str]:
    """The names of those that a member is to tell, by the topics that it reads."""
    found = {topic: markings.get(topic) for topic in topics}
    return {topic: each.name for topic, each in found.items() if each and each.kind == HEADER}
