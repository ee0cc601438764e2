"""Steps of a transaction as adapters in Python take them, with a library of a few lines."""

from __future__ import annotations

import json
from typing import Any

import pytest

from highwater.adapters.python.lines import MOST, joined
from highwater.adapters.python.telling import Record, Teller
from highwater.adapters.python.transactions import Steps

DEMANDED = ("Expired", 7, "abort", False)


class Producer:
    """Raises what it is told to, and keeps what it was asked."""

    def __init__(self, *errors: Exception | None) -> None:
        self.errors = list(errors)
        self.asked: list[str] = []

    def _call(self, name: str) -> None:
        self.asked.append(name)
        if self.errors and (error := self.errors.pop(0)) is not None:
            raise error

    def register(self) -> None:
        self._call("register")

    def begin(self) -> None:
        self._call("begin")

    def commit(self) -> None:
        self._call("commit")

    def abort(self) -> None:
        self._call("abort")

    def demanded(self, error: Exception) -> tuple[str, int | None, str, bool]:
        return DEMANDED if isinstance(error, ValueError) else ("Timeout", None, "retry", True)


class Talking:
    """An adapter with this producer, and what it said."""

    def __init__(self, producer: Producer) -> None:
        self.said: list[tuple[str, dict[str, Any]]] = []
        self.teller = Teller(self._say, lambda _record: None)
        self.steps = Steps(producer, self.teller, self._say)

    def _say(self, event: str, **fields: Any) -> None:
        self.said.append((event, fields))

    def take(self, step: str) -> dict[str, Any]:
        """What it answers, but for when."""
        self.steps.take(step)
        event, fields = self.said[-1]
        assert (event, fields.pop("step")) == ("transaction", step)
        assert fields.pop("at_ns") > 0
        return fields


def answer(error: str | None, text: str, *more: object) -> dict[str, Any]:
    code, demands, unconfirmed = more or (None, None, False)
    told = {"error": error, "text": text, "code": code, "demands": demands}
    return {**told, "unconfirmed": unconfirmed}


def test_what_a_library_raises_is_the_answer() -> None:
    talking = Talking(Producer(None, ValueError("too old"), None))

    assert talking.take("begin") == answer(None, "")
    assert talking.take("commit") == answer("Expired", "too old", 7, "abort", False)
    assert talking.take("abort") == answer(None, "")


def test_what_a_call_to_send_refused_is_not_committed_without() -> None:
    producer = Producer()
    talking = Talking(producer)
    talking.teller.sending([Record(1, "orders", 0, None, b"x")])
    talking.teller.refused(1, KeyError("too large"))

    refused = talking.take("commit")
    assert refused == answer("KeyError", "'too large'", None, "abort", False)
    assert talking.take("abort") == answer(None, "")
    assert talking.take("commit") == answer(None, "")
    assert producer.asked == ["abort", "commit"]


def test_registering_is_tried_again_where_the_library_says_so() -> None:
    producer = Producer(TimeoutError("slow"), None)
    talking = Talking(producer)

    talking.steps.register()

    assert producer.asked == ["register", "register"]
    assert [event for event, _ in talking.said] == ["complaint"]
    with pytest.raises(ValueError, match="never"):
        Talking(Producer(ValueError("never"))).steps.register()


def test_outcomes_that_wait_side_by_side_share_lines_and_nothing_passes_them() -> None:
    many = [(number, None if number == 2 else number, 5) for number in range(MOST + 2)]

    said = [json.loads(line) for line in joined([*many, '{"event": "flushed"}', (7, 8, 9)])]

    assert [len(line.get("records", ())) for line in said] == [MOST, 2, 0, 1]
    assert said[0]["records"][:3] == [[0, 0, 5], [1, 1, 5], [2, None, 5]]
    assert said[2:] == [{"event": "flushed"}, {"event": "ok", "records": [[7, 8, 9]]}]
