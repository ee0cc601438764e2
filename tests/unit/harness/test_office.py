"""The controller's office in ZooKeeper: terms that end, and who has the next one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any, cast

import pytest

from highwater.harness.metadata import office as offices
from highwater.harness.metadata.office import CHANCES, LOOKS, NOBODY, Office
from highwater.harness.metadata.znodes import Znodes


class Terms:
    """The controller's znode; whenever it is deleted the next of these takes it, None: nobody."""

    def __init__(self, first: int, following: Sequence[int | None]) -> None:
        self.ended: list[int | None] = []
        self._now: int | None = first
        self._following = [*following]

    def read(self, _node: str) -> Any:
        return None if self._now is None else {"brokerid": self._now}

    def write(self, _node: str, content: Any) -> None:
        self._now = content["brokerid"]

    def delete(self, _node: str) -> None:
        self.ended.append(self._now)
        self._now = self._following.pop(0)


def always(_controller: int) -> bool:
    return True


def office_of(terms: Terms, heard_from: Callable[[int], bool] = always) -> Office:
    return Office(cast("Znodes", terms), heard_from, lambda _broker: nullcontext())


def test_a_controller_that_hands_the_office_on_unheard_is_not_waited_for() -> None:
    handed_on = iter([1, 2, 3])

    class HandsOn(Terms):
        def read(self, node: str) -> Any:
            now = super().read(node)
            return {"brokerid": next(handed_on, 2)} if now == {"brokerid": 1} else now

    terms = HandsOn(1, [3])

    office_of(terms, lambda controller: controller in {2, 3}).move(3)

    assert len(terms.ended) == 1


def test_a_controller_whose_epoch_is_over_when_it_begins_is_waited_for_no_longer_than_that(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Brokers refuse what it says, and it knows nothing of that: only its end ends it."""
    monkeypatch.setattr(offices, "HEARD_S", 0.2)
    terms = Terms(2, [3])

    office_of(terms, lambda controller: controller != 2).move(3)

    assert terms.ended == [2]


def test_a_controller_is_in_office_when_every_broker_has_heard_from_it() -> None:
    """Who dies before that is missed by nobody."""
    answers, asked = iter([True, False, False, True]), list[int]()  # the first is of the one before

    def heard_from(controller: int) -> bool:
        asked.append(controller)
        return next(answers)

    office_of(Terms(1, [3]), heard_from).move(3)

    assert asked == [1, 3, 3, 3]


def test_a_controller_that_fails_as_it_takes_office_is_followed_by_another_term() -> None:
    """It has the znode, and is not heard of; whoever comes next is."""
    terms = Terms(2, [3, 3])

    def heard_from(controller: int) -> bool:
        if controller == 3 and len(terms.ended) == 1:
            terms.write("/controller", {"brokerid": 1})
            return False
        return True

    office_of(terms, heard_from).move(3)

    assert terms.ended == [2, 1]


def frozen(seen: list[int]) -> Callable[[int], Any]:
    """Notes of whom all others are frozen, and that they go on."""

    @contextmanager
    def others(broker: int) -> Iterator[None]:
        seen.append(broker)
        yield
        seen.append(-broker)

    return others


def test_after_some_chances_nobody_else_can_take_the_office() -> None:
    """Who hears last of a vacancy wins none of them."""
    terms, alone = Terms(1, [2] * CHANCES + [3]), list[int]()

    Office(cast("Znodes", terms), always, frozen(alone)).move(3)

    assert (len(terms.ended), alone) == (CHANCES + 1, [3, -3])


def test_while_others_are_frozen_who_missed_the_vacancy_is_told_of_another_and_waited_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It takes a moment to take the office; if the others went on meanwhile, one of them would."""
    monkeypatch.setattr(offices, "VACANT_S", 0.3)
    monkeypatch.setattr(offices, "CHANCES", 0)
    alone, looks = list[int](), iter(range(2))

    class Slow(Terms):
        def read(self, node: str) -> Any:
            late = len(self.ended) == 2 and next(looks, None) is None
            if late and self._now is None:
                self._now = 3 if alone == [3] else 2
            return super().read(node)

    terms = Slow(1, [None, None])

    Office(cast("Znodes", terms), always, frozen(alone)).move(3)

    assert (terms.ended, alone) == ([1, NOBODY], [3, -3])


def test_another_controller_is_any_other() -> None:
    terms = Terms(1, [1, 1, 2])

    assert office_of(terms).fail_over() == 2
    assert terms.ended == [1, 1, 1]


def test_who_names_anybody_has_heard_when_it_names_the_controller_again_and_again() -> None:
    """Brokers that go by KRaft's controllers name any broker, and so the right one, too."""
    named = [True, False, True, True, False, *[True] * LOOKS]
    looks = iter(named)

    office_of(Terms(1, []), lambda _controller: next(looks)).await_heard()

    assert next(looks, None) is None
