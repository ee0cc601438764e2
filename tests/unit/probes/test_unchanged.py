"""What is asked again and again is read again only where the answer is another one."""

from __future__ import annotations

import pytest

from highwater.harness.gate.primitives import Reader
from highwater.harness.probes.unchanged import KEPT, Derived, Unchanged

ASKED = (2, 1, b"which?")


def _answer(number: int) -> Reader:
    reader = Reader(b"head" + number.to_bytes(4, "big"), 0, flexible=False)
    reader.take(4)
    return reader


def _decode(reader: Reader) -> list[int]:
    return [reader.int32()]


def test_the_same_answer_is_the_same_object() -> None:
    answers: Unchanged[list[int]] = Unchanged()
    first = answers.read(ASKED, _answer(7), _decode)
    assert first == [7]
    assert answers.read(ASKED, _answer(7), _decode) is first


def test_another_answer_is_read_and_so_is_the_old_one_when_it_comes_back() -> None:
    answers: Unchanged[list[int]] = Unchanged()
    assert [answers.read(ASKED, _answer(each), _decode) for each in (7, 8, 7)] == [[7], [8], [7]]


def test_the_answer_to_another_question_is_another_one() -> None:
    answers: Unchanged[str] = Unchanged()
    assert answers.read((2, 1, b"a"), _answer(7), lambda _: "to a") == "to a"
    assert answers.read((2, 1, b"b"), _answer(7), lambda _: "to b") == "to b"


def test_so_many_questions_are_remembered_and_no_more() -> None:
    answers: Unchanged[list[int]] = Unchanged()
    first = answers.read((2, 1, b"0"), _answer(0), _decode)
    for each in range(1, KEPT):
        answers.read((2, 1, str(each).encode()), _answer(each), _decode)
    assert answers.read((2, 1, b"0"), _answer(0), _decode) is first
    answers.read((2, 1, b"one more"), _answer(9), _decode)
    answers.read((2, 1, b"and more"), _answer(9), _decode)
    assert answers.read((2, 1, b"0"), _answer(0), _decode) is first
    assert len(answers._read) == KEPT


def test_what_was_made_of_the_same_things_is_the_same_object() -> None:
    made = Derived(lambda numbers, word: [numbers, word])
    numbers = list(range(9))
    first = made(tuple(numbers), "a")
    assert made(tuple(numbers), "a") is first
    assert made(tuple(numbers), "b") == [tuple(numbers), "b"]
    assert made(tuple(numbers), "a") is first  # though another thing was asked for in between


def test_of_what_was_made_the_newest_is_remembered_and_no_more() -> None:
    made = Derived(lambda thing: [thing], kept=2)
    first, second = made(1), made(2)
    assert made(1) is first
    assert made(3) == [3]
    assert made(1) is first
    assert made(2) is not second
    assert len(made._made) == 2


def test_what_could_not_be_made_is_tried_again() -> None:
    found: dict[str, int] = {}
    made = Derived(lambda name: found[name])
    with pytest.raises(KeyError):
        made("a")
    found["a"] = 7
    assert made("a") == 7
