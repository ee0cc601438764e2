"""What a callback of confluent-kafka raises, kept as it was raised."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


def whole(callback: Callable[P, T]) -> Callable[P, T]:
    """The same callback; what it raises reaches whoever called the library.

    Before Python 3.12 confluent-kafka keeps of an exception its value alone. Of one that was raised
    in C that is a text as long as nobody has caught it, and SystemError is raised in its place.
    """

    @wraps(callback)
    def caught(*args: P.args, **named: P.kwargs) -> T:
        try:
            return callback(*args, **named)
        except BaseException:  # noqa: TRY203 - caught once, it is the exception itself
            raise

    return caught
