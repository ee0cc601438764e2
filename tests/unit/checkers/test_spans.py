"""Which polls of a reader are kept, where there are very many."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from highwater.checkers.spans import AT_MOST, Passage, Steps

OFFSETS = 20 * AT_MOST


def _told(steps: Steps) -> list[list[int]]:
    columns = (steps.first, steps.last, steps.begun_ns, steps.ended_ns, steps.at_ns)
    return [[steps.bits], *(column.tolist() for column in columns)]


def _polls(seed: int) -> npt.NDArray[np.int64]:
    """Offset, beginning and end of a record each, as a reader was handed them."""
    chance = np.random.default_rng(seed)
    begun = np.cumsum(chance.integers(0, 1000, OFFSETS))
    return np.array([np.arange(OFFSETS), begun, begun + chance.integers(0, 5000, OFFSETS)])


def test_very_many_polls_are_kept_alike_in_whatever_order_and_pieces() -> None:
    polls = _polls(1)
    shuffled = polls[:, np.random.default_rng(2).permutation(OFFSETS)]
    few, some, most = np.split(shuffled, [300, 3000], axis=1)

    at_once = Steps.of(*polls)
    joined = Steps.of(*few).joined(Steps.of(*most)).joined(Steps.of(*some))

    assert len(at_once.first) <= AT_MOST
    assert _told(joined) == _told(at_once) == _told(Steps.of(*shuffled))


def test_of_very_many_polls_none_is_taken_to_pass_later_than_it_did() -> None:
    offsets, begun, ended = _polls(3)

    passage = Passage.of("reader", [Steps.of(offsets, begun, ended)], from_start=True)

    since, until = np.full((2, OFFSETS), np.iinfo(np.int64).min)
    passage.take_in(offsets, passage.since_ns, since)
    passage.take_in(offsets, passage.until_ns, until)
    assert (since <= begun).all()
    assert (until <= ended).all()
    assert (begun - since).max() < (begun[-1] - begun[0]) / (AT_MOST / 4)


def test_few_polls_are_kept_one_by_one() -> None:
    offsets, begun, ended = _polls(4)[:, :AT_MOST]
    begun = np.arange(AT_MOST) * 7

    steps = Steps.of(offsets, begun, begun + ended)

    assert _told(steps) == [
        [0], *(column.tolist() for column in (offsets, offsets, begun, begun + ended, begun))
    ]  # fmt: skip
