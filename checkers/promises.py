"""What clients and topics were set to: a claim goes by what was promised."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from highwater.harness.tables import LARGEST

EARLIEST, LATEST = "earliest", "latest"
AUTO = "auto"  # who commits: a member's library
INTERNAL = {"__consumer_offsets", "__transaction_state"}  # compacted by brokers themselves
# A topic's own name of each limit, and then the brokers' names: the first that is set counts.
RETENTION = (
    ("retention.ms", "log.retention.ms", "log.retention.minutes", "log.retention.hours"),
    ("retention.bytes", "log.retention.bytes"),
)
LONGEST_MS = LARGEST // 2_000_000  # two of them, in nanoseconds, are still a time
NUMBER = re.compile(r"[+-]?[0-9]{1,18}")  # as Kafka reads it, which takes away blanks around it
UNCOMMITTED = "read_uncommitted"


@dataclass(frozen=True, slots=True)
class Client:
    """Of one client; None is what the record does not say."""

    idempotence: bool | None = None
    transactional: bool | None = None
    isolation: str | None = None
    begins_at: str | None = None
    group: str | None = None
    began_ns: int | None = None
    sends_for: str | None = None  # of a producer: the group whose members it sends for
    transaction_timeout_ms: int | None = None
    client_id: str | None = None
    ended_ns: int | None = None
    keeps_order: bool | None = None  # of a producer: what it is given for a partition
    linger_ms: int = 0  # of a producer: for how long it collects; 0 where nobody told
    is_producer: bool = False
    is_told: bool = True  # False: the record says nothing of it


UNKNOWN_CLIENT = Client(is_told=False)


@dataclass(frozen=True, slots=True)
class Topic:
    """What a topic was set to.

    `compacted` is whether cleanup.policy has "compact", `deletes` whether a limit to retention is
    set, and `tiered` whether segments may be in remote storage only (KIP-405). None of
    `min_insync_replicas` is what the record does not say.
    """

    compacted: bool = False
    deletes: bool = False
    tiered: bool = False
    min_insync_replicas: int | None = None


@dataclass(frozen=True, slots=True)
class Brokers:
    """The longest of what any broker was set to; 0 where the record does not say.

    `lag_ms` is replica.lag.time.max.ms, `request_ms` request.timeout.ms, and `look_ms` how often
    coordinators look for transactions that take too long.
    """

    lag_ms: int = 0
    request_ms: int = 0
    look_ms: int = 0


@dataclass(frozen=True, slots=True)
class Steady:
    """Of a group: from when to when, at its end, nothing was done to it, and what it was to read.

    `session_ns` is its session.timeout.ms: None is what the record does not say.
    """

    since_ns: int
    until_ns: int
    topics: frozenset[str]
    session_ns: int | None


@dataclass(frozen=True, slots=True)
class Promises:
    """Of a run: its clients and topics by name; `others` is of topics that are not named.

    `groups` has the consumer groups that tell what they process, and where each begins that has not
    committed yet: EARLIEST, LATEST or ""; `automatic` are those of which the libraries of members
    commit, which tells nobody. `steady` has those that were left alone at their end.
    From `healed_ns` on no fault was in effect: None is what the record does not say.
    `disturbed_ns` has, in order, when faults began and ended, and when brokers came and went.
    """

    clients: Mapping[str, Client] = field(default_factory=dict)
    topics: Mapping[str, Topic] = field(default_factory=dict)
    others: Topic = field(default_factory=Topic)
    groups: Mapping[str, str] = field(default_factory=dict)
    automatic: frozenset[str] = frozenset()
    steady: Mapping[str, Steady] = field(default_factory=dict)
    healed_ns: int | None = None
    disturbed_ns: Sequence[int] = ()
    brokers: Brokers = field(default_factory=Brokers)

    def topic(self, name: str) -> Topic:
        return self.topics.get(name, self.others)

    def least_isr(self, topic: str) -> int:
        """How many members an ISR needs; 1 where nobody told."""
        return max(1, self.topic(topic).min_insync_replicas or 1)

    @property
    def uncommitted(self) -> set[str]:
        """Readers that are known to ask for uncommitted records too."""
        return {name for name, one in self.clients.items() if one.isolation == UNCOMMITTED}

    def is_compacted(self, topic: str) -> bool:
        return self.topic(topic).compacted or topic in INTERNAL

    def begins_at_0(self, client: str, topic: str) -> bool:
        """Whether a reader began at the very beginning: none of it may have been deleted.

        A member of a group begins where that had committed.
        """
        own = self.client(client)
        return own.begins_at == EARLIEST and own.group is None and not self.topic(topic).deletes

    @property
    def pipelines(self) -> set[str]:
        """Groups whose members send what they make of the records that they are handed."""
        return {one.sends_for for one in self.clients.values() if one.sends_for is not None}

    def sender_of(self, reader: str) -> str | None:
        """Whose transactions a reader is handed records in: its own, or those of its producer."""
        own = self.client(reader)
        if own.is_producer:
            return reader
        same = [name for name, one in self.clients.items()
                if one.is_producer and one.client_id == own.client_id]  # fmt: skip
        return same[0] if len(same) == 1 and own.client_id is not None else None

    def client(self, name: str | None) -> Client:
        return self.clients.get(name or "", UNKNOWN_CLIENT)


def promises_of(clients: Iterable[Mapping[str, Any]], identity: Mapping[str, Any]) -> Promises:
    """From the rows of `clients` and from run.json, whose settings may be anything."""
    return Promises(
        clients=_clients(clients),
        topics={
            name: _topic(identity, own)
            for name, own in _mapping(identity.get("topics")).items()
            if isinstance(own, Mapping)
        },
        others=_topic(identity, identity.get("topic_settings")),
        groups={
            name: begins_at if begins_at in (EARLIEST, LATEST) else ""
            for name, own in _mapping(identity.get("groups")).items()
            for begins_at in [_mapping(own).get("auto.offset.reset")]
        },
        automatic=frozenset(
            name
            for name, own in _mapping(identity.get("groups")).items()
            if _mapping(own).get("commits") == AUTO
        ),
        steady={
            name: told
            for name, own in _mapping(identity.get("steady")).items()
            for told in [_steady(own, _mapping(identity.get("groups")).get(name))]
            if told is not None
        },
        healed_ns=_moment(identity.get("healed_ns")),
        disturbed_ns=_moments(identity.get("disturbed_ns")),
        brokers=_brokers(identity),
    )


def _each_broker(identity: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """What all of them were set to, and each that has settings of its own."""
    common = _mapping(identity.get("settings"))
    own = _mapping(identity.get("broker_settings")).values()
    return [common, *({**common, **_mapping(each)} for each in own)]


def _brokers(identity: Mapping[str, Any]) -> Brokers:
    def longest(name: str) -> int:
        told = (_number(each.get(name)) for each in _each_broker(identity))
        return min(max([0, *(each for each in told if each is not None)]), LONGEST_MS)

    look = "transaction.abort.timed.out.transaction.cleanup.interval.ms"
    return Brokers(longest("replica.lag.time.max.ms"), longest("request.timeout.ms"), longest(look))


def _moment(told: object) -> int | None:
    return told if type(told) is int and -LARGEST <= told <= LARGEST else None


def _moments(told: object) -> Sequence[int]:
    known = map(_moment, told if isinstance(told, list) else ())
    return sorted(each for each in known if each is not None)


def _steady(own: object, group: object) -> Steady | None:
    told = _mapping(own)
    since_ns, until_ns, topics = (told.get(name) for name in ("since_ns", "until_ns", "topics"))
    if not (type(since_ns) is int and type(until_ns) is int and isinstance(topics, list)):
        return None
    if not -LARGEST <= since_ns <= until_ns <= LARGEST:
        return None
    session_ms = _number(_mapping(group).get("session.timeout.ms"))
    session_ns = None if session_ms is None else min(max(0, session_ms) * 1_000_000, LARGEST // 2)
    return Steady(since_ns, until_ns, frozenset(map(str, topics)), session_ns)


def _topic(identity: Mapping[str, Any], own: object) -> Topic:
    """What one of its brokers may do, its topic may have come to."""
    several = [{**each, **_mapping(own)} for each in _each_broker(identity)]
    return Topic(
        compacted=any(map(_compacts, several)),
        deletes=any(map(_deletes, several)),
        tiered=str(several[0].get("remote.storage.enable")).lower() == "true",
        min_insync_replicas=_number(several[0].get("min.insync.replicas")),
    )


def _compacts(settings: Mapping[str, Any]) -> bool:
    policy = settings.get("cleanup.policy", settings.get("log.cleanup.policy", ""))
    return "compact" in re.findall(r"\w+", str(policy))


def _deletes(settings: Mapping[str, Any]) -> bool:
    limits = [
        next((settings[each] for each in names if each in settings), -1) for names in RETENTION
    ]
    return any(str(limit).strip() != "-1" for limit in limits)


def _clients(rows: Iterable[Mapping[str, Any]]) -> dict[str, Client]:
    """The rows of one client differ in its end alone, which some of them do not tell."""
    found: dict[str, Client] = {}
    for row in rows:
        known = found.get(row["client"])
        if known is None or known.ended_ns is None:
            found[row["client"]] = _client(row)
    return found


def _client(row: Mapping[str, Any]) -> Client:
    is_producer = row["role"] == "producer"
    return Client(
        idempotence=row["idempotence"],
        transactional=row["transactional_id"] is not None if is_producer else None,
        isolation=row["isolation"],
        begins_at=row["begins_at"],
        group=row["group_id"],
        sends_for=row["group_id"] if is_producer else None,
        began_ns=row["began_ns"],
        transaction_timeout_ms=row["transaction_timeout_ms"],
        client_id=row["client_id"],
        ended_ns=row["ended_ns"],
        keeps_order=row["keeps_order"],
        linger_ms=max(0, row["linger_ms"] or 0),
        is_producer=is_producer,
    )


def _mapping(content: object) -> Mapping[str, Any]:
    return content if isinstance(content, Mapping) else {}


def _number(setting: object) -> int | None:
    told = str(setting).strip()
    return int(told) if NUMBER.fullmatch(told) else None
