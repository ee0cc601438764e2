"""What a test of a session was given: its Kafka and trial, and what its author lets vary."""

from __future__ import annotations

from math import isfinite

import pytest

PARAMETER = "_kafka_and_trial"  # of a test that is played once per Kafka and trial
LONGEST = 80  # characters of an argument that is no number

Argument = int | float | bool | str


def kafka_and_trial(item: pytest.Item) -> tuple[str | None, int | None]:
    """None where a test is for none."""
    called = getattr(item, "callspec", None)
    named: tuple[str | None, int | None] = (None, None)
    return called.params.get(PARAMETER, named) if called else named


def arguments_of(item: pytest.Item) -> dict[str, Argument]:
    """Those of `pytest.mark.parametrize`, by name; what is no number is told in words."""
    called = getattr(item, "callspec", None)
    given = called.params if called else {}
    return {name: _told(value) for name, value in given.items() if name != PARAMETER}


def _told(value: object) -> Argument:
    if isinstance(value, bool | int) or (isinstance(value, float) and isfinite(value)):
        return value
    return str(getattr(value, "__name__", value))[:LONGEST]
