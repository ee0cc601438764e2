"""Moves that a schedule has from a scenario: any fault, as it was written, and what was seen then.

Searches do not propose them.
"""

from __future__ import annotations

import ast
import importlib
import re
from dataclasses import dataclass
from typing import Any, ClassVar

from highwater.exploration.ground import Ground
from highwater.exploration.steps import Move, move
from highwater.exploration.views import View
from highwater.harness.cluster import Fault
from highwater.harness.errors import UsageError
from highwater.harness.fitting import unknown
from highwater.harness.model import TopicPartition
from highwater.harness.versions.catalogue import Kafka

AWAITED_S = 5.0
EXPECTED = "expected a fault such as Kill(broker=1)"
WHERE = "WHERE"  # in the text of a fault: the partition that is played on


def fault_of(text: str, where: TopicPartition) -> Fault[Any]:
    """The fault that prints as `text`; raises UsageError for what is none, or too involved."""
    call = _call(text)
    name = call.func.id if isinstance(call.func, ast.Name) else ""
    module = re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()
    try:
        kind = getattr(importlib.import_module(f"highwater.faults.{module}"), name)
        told = {str(each.arg): _value(each.value, where) for each in call.keywords}
        fault: Fault[Any] = kind(**told)
    except (ImportError, AttributeError, TypeError, ValueError, RecursionError) as error:
        raise UsageError(f"{EXPECTED}, saw {text!r}: {error}") from error
    if not hasattr(fault, "inject"):
        raise UsageError(f"{EXPECTED}, saw {text!r}")
    return fault


def _call(text: str) -> ast.Call:
    """Of a class, with named arguments alone."""
    try:
        call = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:  # nested too deeply
        raise UsageError(f"{EXPECTED}, saw {text!r:.120}") from error
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.args:
        raise UsageError(f"{EXPECTED}, saw {text!r}")
    return call


def _value(node: ast.expr, where: TopicPartition) -> Any:
    is_where = isinstance(node, ast.Name) and node.id == WHERE
    return where if is_where else ast.literal_eval(node)


@move
@dataclass(frozen=True, slots=True)
class Inject(Move):
    """A fault of the catalogue, in the words in which a timeline tells of it."""

    fault: str

    name: ClassVar[str] = "inject"
    is_needed: ClassVar[bool] = True

    def __post_init__(self) -> None:
        """Raises UsageError for what is no fault."""
        fault_of(self.fault, TopicPartition("any"))

    def exists(self, kafka: Kafka) -> bool:
        return not self.why_not(kafka)

    def why_not(self, kafka: Kafka) -> str:
        return unknown(fault_of(self.fault, TopicPartition("any")), kafka)

    def fits(self, ground: Ground, view: View) -> bool:  # noqa: ARG002
        return True

    def take(self, ground: Ground, view: View, *, waits: bool) -> None:  # noqa: ARG002
        injected = ground.play.inject(fault_of(self.fault, ground.partition.where))
        ground.injected.setdefault(self.fault, []).append(injected)


@move
@dataclass(frozen=True, slots=True)
class Heal(Move):
    """The oldest of these faults that is open is healed."""

    fault: str

    name: ClassVar[str] = "heal"

    def fits(self, ground: Ground, view: View) -> bool:  # noqa: ARG002
        return bool(ground.injected.get(self.fault))

    def take(self, ground: Ground, view: View, *, waits: bool) -> None:  # noqa: ARG002
        ground.play.heal(ground.injected[self.fault].pop(0))


@move
@dataclass(frozen=True, slots=True)
class FailOver(Move):
    """Another broker becomes the controller (ZooKeeper mode)."""

    name: ClassVar[str] = "fail_over"

    def exists(self, kafka: Kafka) -> bool:
        return not kafka.kraft

    def fits(self, ground: Ground, view: View) -> bool:  # noqa: ARG002
        return self.exists(ground.kafka)

    def take(self, ground: Ground, view: View, *, waits: bool) -> None:  # noqa: ARG002
        ground.play.fail_over_controller()


@move
@dataclass(frozen=True, slots=True)
class Await(Move):
    """Wait until somebody leads and replicas are so far; on another release it may never come."""

    leader: int
    ends: str  # log end offsets by broker, "1:11 2:12"
    marks: str  # high watermarks

    name: ClassVar[str] = "await"

    def __post_init__(self) -> None:
        """Raises UsageError for offsets that are none."""
        for told in (self.ends, self.marks):
            _offsets(told)

    def fits(self, ground: Ground, view: View) -> bool:  # noqa: ARG002
        return True

    def take(self, ground: Ground, view: View, *, waits: bool) -> None:  # noqa: ARG002
        ends, marks = _offsets(self.ends), _offsets(self.marks)

        def there() -> bool:
            seen = ground.view()
            return (
                seen.leader == self.leader
                and ends.items() <= seen.ends.items()
                and marks.items() <= seen.marks.items()
            )

        ground.soon(there, AWAITED_S)


def _offsets(told: str) -> dict[int, int | None]:
    if not re.fullmatch(r"(\d+:\d+( \d+:\d+)*)?", told):
        raise UsageError(f"expected offsets by broker such as '1:11 2:12', saw {told!r}")
    pairs = (each.split(":") for each in told.split())
    return {int(broker): int(offset) for broker, offset in pairs}
