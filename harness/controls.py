"""Controls: one thing changed on the same binary, so that the cause is shown and not guessed.

ibp=VERSION        inter.broker.protocol.version and log.message.format.version lowered: with
                   0.11.0-IV1 brokers of any later release with ZooKeeper ask for no leader epochs
elr=on, elr=off    eligible leader replicas (KIP-966) switched at formatting, KRaft from 4.0 on
verification=on, off
                   transaction.partition.verification.enable (KIP-890), from 3.6 on
unclean=on, off    unclean.leader.election.enable of the topic
min-isr=N          min.insync.replicas of the topic
default-replicas=N default.replication.factor of every broker, and of controllers
offsets-retention=MINUTES
                   offsets.retention.minutes of every broker
without=FAULT      an ablation: the scenario without one kind of its faults
client=NAME        another client library sends: java, java:3.9.1, kafka-python
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from highwater.harness.errors import UsageError
from highwater.harness.versions.catalogue import Kafka
from highwater.harness.versions.numbers import release_of

ELR = "eligible.leader.replicas.version"
SWITCH = {"on": "true", "off": "false"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Control:
    """What a control changes; everything else stays as the scenario has it."""

    settings: Mapping[str, str] = field(default_factory=dict)  # of every broker
    topic_settings: Mapping[str, str] = field(default_factory=dict)
    features: Mapping[str, str] = field(default_factory=dict)  # levels, given at formatting
    without: str = ""  # the name of a fault that is left out
    client: str = ""  # who sends instead of ours
    applies: Callable[[Kafka], bool] = lambda _kafka: True
    needs: str = "a scenario that names it"  # when it applies


@dataclass(frozen=True, slots=True)
class _Kind:
    values: str  # a pattern
    example: str
    make: Callable[[str], Control]


def _protocol(value: str) -> Control:
    return Control(
        settings={"inter.broker.protocol.version": value, "log.message.format.version": value},
        applies=lambda kafka: not kafka.kraft and release_of(kafka.version) >= release_of(value),
        needs=f"a Kafka with ZooKeeper that is no older than {value}",
    )


KINDS: Mapping[str, _Kind] = {
    "ibp": _Kind(r"\d+(\.\d+)+(-IV\d+)?", "ibp=0.11.0-IV1", _protocol),
    "elr": _Kind(
        "on|off",
        "elr=on",
        lambda value: Control(
            features={ELR: "1" if value == "on" else "0"},
            applies=lambda kafka: kafka.kraft and kafka.at_least("4.0"),
            needs="Kafka 4.0 or newer",
        ),
    ),
    "verification": _Kind(
        "on|off",
        "verification=off",
        lambda value: Control(
            settings={"transaction.partition.verification.enable": SWITCH[value]},
            applies=lambda kafka: kafka.at_least("3.6"),
            needs="Kafka 3.6 or newer",
        ),
    ),
    "unclean": _Kind(
        "on|off",
        "unclean=off",
        lambda value: Control(topic_settings={"unclean.leader.election.enable": SWITCH[value]}),
    ),
    "min-isr": _Kind(
        r"[1-9][0-9]{0,8}",
        "min-isr=2",
        lambda value: Control(topic_settings={"min.insync.replicas": value}),
    ),
    "default-replicas": _Kind(
        r"[1-9][0-9]{0,2}",
        "default-replicas=3",
        lambda value: Control(settings={"default.replication.factor": value}),
    ),
    "offsets-retention": _Kind(
        r"[1-9][0-9]{0,8}",
        "offsets-retention=10080",
        lambda value: Control(settings={"offsets.retention.minutes": value}),
    ),
    "client": _Kind(
        r"[a-z][a-z-]*(:[0-9][\w.]*)?", "client=java", lambda value: Control(client=value)
    ),
    "without": _Kind(r"[A-Z]\w+", "without=BlockLink", lambda value: Control(without=value)),
}


def find_control(name: str | None) -> Control:
    """The control that a user means by "ibp=0.11.0-IV1"; the one that changes nothing for None.

    Raises UsageError for a control that nobody knows.
    """
    if name is None:
        return Control()
    kind, _, value = name.partition("=")
    if kind not in KINDS or not re.fullmatch(KINDS[kind].values, value):
        examples = ", ".join(each.example for each in KINDS.values())
        raise UsageError(f"unknown control {name!r}; expected one such as {examples}")
    return KINDS[kind].make(value)
