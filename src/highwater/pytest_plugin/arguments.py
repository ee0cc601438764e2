"""What a test of a session was given: its Kafka and trial, and what its author lets vary."""

from __future__ import annotations

from enum import Enum
from types import FunctionType

import pytest

PARAMETER = "_kafka_and_trial"  # of a test that is played once per Kafka and trial
MOST = 1 << 62  # of a number: what the suite's page takes, which is heavy to import here
LOCAL = "<"  # in a qualified name: of a function within another one, or a lambda, there are many
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
    """`otherwise` is what pytest calls a value of which it can say nothing.

    What an object says of itself may be a secret, differ from process to process, or raise.
    """
    if isinstance(value, int | float):
        return value if -MOST <= value <= MOST else otherwise
    if isinstance(value, Enum):
        return (value._name_ or otherwise)[:LONGEST]  # flags of which none is set have no name
    if value is None or isinstance(value, str):
        said = str(value)
        # Two long texts may begin alike.
        return said if len(said) <= LONGEST else f"{said[:LONGEST]}… ({otherwise})"
    if isinstance(value, type | FunctionType) and LOCAL not in value.__qualname__:
        return value.__name__[:LONGEST]
    return otherwise
