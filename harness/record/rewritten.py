"""Answers of brokers that were replaced after the broker had done what it was asked."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from highwater.harness.gate.messages.answerable import NAMED
from highwater.harness.gate.messages.errors import NAMES

ANSWERED = b'"answered"'
APIS = {key: name for name, key in NAMED.items()}


def rewritten_answers(events: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """How many there are on a timeline, by api and error: {"Produce REQUEST_TIMED_OUT": 3}."""
    told = (
        f"{_name(APIS, event.get('api'))} {_name(NAMES, event.get('error'))}"
        for event in events
        if event.get("event") == "answered" and event.get("stage") == "response"
    )
    return dict(Counter(told))


def answered_in(timeline: Path) -> Iterator[Mapping[str, Any]]:
    """The events that may be about one, in a file that may be long."""
    with timeline.open("rb") as lines:
        for line in lines:
            if ANSWERED in line:
                yield json.loads(line)


def _name(names: Mapping[int, str], number: object) -> str:
    return names.get(number, str(number)) if isinstance(number, int) else "?"
