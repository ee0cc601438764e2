"""Lines that are said, by any thread, and written by one of their own."""

from __future__ import annotations

import json
import queue
import sys
from itertools import groupby
from typing import Any, Iterator, List  # noqa: UP035 - for Python 3.8

MOST = 1_000  # outcomes of a line
# Lines, and outcomes that share one, which wait to be written together; None is the end.
waiting: queue.SimpleQueue[str | tuple[int, int | None, int] | None] = queue.SimpleQueue()


def say(event: str, **fields: Any) -> None:
    waiting.put(json.dumps({"event": event, **fields}))


def write() -> None:
    """Everything that waits at once."""
    while (told := waiting.get()) is not None:
        some = [told]
        while not waiting.empty() and (told := waiting.get()) is not None:
            some.append(told)
        sys.stdout.write("\n".join(joined(some)) + "\n")
        sys.stdout.flush()
        if told is None:
            return


def joined(some: List[Any]) -> Iterator[str]:  # noqa: UP006
    """A line each, but for outcomes that follow one another."""
    for is_line, each in groupby(some, lambda told: isinstance(told, str)):
        if is_line:
            yield from each
            continue
        records = list(each)
        for at in range(0, len(records), MOST):
            yield json.dumps({"event": "ok", "records": records[at : at + MOST]})
