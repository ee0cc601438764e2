"""What members of groups were given, and from when on their groups were left alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from highwater.checkers.groups import Place, by_group, is_open
from highwater.checkers.promises import Promises, Steady
from highwater.checkers.rows import NONE, Rows

ALLOWED_NS = 30_000_000_000  # beyond the session, for who is left to begin anew


@dataclass(frozen=True, slots=True)
class LeftAlone:
    """A partition that members of a group were given, in which it may have committed `committed`.

    That is the highest position that it may have had; NONE where it cannot have had any.
    """

    place: Place
    group: str
    committed: int
    steady: Steady | None

    @property
    def least_ns(self) -> int | None:
        """How long it may be handed nothing; None: nobody knows."""
        session_ns = None if self.steady is None else self.steady.session_ns
        return None if session_ns is None else session_ns + ALLOWED_NS

    @property
    def latest_ns(self) -> int:
        """What could be read by then, somebody should have been handed."""
        if self.steady is None or self.least_ns is None:
            return NONE
        return self.steady.until_ns - self.least_ns


def left_alone(
    assignments: Rows | None, commits: Rows | None, promises: Promises
) -> Sequence[LeftAlone]:
    """By partition and group."""
    if assignments is None:
        return ()
    highest: Mapping[tuple[Place, str], Rows] = {}
    if commits is not None:
        may_count = commits.is_word("outcome", "ok") | is_open(commits)
        highest = by_group(commits.take(may_count & (commits["offset"] >= 0)))
    found = []
    for place, group in sorted(by_group(assignments)):
        own = highest.get((place, group))
        committed = NONE if own is None else int(own["offset"].max())
        found.append(LeftAlone(place, group, committed, _steady(promises, group, place[0])))
    return found


def _steady(promises: Promises, group: str, topic: str) -> Steady | None:
    told = promises.steady.get(group)
    return told if told is not None and topic in told.topics else None
