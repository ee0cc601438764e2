"""What a value out of JSON has to be, for a page that is drawn from it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

MOST = 1 << 62
Form = Callable[[Any], bool]


def is_text(told: object) -> bool:
    return isinstance(told, str) and told.isprintable()


def is_count(told: object) -> bool:
    return type(told) is int and 0 <= told <= MOST


def is_number(told: object) -> bool:
    return type(told) in (int, float) and 0 <= told <= MOST  # type: ignore[operator]


def or_nothing(form: Form) -> Form:
    return lambda told: told is None or form(told)


def several(form: Form) -> Form:
    return lambda told: isinstance(told, list | tuple) and all(map(form, told))


def by_name(form: Form) -> Form:
    return lambda told: isinstance(told, Mapping) and all(map(form, told.values()))
