"""Moves of members of groups: one takes a group over, and commits; so does who was there before.

All other moves are of the log of positions, as `committing` has it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from highwater.exploration.by_hand import ByHand
from highwater.exploration.errands import Errands
from highwater.exploration.ground import Ground
from highwater.exploration.members import Members
from highwater.exploration.steps import move
from highwater.exploration.views import View


class _OfMembers(ByHand):
    """Of one group, by its number; one request of it is under way at a time."""

    __slots__ = ()
    about: ClassVar[str] = "group"
    group: int

    def fits(self, ground: Ground, view: View) -> bool:
        groups = ground.positions
        if groups is None or view.leader < 1 or groups.of(self.group).is_busy:
            return False
        return self.may(groups.members_of(self.group))

    def may(self, members: Members) -> bool:
        """Whether they do this where they stand now."""
        raise NotImplementedError

    def errands(self, ground: Ground) -> Errands:
        assert ground.positions is not None
        return ground.positions.of(self.group)

    def do(self, ground: Ground) -> None:
        assert ground.positions is not None
        self.have(ground.positions.members_of(self.group))

    def have(self, members: Members) -> None:
        """Have them do this."""
        raise NotImplementedError


@move
@dataclass(frozen=True, slots=True)
class TakeOver(_OfMembers):
    """Another member joins in the place of the present one, which is told out and hears nothing."""

    group: int

    name: ClassVar[str] = "take_over"
    commits_positions: ClassVar[bool] = True

    def may(self, members: Members) -> bool:  # noqa: ARG002
        return True

    @property
    def told(self) -> str:
        return "is taken over by another member"

    def have(self, members: Members) -> None:
        members.take_over()


@move
@dataclass(frozen=True, slots=True)
class CommitAsMember(_OfMembers):
    """The present member commits the next position of its group."""

    group: int

    name: ClassVar[str] = "commit_as_member"
    commits_positions: ClassVar[bool] = True

    def may(self, members: Members) -> bool:
        return members.present is not None

    @property
    def told(self) -> str:
        return "has its member commit the next position"

    def have(self, members: Members) -> None:
        members.commit()


@move
@dataclass(frozen=True, slots=True)
class CommitAsFormer(_OfMembers):
    """Who was the member before commits the position that it had come to by then."""

    group: int

    name: ClassVar[str] = "commit_as_former"
    commits_positions: ClassVar[bool] = True

    def may(self, members: Members) -> bool:
        return members.former is not None

    @property
    def told(self) -> str:
        return "hears a former member commit what it had come to"

    def have(self, members: Members) -> None:
        members.commit_as_former()
