"""Schedules as data: steps with what each waits for, and the states before and after it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any, ClassVar

from highwater.exploration.ground import Ground
from highwater.exploration.views import State, View
from highwater.harness.errors import UsageError
from highwater.harness.versions.catalogue import Kafka

SCHEMA = 1
SETTING = (  # of a scenario that a schedule was made of, where it says something
    "replicas",
    "voters",
    "combined",
    "settings",
    "broker_settings",
    "topic_settings",
    "gated_clients",
    "gated_metadata",
    "fake_clock",
    "obeys_file_modes",
    "two_log_dirs",
    "heap_mib",
)
FEATURES = "features"  # levels at which its cluster was formatted, beside the setting  # fmt: skip


@dataclass(frozen=True, slots=True)
class Move:
    """What may be done to a cluster; a subclass says how, and registers itself by its name."""

    name: ClassVar[str] = ""
    is_needed: ClassVar[bool] = False  # a replay in which it cannot be done proves nothing
    injects: ClassVar[type[Any] | None] = None  # a fault that not every cluster can have
    writes_records: ClassVar[bool] = False  # of its own, into the partition that is played on
    commits_positions: ClassVar[bool] = False  # of a group, into the log of these

    def exists(self, kafka: Kafka) -> bool:  # noqa: ARG002
        """Whether it can ever be done there; where not, a schedule with it shows nothing."""
        return True

    def why_not(self, kafka: Kafka) -> str:
        """Why it cannot be done there, in words; "" if it can, or `exists` is all that is known."""
        del kafka
        return ""

    def fits(self, ground: Ground, view: View) -> bool:
        """Whether it can be done at this moment; a step that does not fit is left out."""
        raise NotImplementedError

    def take(self, ground: Ground, view: View, *, waits: bool) -> None:
        """Do it, and where it `waits` give it time to show; raises what is of ENVIRONMENT."""
        raise NotImplementedError

    def __str__(self) -> str:
        told = ", ".join(f"{name}={value}" for name, value in asdict(self).items())
        return f"{self.name}({told})"


MOVES: dict[str, type[Move]] = {}


def move(kind: type[Move]) -> type[Move]:
    """A decorator: the move can be read from a file."""
    MOVES[kind.name] = kind
    return kind


@dataclass(frozen=True, slots=True)
class Step:
    """A move; where it `waits`, the next one comes when its effect is there and nothing moves."""

    move: Move
    waits: bool = True

    def __str__(self) -> str:
        return f"{self.move}{'' if self.waits else ' at once'}"

    def to_json(self) -> dict[str, Any]:
        return {"move": self.move.name, **asdict(self.move), "waits": self.waits}

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> Step:
        """Raises UsageError for what is no step."""
        told = dict(row)
        kind = MOVES.get(str(told.pop("move", None)))
        waits = told.pop("waits", True)
        if kind is None:
            raise UsageError(f"expected a move of {', '.join(sorted(MOVES))}, saw {row}")
        if type(waits) is not bool:
            raise UsageError(f"expected waits to be true or false, saw {row}")
        _require_arguments(kind, told)
        return cls(kind(**told), waits)


def _require_arguments(kind: type[Move], told: Mapping[str, Any]) -> None:
    """Raises UsageError for other names than a move has, or values of another kind."""
    wanted = {each.name: _KINDS[str(each.type)] for each in fields(kind)}
    if set(told) != set(wanted):
        raise UsageError(f"expected {kind.name} with {sorted(wanted)}, saw {dict(told)}")
    for name, value in told.items():
        if type(value) is not wanted[name]:
            kind_name = wanted[name].__name__
            raise UsageError(f"expected {name} of {kind.name} to be of {kind_name}, saw {value!r}")


_KINDS = {"int": int, "str": str, "bool": bool}  # of arguments: plain words and numbers


@dataclass(frozen=True, slots=True)
class Taken:
    """A step that was taken, and the state of the replicas around it."""

    step: Step
    before: State = ()
    after: State = ()
    danger: int = 0  # after it
    seen: Mapping[str, Any] = field(default_factory=dict, hash=False)  # after it, by broker

    def to_json(self) -> dict[str, Any]:
        states = {"before": list(self.before), "after": list(self.after)}
        more = {"danger": self.danger, "seen": dict(self.seen)}
        return {**self.step.to_json(), **states, **more}

    @classmethod
    def from_json(cls, row: Any) -> Taken:
        """Raises UsageError for what is no step."""
        if not isinstance(row, dict):
            raise UsageError(f"expected a step of a schedule, saw {row!r:.80}")
        told = dict(row)
        before, after = (_state(told.pop(name, [])) for name in ("before", "after"))
        danger, seen = told.pop("danger", 0), told.pop("seen", {})
        if type(danger) is not int or not isinstance(seen, dict):
            raise UsageError(f"expected danger to be a number and seen an object, saw {row!r:.120}")
        return cls(Step.from_json(told), before, after, danger, seen)


def _state(told: Any) -> State:
    """Raises UsageError for what is no list of words."""
    if not isinstance(told, list) or not all(isinstance(each, str) for each in told):
        raise UsageError(f"expected a state to be a list of words, saw {told!r:.120}")
    return tuple(told)


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """What was done to a cluster of a Kafka, in which order; playable wherever its moves are."""

    kafka: str  # that it was found on
    steps: Sequence[Taken]
    claims: Sequence[str] = ()  # that were violated there
    told: str = ""  # what was seen
    origin: Mapping[str, Any] = field(default_factory=dict)  # seed, strategy, which of them
    setting: Mapping[str, Any] | None = None  # of its cluster and topic; None: that of searches

    @property
    def story(self) -> str:
        return "; ".join(str(each.step) for each in self.steps)

    def to_json(self) -> dict[str, Any]:
        return {
            "schema": SCHEMA,
            "kafka": self.kafka,
            "claims": list(self.claims),
            "told": self.told,
            "origin": dict(self.origin),
            **({} if self.setting is None else {"setting": dict(self.setting)}),
            "steps": [each.to_json() for each in self.steps],
        }

    @classmethod
    def from_json(cls, content: Any) -> Schedule:
        """Raises UsageError for what is no schedule."""
        if not isinstance(content, dict):
            raise UsageError(f"expected an object, saw {content!r:.120}")
        if content.get("schema") != SCHEMA or not isinstance(content.get("steps"), list):
            raise UsageError(f"expected a schedule of schema {SCHEMA}, saw {str(content)[:120]}")
        return cls(
            kafka=_text("kafka", content.get("kafka")),
            steps=[Taken.from_json(row) for row in content["steps"]],
            claims=_claims(content.get("claims", [])),
            told=_text("told", content.get("told", "")),
            origin=_origin(content.get("origin", {})),
            setting=_setting(content.get("setting")),
        )


def _text(name: str, told: Any) -> str:
    """Raises UsageError for what is none."""
    if not isinstance(told, str):
        raise UsageError(f"expected {name} of a schedule to be a text, saw {told!r:.120}")
    return told


def _claims(told: Any) -> tuple[str, ...]:
    """Raises UsageError for what is no list of names."""
    if not isinstance(told, list) or not all(isinstance(each, str) for each in told):
        raise UsageError(f"expected claims to be a list of names, saw {told!r:.120}")
    return tuple(told)


def _origin(told: Any) -> Mapping[str, Any]:
    if not isinstance(told, dict):
        raise UsageError(f"expected origin to be an object, saw {told!r:.120}")
    return told


def _setting(told: Any) -> Mapping[str, Any] | None:
    """Raises UsageError for what no scenario says of its setting."""
    if told is None:
        return None
    if not isinstance(told, dict) or not set(told) <= {*SETTING, FEATURES}:
        raise UsageError(f"expected a setting of {', '.join(SETTING)}, saw {told!r:.120}")
    for name, value in told.items():
        if not _is_a_setting(name, value):
            raise UsageError(f"expected a setting as scenarios say it, saw {name}: {value!r:.120}")
    own = told.get("broker_settings")
    if own is None:
        return told
    return {**told, "broker_settings": {int(broker): each for broker, each in own.items()}}


def _is_a_setting(name: str, value: Any) -> bool:
    if name in {"replicas", "voters", "heap_mib"}:
        return type(value) is int and value > 0
    if name == "broker_settings":
        return isinstance(value, dict) and all(
            broker.isdecimal() and _is_properties(each) for broker, each in value.items()
        )
    if name == FEATURES or name.endswith("settings"):
        return _is_properties(value)
    return type(value) is bool


def _is_properties(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(each, str) for each in value.values())
