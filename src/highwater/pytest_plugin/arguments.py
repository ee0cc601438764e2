"""What a test of a session was given: its Kafka and trial, and what its author lets vary."""

from __future__ import annotations

import pytest

PARAMETER = "_kafka_and_trial"  # of a test that is played once per Kafka and trial
MOST = 1 << 62  # of a number: what the suite's page takes, which is heavy to import here
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
    if called is None:
        return {}
    return {
        name: _told(value, f"{name}{called.indices.get(name, '')}")
        for name, value in called.params.items()
        if name != PARAMETER
    }


def _told(value: object, otherwise: str) -> Argument:
    """`otherwise` is what pytest calls a value of which it can say nothing."""
    if isinstance(value, int | float) and -MOST <= value <= MOST:
        return value
    try:
        told = str(getattr(value, "__name__", value))
    except Exception:  # noqa: BLE001 - of the author's class; the test can be played all the same
        return otherwise
    # An address is another one in each process, and every lambda has the same name.
    return otherwise if told == object.__repr__(value) or told == "<lambda>" else told[:LONGEST]
