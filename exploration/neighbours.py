"""Moves on another partition of the same brokers: it is sent to, and led, by itself.

Whatever is done to a broker is done to both. A fetch, an answer, an order or a broker's death is of
two logs then, each with a leader of its own.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from highwater.exploration.ground import Ground
from highwater.exploration.moves import Lead, Send
from highwater.exploration.plot import Plot
from highwater.exploration.steps import Step, move
from highwater.exploration.views import View


class _Beside:
    """About the other partition."""

    __slots__ = ()

    def plot_of(self, ground: Ground) -> Plot | None:
        return ground.neighbour

    def seen_in(self, view: View) -> View | None:
        return view.beside


@move
@dataclass(frozen=True, slots=True)
class SendBeside(_Beside, Send):
    """One request to the leader of the partition beside."""

    name: ClassVar[str] = "send_beside"
    writes_records: ClassVar[bool] = False  # not into the partition that is played on


@move
@dataclass(frozen=True, slots=True)
class LeadBeside(_Beside, Lead):
    """A member of the ISR of the partition beside is made its leader."""

    name: ClassVar[str] = "lead_beside"


def has_neighbour(steps: Iterable[Step]) -> bool:
    """Whether a schedule is about two partitions."""
    return any(isinstance(each.move, SendBeside | LeadBeside) for each in steps)
