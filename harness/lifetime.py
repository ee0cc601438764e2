"""What every thing with a lifetime has in common."""

from __future__ import annotations

from types import TracebackType
from typing import Self

from highwater.harness.endings import Endings


class Lifetime:
    """A context manager that ends whatever it began, when it fails on the way in as well.

    What goes wrong at the end hides nothing that went wrong before: see `harness.endings`.
    """

    def __init__(self) -> None:
        self._ending = Endings()

    def _begin(self) -> None:
        """Begin, and put whatever has to be ended into `_ending`; it is, in reverse."""

    def __enter__(self) -> Self:
        try:
            self._begin()
        except BaseException as error:
            self._ending.close(error)
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._ending.close(error)
