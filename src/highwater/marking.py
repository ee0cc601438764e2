"""The marker of a chaos test, read and checked before anything starts."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from highwater.backends import Backend
from highwater.borrowing import unfit
from highwater.harness.cluster import LARGEST_HEAP_MIB, LEAST_HEAP_MIB, VOTERS, ClusterSpec
from highwater.harness.errors import UsageError
from highwater.harness.fitting import misfit
from highwater.harness.settings import FIXED
from highwater.harness.versions.catalogue import Kafka, every_kafka
from highwater.harness.versions.numbers import in_range
from highwater.limits import LEAST_MS, MOST_MS, NAMES

BROKERS = ClusterSpec().brokers
LEAST = "min.insync.replicas"
MOST = 2**31 - 1  # that Kafka takes for a setting that is a number
MADE_OF = (
    "voters",
    "combined",
    "settings",
    "gated_clients",
    "gated_metadata",
    "fake_clock",
    "obeys_file_modes",
    "two_log_dirs",
    "heap_mib",
)
LONGEST = 200  # characters of a user's value in a message
LASTING_BLIND = ("lost-write",)  # where no file of a replica is within reach
LASTING = ("lost-write", "replica-divergence")  # must have evidence where a test names no claim


@dataclass(frozen=True, slots=True, kw_only=True)
class Marked:
    """What `@pytest.mark.highwater(...)` says; each field is one of its options."""

    kafka: str = ""  # the range of versions that the test is for; "" for all
    trials: int = 1  # plays on each Kafka
    replicas: int = BROKERS
    voters: int = 1  # KRaft controllers, or ZooKeeper servers
    settings: Mapping[str, str] = field(default_factory=dict)  # of every broker
    topic: Mapping[str, str] = field(default_factory=dict)  # settings of the topic
    claims: tuple[str, ...] = ()  # must hold, with evidence; () for all, and LASTING with evidence
    limits: Mapping[str, float] = field(default_factory=dict)  # at most, of what is measured
    combined: bool = False  # the voters are brokers
    gated_clients: bool = False
    gated_metadata: bool = False
    fake_clock: bool = False
    obeys_file_modes: bool = False
    two_log_dirs: bool = False
    heap_mib: int | None = None  # of each JVM at most, where many partitions take more

    @property
    def spec(self) -> ClusterSpec:
        return ClusterSpec(
            voters=self.voters,
            combined=self.combined,
            settings=self.settings,
            gated_clients=self.gated_clients,
            gated_metadata=self.gated_metadata,
            fake_clock=self.fake_clock,
            obeys_file_modes=self.obeys_file_modes,
            two_log_dirs=self.two_log_dirs,
            heap_mib=self.heap_mib,
            quiet_replication_links=False,
        )

    @property
    def topic_settings(self) -> dict[str, str]:
        least = self.settings.get(LEAST, str(min(2, self.replicas)))
        return {LEAST: least, **self.topic}

    def needs_evidence_for(self, backend: Backend) -> tuple[str, ...]:
        return self.claims or (LASTING_BLIND if backend.is_attached else LASTING)

    @property
    def contradiction(self) -> str:
        """Why these options cannot be so together; "" if they can."""
        least = int(self.topic_settings[LEAST])
        if least <= self.replicas:
            return ""
        return (
            f"the marker highwater: {LEAST}={least} is more than the topic has replicas "
            f"({self.replicas}), so no send with acks=all could ever be acknowledged"
        )

    def suits(self, kafka: Kafka) -> bool:
        """Whether the range of the test has this Kafka."""
        return not self.kafka or in_range(kafka.version, self.kafka)

    def misfit(self, kafka: Kafka, backend: Backend, values: Iterable[object]) -> str:
        """Why the test cannot be played there; `values` are those that pytest gives it by name."""
        made_of = [name for name in MADE_OF if getattr(self, name) != getattr(Marked(), name)]
        if backend.is_attached and made_of:
            return (
                f"the marker highwater, {made_of[0]}={shown(getattr(self, made_of[0]))}: a cluster "
                "that is attached (--kafka-attach) is made of what it is made of; leave it out"
            )
        why = unfit(self.spec, backend) if backend.brokers else ""
        if why:
            return f"it {why}"
        if self.gated_clients and not kafka.has_named_listeners:
            return (
                f"gated_clients=True needs Kafka 0.10.2 or newer, not {kafka.name}: older brokers "
                "have one listener for clients and peers; say kafka='>=0.10.2' in the marker"
            )
        try:
            self.spec.require(kafka)
        except UsageError as error:
            return str(error)
        found = (misfit(value, self.spec, backend.name, backend.has, kafka) for value in values)
        return next((why for why in found if why), "")


def read_marker(positional: Sequence[object], options: Mapping[str, Any]) -> Marked:
    """The options of a marker; raises UsageError for one that does not exist or cannot be so.

    Whether they can be so together is for `Marked.contradiction` to say.
    """
    known = [each.name for each in fields(Marked)]
    if positional:
        raise UsageError(
            f"the marker highwater takes options by name only, saw {shown(positional[0])}; "
            f"there are {', '.join(known)}"
        )
    for name, value in options.items():
        if name not in known:
            raise UsageError(
                f"the marker highwater has no option {shown(name)}{nearest(name, known)}"
            )
        wrong = CHECKS[name](value)
        if wrong:
            raise UsageError(f"the marker highwater, {name}={shown(value)}: {wrong}")
    claims = tuple(options.get("claims", ()))
    return Marked(**{**options, "claims": claims})


def shown(value: object) -> str:
    """What a user has said, for a message; what has no text, or a very long one, in a few words."""
    try:
        text = repr(value)
    except Exception as error:  # noqa: BLE001 - a value of the user's own may raise anything
        return f"<{type(value).__name__}, of which no text can be made: {type(error).__name__}>"
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."


def nearest(name: str, known: Sequence[str]) -> str:
    """What somebody may have meant, to end a sentence that refuses `name`."""
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
    listed = f"there are {', '.join(known)}"
    return f"; did you mean {near[0]!r}? ({listed})" if near else f"; {listed}"


def _range(value: object) -> str:
    if not isinstance(value, str) or len(value) > LONGEST:
        return f"expected a range of versions in at most {LONGEST} characters, such as '>=2.0,<4'"
    try:
        fits = any(in_range(kafka.version, value) for kafka in every_kafka())
    except UsageError as error:
        return str(error)
    return (
        "" if fits else "no Kafka of the catalogue is in this range; see `highwater list versions`"
    )


def _whole(least: int, most: int, why: str) -> Callable[[object], str]:
    def check(value: object) -> str:
        fits = isinstance(value, int) and not isinstance(value, bool) and least <= value <= most
        return "" if fits else f"expected a whole number from {least} to {most}{why}"

    return check


def _settings(value: object) -> str:
    if not isinstance(value, Mapping) or not all(
        isinstance(each, str) for pair in value.items() for each in pair
    ):
        return "expected names and values as strings, such as {'min.insync.replicas': '1'}"
    fixed = sorted(FIXED & value.keys())
    if fixed:
        return f"{fixed[0]} is what every cluster says for itself; leave it out"
    least = value.get(LEAST)
    if least is not None and not (re.fullmatch("[0-9]{1,10}", least) and 1 <= int(least) <= MOST):
        return f"expected a whole number from 1 to {MOST} for {LEAST}, saw {shown(least)}"
    return ""


def _claims(value: object) -> str:
    from highwater.checkers.catalogue import claims  # noqa: PLC0415 - loads NumPy

    if isinstance(value, str) or not isinstance(value, Sequence) or not value:
        return "expected at least one claim in a tuple, such as ('lost-write',)"
    names = [each.name for each in claims()]
    for each in value:
        if not isinstance(each, str) or each not in names:
            near = nearest(each if isinstance(each, str) else "", names)
            return f"there is no claim {shown(each)}{near}"
    return ""


def _limits(value: object) -> str:
    if not isinstance(value, Mapping) or not value:
        return "expected names and numbers, such as {'longest_gap_ms': 10_000}"
    for name, most_ms in value.items():
        if not isinstance(name, str) or name not in NAMES:
            near = nearest(name if isinstance(name, str) else "", NAMES)
            return f"nothing is measured as {shown(name)}{near}"
        is_number = isinstance(most_ms, int | float) and not isinstance(most_ms, bool)
        if not is_number or not 0 < most_ms <= MOST_MS:
            return (
                f"expected a number above 0, and at most {MOST_MS}, for {name}, saw "
                f"{shown(most_ms)}"
            )
        if most_ms < LEAST_MS.get(name, 0):
            return (
                f"{name}={shown(most_ms)} cannot be judged, for what is shorter than "
                f"{LEAST_MS[name]} ms is not measured; expected {LEAST_MS[name]} or more"
            )
    return ""


def _voters(value: object) -> str:
    fits = isinstance(value, int) and not isinstance(value, bool) and value in VOTERS
    return "" if fits else "expected 1 or 3, of KRaft controllers or ZooKeeper servers"


def _switch(value: object) -> str:
    return "" if isinstance(value, bool) else "expected True or False"


CHECKS: Mapping[str, Callable[[object], str]] = {
    "kafka": _range,
    "trials": _whole(1, 1000, ""),
    "replicas": _whole(1, BROKERS, f": a test's cluster has {BROKERS} brokers"),
    "voters": _voters,
    "settings": _settings,
    "topic": _settings,
    "claims": _claims,
    "limits": _limits,
    "combined": _switch,
    "gated_clients": _switch,
    "gated_metadata": _switch,
    "fake_clock": _switch,
    "obeys_file_modes": _switch,
    "two_log_dirs": _switch,
    "heap_mib": _whole(LEAST_HEAP_MIB, LARGEST_HEAP_MIB, " MiB of each JVM"),
}
