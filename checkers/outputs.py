"""What members of pipelines made of the records that they were handed, and what became of that."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from highwater.checkers.atomicity import MARKED, not_handed
from highwater.checkers.attempts import may_be_repeated, sent_once
from highwater.checkers.facts import Facts, Place
from highwater.checkers.parts import SEND, Values
from highwater.checkers.reach import has_leader_log
from highwater.checkers.rows import NONE, Bools, Ints, alike, changes, groups, in_order, numbered

MADE, GIVEN = range(2)  # what a note is about
SHOWN, GONE = "shown", "gone"  # what became of an output; else why nobody can tell
NO_VALUES = np.empty(0, np.int64)
NAMELESS = "an output has no value of its own"


class Made(NamedTuple):
    """Outputs of one group in one topic, with one fate: what they were made of, and their own."""

    group: str
    topic: str
    fate: str
    made_of: Ints  # NONE: nobody told
    value: Ints


class Given(NamedTuple):
    """Records that readers were handed and that are known to be committed, wherever it was.

    `again` is where the value may stand in the log once more, and `other` where the final leader's
    log has something else, or nothing, of partitions in which a pipeline has a position.
    """

    place: Place
    offset: Ints
    value: Ints
    again: Bools
    other: Bools


def notes_of(part: Values) -> dict[int, list[Any]]:
    """What is known of pipelines' outputs and inputs in this part."""
    if not part.facts.promises.pipelines:
        return {}
    return {MADE: list(_made(part)), GIVEN: list(_given(part))}


def _made(part: Values) -> Iterator[Made]:
    promises = part.facts.promises
    sends = part.of_clients(lambda client: client.sends_for is not None) & part.is_kind(SEND)
    sends &= ~part.is_word("outcome", "invoked") | part.open
    for rows, fate in _fates(part, sends):
        for at in groups(numbered(part["client"][rows], part["topic"][rows])):
            mine = rows[at]
            group = str(promises.client(part.text("client", mine[0])).sends_for)
            topic = str(part.text("topic", mine[0]))
            yield Made(group, topic, fate, part["made_of"][mine], part["value"][mine])


def _fates(part: Values, sends: Bools) -> Iterator[tuple[Ints, str]]:
    """Of these sends, by what became of them."""
    named = sends & sent_once(part)
    yield np.flatnonzero(sends & ~named), NAMELESS
    shown = named & part.by_value_here.anywhere(part.polled_as_committed)
    yield np.flatnonzero(shown), SHOWN
    failed = named & ~shown & part.is_word("outcome", "failed")
    yield np.flatnonzero(failed), GONE
    missing = named & ~shown & ~failed
    if not missing.any():
        return
    for why, rows in not_handed(part, missing):
        if isinstance(why, str):
            yield rows, why
        else:
            # Of one that never ended a reader can only have passed what stands there now: else
            # something committed that stood there before it would have been truncated.
            ended = part["completed_ns"][rows]
            passed = why > np.where(ended == NONE, part["invoked_ns"][rows], ended)
            yield rows[passed], GONE
            yield rows[~passed], MARKED


def _given(part: Values) -> Iterator[Given]:
    facts, told = part.facts, part.handed_as_committed & part.known("value")
    again, kept = _again(part), part.kept_by_leader
    for number, place in enumerate(part.places):
        rows = np.flatnonzero(told & (part["place"] == number))
        rows = rows[in_order(part["value"][rows], part["offset"][rows])]
        rows = rows[changes(part["value"][rows], part["offset"][rows])] if len(rows) else rows
        other = np.zeros(len(rows), bool)
        if _is_source(facts, place) and has_leader_log(facts, place):
            logged = np.flatnonzero(kept & (part["place"] == number))
            other = ~_pairs_in(part, rows, logged)
        yield Given(place, part["offset"][rows], part["value"][rows], again[rows], other)


def _pairs_in(part: Values, rows: Ints, others: Ints) -> Bools:
    """Which of some rows have value and offset in common with one of the others."""
    both = np.append(rows, others)
    pairs = alike(part["value"][both], part["offset"][both])
    return np.isin(pairs[: len(rows)], pairs[len(rows) :])


def _is_source(facts: Facts, place: Place) -> bool:
    """Whether a pipeline has a position there, below which an output may be missing."""
    pipelines = facts.promises.pipelines
    return any(each.group in pipelines for each in facts.groups.get(place, ()))


def _again(part: Values) -> Bools:
    """Rows of values that may stand in logs more than once, wherever that is."""
    by_value, sends = part.by_value, part.is_kind(SEND)
    sends = sends & (~part.is_word("outcome", "invoked") | part.open)
    seen = part.polled | part.kept_by_leader
    apart = np.zeros(len(by_value.starts), bool)
    for name in ("place", "offset"):
        apart |= by_value.least(part[name], seen) != by_value.largest(part[name], seen)
    apart &= by_value.have(seen)
    apart |= by_value.have(part.polled & (part["offset"] < 0))
    apart |= (by_value.count(sends) > 1) | by_value.have(may_be_repeated(part))
    found: Bools = by_value.spread(apart)
    return found


@dataclass(frozen=True, slots=True)
class Outputs:
    """Of one pipeline: for each value that something was made of what is known of that.

    `values` are in their order; `shown` is how many different outputs readers of committed records
    were handed in that topic in which these are most, and `first` and `last` the least and the
    largest of them. Of some that they were not handed nobody can tell: they are made of `doubtful`,
    and `why` has the places of the reasons in `reasons`. `untold` is whether nobody told of what
    some were made.
    """

    values: Ints
    shown: Ints
    first: Ints
    last: Ints
    doubtful: Ints
    why: Ints
    reasons: Sequence[str]
    untold: bool

    def doubts_of(self, values: Ints) -> Ints:
        """For each of these values the place of the reason; NONE where there is no doubt."""
        return _looked_up(values, self.doubtful, self.why, NONE)

    def of(self, values: Ints) -> tuple[Ints, Ints, Ints]:
        """`shown`, `first` and `last` of these values; 0, NONE and NONE of others."""
        return (
            _looked_up(values, self.values, self.shown, 0),
            _looked_up(values, self.values, self.first, NONE),
            _looked_up(values, self.values, self.last, NONE),
        )


def _looked_up(values: Ints, known: Ints, column: Ints, otherwise: int) -> Ints:
    """What stands in a column beside each of these values, of those that are known, in order."""
    found = np.full(len(values), otherwise, np.int64)
    at = np.searchsorted(known, values)
    there = at < len(known)
    there[there] = known[at[there]] == values[there]
    found[there] = column[at[there]]
    return found


def outputs_of(notes: Sequence[Made]) -> dict[str, Outputs]:
    """By group."""
    by_group: dict[str, list[Made]] = defaultdict(list)
    for note in notes:
        by_group[note.group].append(note)
    return {group: _together(mine) for group, mine in by_group.items()}


def _together(notes: Sequence[Made]) -> Outputs:
    untold = any((note.made_of == NONE).any() for note in notes)
    return Outputs(*_shown(notes), *_doubts(notes), untold=bool(untold))


def _shown(notes: Sequence[Made]) -> tuple[Ints, Ints, Ints, Ints]:
    """What something was made of, and of the topic with most outputs of that the first four."""
    shown = [note for note in notes if note.fate == SHOWN]
    if not shown:
        return NO_VALUES, NO_VALUES, NO_VALUES, NO_VALUES
    topics = sorted({note.topic for note in shown})
    made_of, value = (
        np.concatenate([getattr(note, name) for note in shown]) for name in ("made_of", "value")
    )
    topic = np.concatenate([np.full(len(each.value), topics.index(each.topic)) for each in shown])
    order = in_order(made_of, topic, value)
    once = order[changes(made_of[order], topic[order], value[order])]
    once = once[made_of[once] != NONE]
    made_of, topic, value = made_of[once], topic[once], value[once]
    starts = np.flatnonzero(changes(made_of, topic))
    count = np.diff(np.append(starts, len(made_of)))
    by_count = np.lexsort((-count, made_of[starts]))
    most = by_count[changes(made_of[starts][by_count])]
    first, last = starts[most], starts[most] + count[most] - 1
    return made_of[first], count[most], value[first], value[last]


def _doubts(notes: Sequence[Made]) -> tuple[Ints, Ints, Sequence[str]]:
    unsure = [note for note in notes if note.fate not in (SHOWN, GONE)]
    reasons = sorted({note.fate for note in unsure})
    if not unsure:
        return NO_VALUES, NO_VALUES, reasons
    made_of = np.concatenate([note.made_of for note in unsure])
    why = np.concatenate([np.full(len(note.made_of), reasons.index(note.fate)) for note in unsure])
    order = in_order(made_of, why)
    made_of, why = made_of[order], why[order]
    first = changes(made_of)
    return made_of[first], why[first], reasons
