"""Ending things: all of them, and what went wrong first is what is told."""

from __future__ import annotations

import pytest

from highwater.harness import patience
from highwater.harness.endings import Endings, chain, end_all, gravest
from highwater.harness.errors import DeadlineError, Interrupted, PreconditionError, in_words
from highwater.harness.lifetime import Lifetime
from highwater.harness.wait import wait_until


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that nobody has told to end yet."""
    monkeypatch.setattr(patience, "_state", patience._State())
    monkeypatch.setattr(patience, "HURRY_S", 0.05)


def fail(error: BaseException) -> None:
    raise error


class Healing(Lifetime):
    """Something whose end fails."""

    def __init__(self, *errors: BaseException) -> None:
        super().__init__()
        self._errors = errors

    def _begin(self) -> None:
        for error in self._errors:
            self._ending.callback(fail, error)


def test_every_step_is_taken_and_the_first_error_is_raised_with_the_others_as_notes() -> None:
    taken: list[int] = []
    first, second = DeadlineError("the broker did not start"), OSError("no space")

    with pytest.raises(DeadlineError) as raised:
        end_all([lambda: fail(first), lambda: taken.append(1), lambda: fail(second)])

    assert raised.value is first
    assert taken == [1]
    assert in_words(first) == "the broker did not start; besides: OSError: no space"


@pytest.mark.parametrize("original", [Interrupted(), KeyboardInterrupt(), AssertionError("not so")])
def test_an_end_that_fails_hides_nothing_that_went_wrong_before(original: BaseException) -> None:
    with pytest.raises(type(original)) as raised, Healing(DeadlineError("it did not heal")):
        raise original

    assert raised.value is original
    assert raised.value.__notes__ == ["besides: it did not heal"]


def test_an_interruption_of_the_end_is_graver_than_what_went_wrong_before() -> None:
    with pytest.raises(KeyboardInterrupt) as raised, Healing(KeyboardInterrupt()):
        raise PreconditionError("not so")

    assert raised.value.__notes__ == ["besides: not so"]


def test_what_fails_on_the_way_in_is_told_though_the_end_fails_as_well() -> None:
    class Half(Healing):
        def _begin(self) -> None:
            super()._begin()
            raise PreconditionError("there is no such broker")

    with pytest.raises(PreconditionError) as raised:
        Half(OSError("no space")).__enter__()

    assert raised.value.__notes__ == ["besides: OSError: no space"]


def test_an_error_that_a_finally_hides_is_found() -> None:
    original, healing = Interrupted(), DeadlineError("it did not heal")

    def hide() -> None:
        try:
            raise original
        finally:
            fail(healing)

    with pytest.raises(DeadlineError) as raised:
        hide()

    assert chain(raised.value) == [original, healing]
    assert gravest([raised.value]) is original


def test_an_error_that_stands_for_another_hides_nothing() -> None:
    def translate() -> None:
        try:
            fail(KeyError("x"))
        except KeyError as error:
            raise DeadlineError("no answer") from error

    with pytest.raises(DeadlineError) as raised:
        translate()

    assert chain(raised.value) == [raised.value]


def test_a_signal_is_raised_once_and_every_wait_ends_soon() -> None:
    with pytest.raises(Interrupted):
        patience.interrupt()
    patience.interrupt()

    assert patience.is_interrupted()
    assert patience.left_s(3600) <= patience.HURRY_S
    with pytest.raises(DeadlineError, match=r"waited .* for what never comes"):
        wait_until(lambda: False, "what never comes", 3600)


def test_a_signal_while_something_ends_is_raised_when_it_has_ended() -> None:
    ended: list[str] = []
    endings = Endings()
    endings.callback(ended.append, "first")
    endings.callback(patience.interrupt)

    with pytest.raises(Interrupted):
        endings.close()

    assert ended == ["first"]


def test_what_may_be_interrupted_within_an_end_is() -> None:
    with patience.shielded() as shield:
        patience.interrupt()
        with pytest.raises(Interrupted), patience.exposed():
            pytest.fail("it was begun")

    assert not shield.interrupted
