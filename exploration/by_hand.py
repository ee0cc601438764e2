"""Moves that have somebody send by hand, who sends one request at a time."""

from __future__ import annotations

from typing import Any, ClassVar

from highwater.exploration.committers import require_number
from highwater.exploration.errands import Errands
from highwater.exploration.ground import Ground
from highwater.exploration.steps import Move
from highwater.exploration.views import View

DONE_S = 4.0  # longer than a coordinator is asked for


class ByHand(Move):
    """Of one producer, or one group, by its number: `about` names the argument that has it."""

    __slots__ = ()
    about: ClassVar[str] = ""

    def __post_init__(self) -> None:
        """Raises UsageError for no number that one can have."""
        require_number(self.about, self.number)

    @property
    def number(self) -> int:
        told: int = getattr(self, self.about)
        return told

    def take(self, ground: Ground, view: View, *, waits: bool) -> None:  # noqa: ARG002
        errands = self.errands(ground)
        ground.play.step(f"{errands.name} {self.told}")
        self.do(ground)
        if waits:
            ground.soon(lambda: not errands.is_busy, DONE_S)

    def errands(self, ground: Ground) -> Errands:
        """Whose request it is."""
        raise NotImplementedError

    @property
    def told(self) -> str:
        """What is done, on the timeline."""
        raise NotImplementedError

    def do(self, ground: Ground) -> Any:
        raise NotImplementedError
