"""Moves of members of groups: one takes a group over, and commits; so does who was there before.

All other moves are of the log of positions, as `committing` has it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from highwater.exploration.committers import require_number
from highwater.exploration.ground import Ground
from highwater.exploration.members import Members
from highwater.exploration.steps import Move, move
from highwater.exploration.views import View

DONE_S = 4.0  # longer than a coordinator is asked for


class _OfMembers(Move):
    """Of one group, by its number; one request of it is under way at a time."""

    __slots__ = ()
    group: int

    def __post_init__(self) -> None:
        """Raises UsageError for a group that has no number."""
        require_number("group", self.group)

    def fits(self, ground: Ground, view: View) -> bool:
        groups = ground.positions
        if groups is None or view.leader < 1 or groups.of(self.group).is_busy:
            return False
        return self.may(groups.members_of(self.group))

    def may(self, members: Members) -> bool:
        """Whether they do this where they stand now."""
        raise NotImplementedError

    def take(self, ground: Ground, view: View, *, waits: bool) -> None:  # noqa: ARG002
        assert ground.positions is not None
        group = ground.positions.of(self.group)
        ground.play.step(f"{group.name}: {self.told}")
        self.do(ground.positions.members_of(self.group))
        if waits:
            ground.soon(lambda: not group.is_busy, DONE_S)

    @property
    def told(self) -> str:
        """What is done, on the timeline."""
        raise NotImplementedError

    def do(self, members: Members) -> None:
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
        return "another member takes it over"

    def do(self, members: Members) -> None:
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
        return "its member commits the next position"

    def do(self, members: Members) -> None:
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
        return "the member that it has gone on without commits what it had come to"

    def do(self, members: Members) -> None:
        members.commit_as_former()
