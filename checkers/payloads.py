"""Whether copies of records have the checksum and the key that their value was sent with."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from highwater.checkers.neighbours import Groups
from highwater.checkers.parts import SEND, Values
from highwater.checkers.rows import LAST, NONE, Bools, Ints, alike

TOLD = ("checksum", "key")


class Compared(NamedTuple):
    """Of some copies: which were compared at all, and which have nothing that was sent.

    Of those that are `unsure` nobody told with what one of the sends of their value was.
    """

    considered: Bools
    differs: Bools
    unsure: Bools


class Sent(NamedTuple):
    """Rows of sends that count for some copies, and by what number they belong together."""

    rows: Ints
    number: Ints


def told_last(part: Values) -> Bools:
    """Sends, each as it was told last: an open one unless it ended later."""
    return part.is_kind(SEND) & (~part.is_word("outcome", "invoked") | part.open)


def compared(part: Values, copies: Bools) -> Compared:
    """A copy is as it was sent where one send of its value agrees in all that both tell.

    Sends to the same partition count; where there is none, all others do.
    """
    copies = copies & part.known("value") & (part.known("checksum") | part.known("key"))
    sends = told_last(part)
    here = part.by_value_here.anywhere(sends)
    if not _differ(part):
        considered = copies & part.by_value.anywhere(
            sends & (part.known("checksum") | part.known("key"))
        )
        return Compared(considered, *np.zeros((2, len(copies)), bool))
    found = Compared(*np.zeros((3, len(copies)), bool))
    for groups, asked in ((part.by_value_here, copies & here), (part.by_value, copies & ~here)):
        if asked.any():
            _compare(part, groups, asked, found)
    return found


def _differ(part: Values) -> bool:
    """Whether rows of any value have several checksums, or keys, or some none."""
    same_value = (part["value"][1:] == part["value"][:-1]) & part.known("value")[1:]
    return any((same_value & (part[name][1:] != part[name][:-1])).any() for name in TOLD)


def _compare(part: Values, groups: Groups, copies: Bools, found: Compared) -> None:
    """Copies of values all of whose sends tell the same are compared with it, others one by one."""
    sends = told_last(part)
    is_alike, told, differs = groups.anywhere(sends), *np.zeros((2, len(sends)), bool)
    for name in TOLD:
        least = np.minimum.reduceat(np.where(sends, part[name], LAST), groups.starts)
        largest = np.maximum.reduceat(np.where(sends, part[name], NONE), groups.starts)
        is_alike &= groups.spread(least == largest)
        sent = groups.spread(largest)
        both = part.known(name) & (sent != NONE)
        told |= both
        differs |= both & (part[name] != sent)
    plain = copies & is_alike
    found.considered[plain & told] = True
    found.differs[plain & differs] = True
    left = np.flatnonzero(copies & groups.anywhere(sends) & ~is_alike)
    if len(left):
        number = groups.spread(np.arange(len(groups.starts)))
        rows = np.flatnonzero(sends & groups.anywhere(copies & ~is_alike))
        _compare_each(part, left, Sent(rows, number), found)


def _compare_each(part: Values, rows: Ints, sent: Sent, found: Compared) -> None:
    """With every send of their values: what both tell has to agree."""
    agrees, told, untold = np.zeros((3, len(rows)), bool)
    for in_sends, which in _by_what_they_tell(part, sent.rows):
        sends = sent.rows[which]
        for in_copies, at in _by_what_they_tell(part, rows):
            copies = rows[at]
            both = [part[name] for name in in_copies if name in in_sends]
            there = np.isin(sent.number[copies], sent.number[sends])
            (told if both else untold)[at] |= there
            if both:
                pairs = alike(*(each[np.append(copies, sends)] for each in (sent.number, *both)))
                agrees[at] |= np.isin(pairs[: len(copies)], pairs[len(copies) :])
    found.considered[rows] = told
    found.differs[rows] = told & ~agrees & ~untold
    found.unsure[rows] = told & ~agrees & untold


def _by_what_they_tell(part: Values, rows: Ints) -> Iterator[tuple[tuple[str, ...], Ints]]:
    """These rows apart by which columns are told, and where they stand among them."""
    has = {name: part.known(name)[rows] for name in TOLD}
    for names in ((), TOLD[:1], TOLD[1:], TOLD):
        at = np.flatnonzero(np.logical_and.reduce([has[name] == (name in names) for name in TOLD]))
        if len(at):
            yield names, at


def sent_with(part: Values, name: str) -> Ints:
    """For each row the least checksum, or key, that its value was sent with; NONE: nobody told."""
    sends = told_last(part)
    here, anywhere = (
        groups.spread(groups.least(part[name], sends))
        for groups in (part.by_value_here, part.by_value)
    )
    found: Ints = np.where(part.by_value_here.anywhere(sends), here, anywhere)
    return found
