"""What a command has to say gets to its reader, or the command says that it did not.

Whoever reads exit codes must not take a closed pipe for a verdict: what is written to standard
output and cannot be, raises OutputError, which is no OSError for libraries to make something of.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Generator
from contextlib import contextmanager, suppress
from typing import Any, TextIO

from highwater.harness.errors import HighwaterError


class OutputError(HighwaterError):
    """Standard output is closed, or has no room."""


class Told:
    """Standard output; all but writing is the stream's own."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        with _in_words(self._stream):
            return self._stream.write(text)

    def flush(self) -> None:
        with _in_words(self._stream):
            self._stream.flush()


@contextmanager
def whole_output() -> Generator[None]:
    """Everything that is written to standard output in here is there in the end.

    Raises OutputError where it is not. A standard output that was closed before is left alone.
    """
    stream = sys.stdout
    if stream is None:
        yield
        return
    sys.stdout = Told(stream)
    try:
        try:
            yield
        finally:
            sys.stdout.flush()
    finally:
        sys.stdout = stream


@contextmanager
def _in_words(stream: TextIO) -> Generator[None]:
    try:
        yield
    except OSError as error:
        with suppress(OSError, ValueError):  # what is left goes nowhere, or Python's end complains
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, stream.fileno())
            os.close(nowhere)
        raise OutputError(
            f"expected to write to standard output, and could not: {error.strerror}; files were "
            "written as they always are"
        ) from error
