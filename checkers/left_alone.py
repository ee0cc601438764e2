"""What members of groups were given, and from when on their groups were left alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from highwater.checkers.groups import Place, by_group, is_open
from highwater.checkers.promises import Promises, Steady
from highwater.checkers.rows import LAST, NONE, Rows

ALLOWED_NS = 30_000_000_000  # beyond the session, for who is left to begin anew


@dataclass(frozen=True, slots=True)
class LeftAlone:
    """A partition that members of a group were given, in which it may have committed `committed`.

    That is the highest position that it may have had; NONE where it cannot have had any. Beyond
    `asked` it has asked for none, whatever it was answered: LAST where that is not known. `others`
    are members of the group, as its assignments call them, that did not have it in the end.
    `dealt_ns` is when somebody was given it last.
    """

    place: Place
    group: str
    committed: int
    steady: Steady | None
    others: frozenset[str] = frozenset()
    asked: int = LAST
    dealt_ns: int = NONE

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
    every: Mapping[tuple[Place, str], Rows] = {}
    if commits is not None:
        every = by_group(commits.take(commits["offset"] >= 0))
    found = []
    given = by_group(assignments)
    members: dict[str, set[str]] = {}
    for (_, group), rows in given.items():
        members.setdefault(group, set()).update(_members(rows))
    for (place, group), rows in sorted(given.items(), key=lambda one: one[0]):
        others = frozenset(members[group] - _holders(rows))
        own = every.get((place, group))
        is_seen = own is not None and group not in promises.automatic
        found.append(
            LeftAlone(
                place,
                group,
                _committed(own),
                _steady(promises, group, place[0]),
                others,
                asked=int(own["offset"].max()) if own is not None and is_seen else LAST,
                dealt_ns=int(rows["at_ns"][rows.is_word("what", "assigned")].max(initial=NONE)),
            )
        )
    return found


def _committed(own: Rows | None) -> int:
    """The highest that was confirmed, or may have been."""
    if own is None:
        return NONE
    may_count = own.is_word("outcome", "ok") | is_open(own)
    return int(own["offset"][may_count].max(initial=NONE))


def _members(rows: Rows) -> Sequence[str]:
    return [str(rows.text("client", int(number))) for number in rows["client"]]


def _holders(rows: Rows) -> set[str]:
    """Those of which the last that is told is that they were given the partition."""
    last: dict[str, tuple[int, bool]] = {}
    told = zip(_members(rows), rows["at_ns"], rows.is_word("what", "assigned"), strict=True)
    for member, at_ns, is_given in told:
        last[member] = max((int(at_ns), bool(is_given)), last.get(member, (NONE, False)))
    return {member for member, (_, is_given) in last.items() if is_given}


def _steady(promises: Promises, group: str, topic: str) -> Steady | None:
    told = promises.steady.get(group)
    return told if told is not None and topic in told.topics else None
