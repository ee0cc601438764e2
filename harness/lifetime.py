"""What every thing with a lifetime has in common."""

from __future__ import annotations

from contextlib import ExitStack
from types import TracebackType
from typing import Self


class Lifetime:
    """A context manager that ends whatever it began, when it fails on the way in as well."""

    def __init__(self) -> None:
        self._ending = ExitStack()

    def _begin(self) -> None:
        """Begin, and put whatever has to be ended into `_ending`; it is, in reverse."""

    def __enter__(self) -> Self:
        try:
            self._begin()
        except BaseException:
            self._ending.close()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._ending.close()
