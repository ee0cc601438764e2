"""Events of a timeline, in a file that may be long."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any


def events_with(timeline: Path, marks: Collection[bytes]) -> Iterator[Mapping[str, Any]]:
    """Those whose line has one of these in it: the others are not even read."""
    with timeline.open("rb") as lines:
        for line in lines:
            if any(mark in line for mark in marks):
                yield json.loads(line)
