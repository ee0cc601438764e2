"""What run.json says of a run before it begins; docs/ledger.md has the fields."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from typing import Any

from highwater.backends import Backend
from highwater.cells import Cell
from highwater.harness.scenario import tolerated
from highwater.harness.versions.catalogue import Kafka

LONGEST_TOPIC = 200  # characters; Kafka allows 249, and names directories after them


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """What is played: a scenario of the catalogue, or a test of pytest."""

    names: Mapping[str, Any]  # of a scenario: scenario, story, source ...; of a test: test, command
    title: str
    claims: Sequence[str]
    voters: int  # KRaft controllers, or ZooKeeper servers
    settings: Mapping[str, str]  # of every broker, on top of the harness's own
    topic_settings: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """Which play this is: what, where, and which of several."""

    subject: Subject
    kafka: Kafka
    backend: Backend
    trial: int
    topic: str  # new on its cluster

    def described(self, told: Mapping[str, Any]) -> dict[str, Any]:
        """As run.json has it; a cluster, where there is one, has told of Java, jars and images."""
        return {
            "tool": f"highwater {metadata.version('highwater')}",
            **self.subject.names,
            "title": self.subject.title,
            "kafka": self.kafka.name,
            "mode": self.kafka.mode,
            "backend": self.backend.name,
            "voters": self.subject.voters,
            "settings": dict(self.subject.settings),
            "topic_settings": dict(self.subject.topic_settings),
            "claims": list(self.subject.claims),
            "trial": self.trial,
            "topic": self.topic,
            **told,
        }


def of_cell(cell: Cell, trial: int) -> Identity:
    """A trial of a cell; the topic is one of its own: cells may share a cluster."""
    scenario = cell.scenario
    own = {str(broker): dict(each) for broker, each in cell.spec.broker_settings.items()}
    names = {
        "scenario": scenario.name,
        "story": scenario.story,
        "source": scenario.source,
        "control": cell.control,
        "broker_settings": own,
        "features": dict(cell.spec.features),
        "tolerates": tolerated(scenario, cell.kafka),
        "expected": cell.expected,
        **({"upgrades_to": scenario.upgrades_to} if scenario.upgrades_to else {}),
    }
    subject = Subject(
        names=names,
        title=scenario.story.splitlines()[0],
        claims=scenario.claims,
        voters=cell.spec.voters,
        settings=cell.spec.settings,
        topic_settings=cell.topic_settings,
    )
    return Identity(
        subject=subject,
        kafka=cell.kafka,
        backend=cell.backend,
        trial=trial,
        topic=topic_of(scenario.name, cell.control or "", str(trial)),
    )


def topic_of(*parts: str) -> str:
    """A name for a topic, made of these parts; the last ones are kept where it is too long."""
    return re.sub(r"[^\w.-]", "-", "-".join(part for part in parts if part))[-LONGEST_TOPIC:]
