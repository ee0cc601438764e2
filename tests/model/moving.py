"""Moves of replicas: each is done as soon as all are in sync whom it adds, or it is not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.model.choices import Choices
from tests.model.clients import SECOND_NS
from tests.model.completing import moments

SOON_S = 28  # until one that waits for nobody is done, at the latest, where nothing is wrong
STUCK_S = 60
KINDS = {"well": 6, "slow": 2, "soon": 2, "shrinking": 1, "stuck": 1, "left": 1}


@dataclass(frozen=True, slots=True)
class Listed:
    """By one broker, in the words of the table `reassignments`."""

    at_ns: int
    broker: int
    topic: str
    partition: int
    leader: int
    isr: str
    replicas: str
    adding: str
    removing: str


@dataclass(slots=True)
class Moving:
    """All that was said, by topic; of those that are `stuck` a move was ready for a minute, of
    those that are `open` the last one is ready at the last look.
    """

    said: dict[str, list[Listed]] = field(default_factory=dict)
    stuck: set[str] = field(default_factory=set)
    open: set[str] = field(default_factory=set)


def moving_of(choices: Choices) -> Moving:
    found = Moving()
    for number in range(choices.below(3)):
        topic = f"moving-{number}"
        found.said[topic] = []
        _move(choices, found, topic)
    return found


def _move(choices: Choices, found: Moving, topic: str) -> None:
    """From broker 1 to broker 3 and back, while broker 2 has the partition as well."""
    second, here, there = 0, 1, 3
    for _ in range(choices.between(1, 3)):
        kind = choices.weighted(KINDS)
        for lasts_s, told in _phases(choices, kind, here, there):
            for after_s in moments(choices, lasts_s):
                at_ns, broker = (second + after_s) * SECOND_NS, choices.pick((1, 2, 3))
                found.said[topic].append(Listed(at_ns, broker, topic, 0, **told))
            second += lasts_s
        if kind == "stuck":
            found.stuck.add(topic)
        if kind == "left":
            found.open.add(topic)
            return
        here, there = there, here


def _phases(
    choices: Choices, kind: str, here: int, there: int
) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """For how long each is so, and what is said of it meanwhile."""
    removing = f"{here},2" if kind == "shrinking" else str(here)
    who = {"adding": str(there), "removing": removing}
    move: Mapping[str, Any] = {**who, "replicas": "1,2,3", "leader": here}
    ready = {**move, "isr": choices.pick(("1,3", "1,2,3"))}
    yield (STUCK_S if kind == "slow" else choices.between(1, 20)), {**move, "isr": f"{here},2"}
    if kind in {"stuck", "shrinking"}:
        yield STUCK_S, ready
    elif kind in {"soon", "left"}:
        yield choices.between(1, SOON_S), ready
    if kind != "left":
        done = {"adding": "", "removing": "", "replicas": f"{there},2", "isr": f"{there}"}
        yield choices.between(1, 20), {**done, "leader": there}
