"""Pairs what pipelines were handed with what they made of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from highwater.checkers.facts import Facts, Place
from highwater.checkers.findings import Findings
from highwater.checkers.groups import GroupProgress
from highwater.checkers.outputs import GIVEN, MADE, NO_VALUES, Given, Outputs, outputs_of
from highwater.checkers.reach import UNREADABLE, begins
from highwater.checkers.rows import NONE, Bools, Ints, constant, groups
from highwater.checkers.spans import within

AGAIN = "what it is made of may stand in its log more than once"
NOT_GIVEN = "no reader was handed what two outputs are made of"
UNTOLD = "nobody told of what some output is made"

Reason = tuple[str, Bools]  # why records cannot be judged, and which


@dataclass(frozen=True, slots=True)
class Inputs:
    """Records where pipelines read, of all partitions; `place` is a number in `places`."""

    places: Sequence[Place]
    place: Ints
    offset: Ints
    value: Ints
    again: Bools
    other: Bools
    several: Bools  # readers were handed several values at its offset

    def take(self, rows: Ints) -> Inputs:
        return Inputs(
            self.places,
            self.place[rows],
            self.offset[rows],
            self.value[rows],
            self.again[rows],
            self.other[rows],
            self.several[rows],
        )


def put_together(found: Findings, facts: Facts) -> Findings:
    """Findings of what all parts have noted."""
    outputs = outputs_of(found.notes.get(MADE, ()))
    inputs = _inputs(found.notes.get(GIVEN, ()))
    found.notes.clear()
    for group in sorted(facts.promises.pipelines):
        made = outputs.get(group, NO_OUTPUTS)
        rows = _below(facts, group, inputs)
        twice = made.values[made.shown > 1]
        _doubled(found, group, made, inputs, twice)
        found.considered += len(np.union1d(inputs.value[rows], twice))
        left = rows[~np.isin(inputs.value[rows], twice)]
        _, first = np.unique(inputs.value[left], return_index=True)
        _lacking(found, facts, group, made, inputs.take(left[np.sort(first)]))
    return found


NO_OUTPUTS = Outputs(
    NO_VALUES, NO_VALUES, NO_VALUES, NO_VALUES, NO_VALUES, NO_VALUES, (), untold=False
)


def _inputs(given: Sequence[Given]) -> Inputs:
    places = sorted({each.place for each in given})
    number = {place: at for at, place in enumerate(places)}
    given = [each for each in given if len(each.value)]
    if not given:
        nothing, none = np.empty(0, np.int64), np.zeros(0, bool)
        return Inputs(places, nothing, nothing, nothing, none, none, none)
    place = np.concatenate([np.full(len(each.value), number[each.place]) for each in given])
    offset, value, again, other = (
        np.concatenate([getattr(each, name) for each in given])
        for name in ("offset", "value", "again", "other")
    )
    order = np.lexsort((value, offset, place))
    place, offset = place[order], offset[order]
    same = (place[1:] == place[:-1]) & (offset[1:] == offset[:-1])
    several = np.append(False, same) | np.append(same, False)
    return Inputs(places, place, offset, value[order], again[order], other[order], several)


def _below(facts: Facts, group: str, inputs: Inputs) -> Ints:
    """The rows that lie below the last position of a group."""
    found = np.zeros(len(inputs.value), bool)
    for number, place in enumerate(inputs.places):
        progress = _progress(facts, group, place)
        if progress is not None:
            offset = inputs.offset
            found |= (
                (inputs.place == number)
                & (offset >= progress.asked_from)
                & (offset < progress.committed)
            )
    return np.flatnonzero(found)


def _progress(facts: Facts, group: str, place: Place) -> GroupProgress | None:
    return next((each for each in facts.groups.get(place, ()) if each.group == group), None)


def _doubled(found: Findings, group: str, made: Outputs, inputs: Inputs, twice: Ints) -> None:
    """Two outputs of one record."""
    order = np.argsort(inputs.value, kind="stable")
    at = np.searchsorted(inputs.value[order], twice)
    there = at < len(order)
    there[there] = inputs.value[order[at[there]]] == twice[there]
    found.doubt(NOT_GIVEN, np.count_nonzero(~there))
    them = inputs.take(order[at[there]])
    found.doubt(AGAIN, np.count_nonzero(them.again))
    _charge(found, group, made, them, ~them.again)


def _lacking(found: Findings, facts: Facts, group: str, made: Outputs, them: Inputs) -> None:
    """Of records below a group's position: none of which there are two outputs."""
    shown, _, _ = made.of(them.value)
    unsure = made.doubts_of(them.value)
    for number, why in enumerate(made.reasons):
        found.doubt(why, np.count_nonzero(unsure == number))
    left = (unsure == NONE) & (shown == 0)
    for why, rows in _excuses(facts, group, made, them):
        found.doubt(why, np.count_nonzero(left & rows))
        left &= ~rows
    _charge(found, group, made, them, left)


def _excuses(facts: Facts, group: str, made: Outputs, them: Inputs) -> Iterator[Reason]:
    """Why there need not be an output of records."""
    yield UNTOLD, constant(made.untold, len(them.value)).astype(bool)
    yield AGAIN, them.again
    yield "readers were handed several values at its offset", them.several
    yield "the leader's log has something else at its offset, or nothing", them.other
    yield "sent by a send that failed", facts.may_have_failed(them.value)
    before, open_yet, gone, unreadable = np.zeros((4, len(them.value)), bool)
    for at in groups(them.place):
        place = them.places[int(them.place[at[0]])]
        progress, offset = _progress(facts, group, place), them.offset[at]
        if progress is None:
            continue
        before[at] = offset < progress.begin
        open_yet[at] = offset >= progress.surely_committed
        compacted = facts.promises.is_compacted(place[0])
        gone[at] = (offset < begins(facts, place)) | compacted
        unreadable[at] = within(offset, facts.unreadable.get(place, ()))
    yield "nobody told where the group began", before
    yield "a commit of a lower position may have been the last", open_yet
    yield "deleted or compacted since", gone
    yield UNREADABLE, unreadable


def _charge(found: Findings, group: str, made: Outputs, them: Inputs, wrong: Bools) -> None:
    topics = sorted({topic for topic, _ in them.places})
    of_places = np.array([[topics.index(topic), number] for topic, number in them.places], np.int64)
    topic, partition = of_places.reshape(-1, 2)[them.place].T
    shown, first, last = made.of(them.value)
    found.anomaly(
        wrong,
        {
            "topic": (topic, np.array(topics, object)),
            "partition": (partition, None),
            "offset": (them.offset, None),
            "value": (them.value, None),
            "group": (constant(0, len(them.value)), np.array([group], object)),
            "outputs": (shown, None),
            "output": (first, None),
            "other_output": (np.where(shown > 1, last, NONE), None),
        },
    )
