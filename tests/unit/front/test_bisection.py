"""The search asks few releases, passes over what is unclear, and ends between two neighbours."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from datetime import date
from functools import partial
from itertools import pairwise

from hypothesis import assume, example, given
from hypothesis import strategies as st

from highwater.bisection import Answer, Suspects, Tally, every_flip, narrowed, out_of_order
from highwater.harness.versions.catalogue import Kafka, every_kafka

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


def found_by(
    line: Sequence[Answer],
    suspects: Callable[[tuple[int, int]], Iterable[Suspects]],
    ends: tuple[int, int] | None = None,
) -> tuple[list[tuple[int, int]], set[int]]:
    """The last round, and who was asked."""
    asked: set[int] = set()

    def ask(place: int) -> Answer:
        asked.add(place)
        return line[place]

    *_, found = every_flip(*(ends or (0, len(line) - 1)), ask, suspects)
    return found, asked


@given(st.lists(st.sampled_from([FAILS, HOLDS, UNCLEAR]), max_size=30), st.data())
def test_what_is_found_is_all_that_whoever_was_asked_has_said(
    between: list[Answer], data: st.DataObject
) -> None:
    line = [FAILS, *between, HOLDS]
    places = st.lists(st.integers(0, len(line) - 1), min_size=1, max_size=4)
    suspected = data.draw(st.lists(st.builds(Suspects, places, places), max_size=4))

    found, asked = found_by(line, lambda _flip: suspected)

    assert {each.near[0] for each in suspected} <= asked
    assert found[0] == narrowed(0, len(line) - 1, line.__getitem__)
    assert found[1:] == sorted(found[1:])
    said = [place for place in sorted(asked) if line[place] is not UNCLEAR]
    assert sorted(found) == [pair for pair in pairwise(said) if line[pair[0]] != line[pair[1]]]
    for last, first in found:
        assert {*line[last + 1 : first]} <= {UNCLEAR}


def test_where_nobody_is_suspected_it_is_the_one_flip_in_as_few_questions() -> None:
    found, asked = found_by([FAILS] * 20 + [HOLDS] * 44, lambda _flip: ())

    assert found == [(19, 20)]
    assert len(asked) <= 8


LINE = [kafka for kafka in every_kafka() if kafka.suffix == "zk" or kafka.version[0] == "4"]
DAYS = sorted({kafka.row.built for kafka in LINE if kafka.row.built})
LINES = list(dict.fromkeys(kafka.line for kafka in LINE))


def has(kafka: Kafka, day: date, since: str) -> bool:
    """A change of this day went into this line and all later ones."""
    is_later = LINES.index(kafka.line) >= LINES.index(since)
    return bool(kafka.row.built and kafka.row.built >= day and is_later)


@given(st.sampled_from(DAYS), st.sampled_from(LINES), st.data())
@example(date(2026, 9, 22), "4.0", None)  # 4.2.2 has what 4.3.0 has not
@example(date(2024, 12, 4), "3.7", None)  # 3.7.2, 3.9.1 and 4.0.0 have it
def test_of_one_change_every_flip_is_found_whichever_ends_are_named(
    day: date, since: str, data: st.DataObject | None
) -> None:
    line = [HOLDS if has(kafka, day, since) else FAILS for kafka in LINE]
    fails, holds = ([place for place, said in enumerate(line) if said is s] for s in (FAILS, HOLDS))
    assume(fails and holds)
    ends = (0, len(line) - 1)
    if data is not None:
        ends = data.draw(st.sampled_from(fails)), data.draw(st.sampled_from(holds))

    low, high = sorted(ends)
    assume(LINE[low].row.built < LINE[high].row.built)  # type: ignore[operator]

    found, _ = found_by(line, partial(out_of_order, LINE), (low, high))

    every = [(place - 1, place) for place in range(1, len(line)) if line[place - 1] != line[place]]
    assert sorted(found) == every
