"""The search asks few releases, passes over what is unclear, and ends between two neighbours."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from highwater.bisection import Answer, Tally, every_flip, narrowed

FAILS, HOLDS, UNCLEAR = Answer.FAILS, Answer.HOLDS, Answer.UNCLEAR


def tally(failed: int, held: int, inconclusive: int = 0) -> Tally:
    return Tally(kafka="4.1.1", asked=3, failed=failed, held=held, inconclusive=inconclusive)


def test_one_failure_is_enough_and_to_hold_takes_all_that_was_asked() -> None:
    assert tally(1, 2).answer is FAILS
    assert tally(1, 0, 2).answer is FAILS
    assert tally(0, 3, 2).answer is HOLDS
    assert tally(0, 2, 3).answer is UNCLEAR
    assert tally(0, 0).answer is UNCLEAR


@given(st.integers(2, 200), st.data())
def test_a_flip_is_found_in_as_many_steps_as_there_are_bits(
    length: int, data: st.DataObject
) -> None:
    flip = data.draw(st.integers(1, length - 1))
    below = data.draw(st.sampled_from([FAILS, HOLDS]))
    above = HOLDS if below is FAILS else FAILS
    asked: list[int] = []

    def ask(place: int) -> Answer:
        asked.append(place)
        return below if place < flip else above

    assert narrowed(0, length - 1, ask) == (flip - 1, flip)
    assert len(set(asked)) <= math.ceil(math.log2(length)) + 1


@given(st.lists(st.sampled_from([FAILS, HOLDS, UNCLEAR]), max_size=60))
def test_what_is_found_flips_and_all_between_is_unclear_whatever_the_releases_say(
    between: list[Answer],
) -> None:
    line = [FAILS, *between, HOLDS]
    asked: list[int] = []

    def ask(place: int) -> Answer:
        asked.append(place)
        return line[place]

    low, high = narrowed(0, len(line) - 1, ask)

    assert (line[low], line[high]) == (FAILS, HOLDS)
    assert {*line[low + 1 : high]} <= {UNCLEAR}
    assert len(asked) == len(set(asked))


def test_an_unclear_middle_is_passed_over_for_its_neighbours() -> None:
    line = [FAILS, FAILS, UNCLEAR, HOLDS, HOLDS]

    assert narrowed(0, 4, lambda place: line[place]) == (1, 3)


@given(st.lists(st.sampled_from([FAILS, HOLDS, UNCLEAR]), max_size=30), st.data())
def test_each_place_that_is_suspected_is_asked_and_every_pair_that_is_found_flips(
    between: list[Answer], data: st.DataObject
) -> None:
    line = [FAILS, *between, HOLDS]
    high = len(line) - 1
    places = st.integers(0, high)
    suspected = data.draw(st.lists(st.tuples(places, places), max_size=8))
    asked: set[int] = set()

    def ask(place: int) -> Answer:
        asked.add(place)
        return line[place]

    found = every_flip(0, high, ask, lambda _flip: suspected)

    assert {near for near, _ in suspected} <= asked
    assert found[0] == narrowed(0, high, line.__getitem__)
    assert found[1:] == sorted(found[1:])
    found.sort()
    assert len(found) % 2 == 1
    for last, first in found:
        assert {line[last], line[first]} == {FAILS, HOLDS}
        assert {*line[last + 1 : first]} <= {UNCLEAR}
    told = [line[place] for pair in found for place in pair]
    assert told[1:-1:2] == told[2::2]  # from one flip to the next one it stays as it was
    for place in (near for near, _ in suspected if line[near] is not UNCLEAR):
        before = [pair for pair in found if pair[1] <= place]
        assert line[place] is (line[before[-1][1]] if before else FAILS)


def test_where_nobody_is_suspected_it_is_the_one_flip_in_as_few_questions() -> None:
    line = [FAILS] * 20 + [HOLDS] * 44

    assert every_flip(0, 63, line.__getitem__, lambda _flip: ()) == [(19, 20)]
