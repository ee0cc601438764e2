"""The move of groups: a position is committed. All other moves are of the log of these."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from highwater.exploration.committers import require_number
from highwater.exploration.ground import Ground
from highwater.exploration.moves import APPENDED_S
from highwater.exploration.steps import Move, Step, move
from highwater.exploration.views import View
from highwater.harness.errors import UsageError


@move
@dataclass(frozen=True, slots=True)
class Commit(Move):
    """A group without members commits its next position; nobody waits for the answer."""

    group: int

    name: ClassVar[str] = "commit"
    commits_positions: ClassVar[bool] = True

    def __post_init__(self) -> None:
        """Raises UsageError for a group that has no number."""
        require_number("group", self.group)

    def fits(self, ground: Ground, view: View) -> bool:
        if ground.positions is None or view.leader in {-1, *ground.down, *ground.frozen}:
            return False
        has_members = ground.positions.members_of(self.group).have_begun
        return not has_members and not ground.positions.of(self.group).is_busy

    def take(self, ground: Ground, view: View, *, waits: bool) -> None:  # noqa: ARG002
        """Always until it is appended or answered, as a request is sent."""
        assert ground.positions is not None
        before = ground.partition.log_end_offset(view.leader)
        group, probe = ground.positions.of(self.group), ground.play.cluster.probe(view.leader)
        where = ground.partition.where
        group.commit()
        ground.soon(lambda: not group.is_busy or probe.log_end_offset(where) > before, APPENDED_S)


def require_one_log(steps: Sequence[Step]) -> None:
    """Raises UsageError for a commit beside what writes records.

    A schedule with commits is played on the log of these, which is no client's to write to: every
    broker answers INVALID_TOPIC_EXCEPTION, and refuses to have it in a transaction. Whatever else
    a schedule can have is of any log, or of none.
    """
    told = [(f"step {number} ({each.move})", each.move) for number, each in enumerate(steps, 1)]
    commit = next((step for step, move in told if move.commits_positions), None)
    write = next((step for step, move in told if move.writes_records), None)
    if commit and write:
        raise UsageError(
            f"{write} cannot be played beside {commit}: a schedule with commits is one of the log "
            "of positions, which takes no records of clients; leave out the one or the other"
        )


def is_of_groups(steps: Iterable[Step]) -> bool:
    """Whether a schedule is about the log of what groups commit."""
    return any(each.move.commits_positions for each in steps)
