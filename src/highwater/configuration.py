"""A user's server.properties: what of it a cluster of ours is made of, and what is set aside."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from highwater.harness.controls import ELR
from highwater.harness.errors import UsageError
from highwater.harness.settings import FIXED, KRAFT, SEVERAL, SHARES, SMALL, STEADY
from highwater.harness.versions.catalogue import Kafka
from highwater.properties import read_properties

LEAST, UNCLEAN = "min.insync.replicas", "unclean.leader.election.enable"
REPLICAS = "default.replication.factor"
POSITIONS, A_DAY, A_WEEK = "offsets.retention.minutes", "1440", "10080"
_MOST = (1 << 31) - 1  # of Java's int
FLUSH = "log.flush.interval.messages"
FEATURES = (ELR,)  # whose levels may be given, as kafka-storage format takes them
# Names, or what they begin with, of what belongs to the user's machines and not to a test cluster.
ELSEWHERE = re.compile(
    r"(advertised\.|authorizer\.|broker\.rack$|client\.quota\.callback|cluster\.link|confluent\."
    r"|control\.plane\.listener|controller\.|delegation\.|early\.start\.listeners|host\.name$"
    r"|inter\.broker\.listener|kafka\.metrics|listener|log\.dirs?$|metadata\.log\.dir$"
    r"|metric\.reporters|password\.|port$|principal\.|remote\.log|reserved\.broker|sasl\.|security\."
    r"|ssl\.|super\.users$|zookeeper\.|broker\.id|node\.id$|process\.roles$)"
)
OF_CODE = re.compile(r"\.class(es)?(\.names?)?$|\$\{")  # code that is not here, or a secret's place
# What keeps a play small, quick and free of chance. It shortens waiting, and decides no outcome.
PACE = frozenset({*SMALL, *STEADY, *KRAFT, *SEVERAL, *SHARES}) - {LEAST, UNCLEAN} | {
    "offsets.topic.replication.factor", "transaction.state.log.replication.factor",
    "share.coordinator.state.topic.replication.factor", "initial.broker.registration.timeout.ms",
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Configuration:
    """`settings` are those of the file that brokers are started with, Kafka's defaults besides."""

    path: Path
    settings: Mapping[str, str]
    features: Mapping[str, str] = field(default_factory=dict)
    own: frozenset[str] = frozenset()  # names that the file itself has
    elsewhere: Sequence[str] = ()  # that name hosts, paths, listeners, security or code
    kept: Sequence[str] = ()  # for which a play has values of its own

    def notices(self) -> Iterator[str]:
        """What of the file is not played, in words."""
        if self.elsewhere:
            yield (
                "set aside, as they name hosts, paths, listeners, security or code of your own: "
                + ", ".join(self.elsewhere)
            )
        if self.kept:
            yield (
                "left at the values of a play, which shorten waiting and keep chance out: "
                + ", ".join(self.kept)
            )

    @property
    def flushes_each(self) -> bool:
        """Whether a broker has every record on the disk before it answers."""
        return self.settings.get(FLUSH) == "1"


def configuration(path: Path, kafka: Kafka, levels: Sequence[str] = ()) -> Configuration:
    """The file at `path`, for a cluster of `kafka`; `levels` are such as NAME=1, of features.

    Raises UsageError for a file that cannot be read, or a value that Kafka would not take.
    """
    told = read_properties(path)
    elsewhere = sorted(
        name
        for name, value in told.items()
        if name in FIXED or ELSEWHERE.match(name) or OF_CODE.search(name) or "${" in value
    )
    kept = sorted(PACE & told.keys() - {*elsewhere})
    played = {name: told[name] for name in told.keys() - {*elsewhere, *kept}}
    if UNCLEAN in played:
        played[UNCLEAN] = played[UNCLEAN].lower()  # Kafka takes TRUE as well
    _require(path, UNCLEAN, played.get(UNCLEAN, "true"), "true|false", "true or false")
    numbers = {LEAST: "a number from 1 on", REPLICAS: "a number from 1 on", POSITIONS: "minutes"}
    for name, expected in numbers.items():
        if name in played:
            played[name] = _number(path, name, played[name], expected)
    return Configuration(
        path=path,
        settings={**defaults(kafka), **dict(sorted(played.items()))},
        features=_levels(levels, kafka),
        own=frozenset(told),
        elsewhere=elsewhere,
        kept=kept,
    )


def defaults(kafka: Kafka) -> dict[str, str]:
    """Kafka's own, of what our clusters would otherwise be more careful about."""
    return {
        UNCLEAN: str(kafka.elects_uncleanly_by_default).lower(),
        LEAST: "1",
        REPLICAS: "1",
        POSITIONS: A_WEEK if kafka.at_least("2.0") else A_DAY,
    }


def mode_of(kafka: Kafka, path: Path) -> Kafka:
    """The same release with what the file keeps its metadata in, where there is a choice.

    Raises UsageError where the release has nothing of the kind, or another one was named.
    """
    told = read_properties(path)
    wanted = {
        mode
        for mode, names in {
            "kraft": ("process.roles", "controller.quorum.voters"),
            "zookeeper": ("zookeeper.connect",),
        }.items()
        if any(name in told for name in names)
    }
    if len(wanted) != 1 or wanted == {kafka.mode}:
        return kafka  # it says nothing, or is in the middle of a migration
    (mode,) = wanted
    if kafka.mode != kafka.row.modes[0]:
        raise UsageError(f"{path} is for {mode}, and Kafka {kafka.name} was named: leave one out")
    if mode not in kafka.row.modes:
        raise UsageError(f"{path} is for {mode}, which Kafka {kafka.version} does not have")
    return replace(kafka, mode=mode)


def _require(path: Path, name: str, value: str, pattern: str, expected: str) -> None:
    if not re.fullmatch(pattern, value):
        raise UsageError(f"{path}: {name} is {value!r:.80}; expected {expected}")


def _number(path: Path, name: str, value: str, expected: str) -> str:
    """As it is usually written: Kafka reads what Java's Integer.parseInt does."""
    _require(path, name, value, r"\+?0{0,99}[1-9][0-9]{0,9}", expected)
    if int(value) > _MOST:
        raise UsageError(f"{path}: {name} is {value!r:.80}; expected at most {_MOST}")
    return str(int(value))


def _levels(levels: Sequence[str], kafka: Kafka) -> dict[str, str]:
    told: dict[str, str] = {}
    for name, level in (_level(each, kafka) for each in levels):
        if told.setdefault(name, level) != level:
            raise UsageError(f"--feature {name}={level}: it is also said to be {told[name]}")
    return told


def _level(text: str, kafka: Kafka) -> tuple[str, str]:
    name, _, level = text.partition("=")
    if name not in FEATURES or level not in {"0", "1"}:
        raise UsageError(f"--feature {text!r:.120}: expected {' or '.join(FEATURES)}=0 or =1")
    if not kafka.tells_eligible_leaders:
        raise UsageError(f"--feature {text}: Kafka {kafka.name} has no such feature")
    return name, level
