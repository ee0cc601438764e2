"""Answers of brokers that were replaced after the broker had done what it was asked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from highwater.harness.gate.messages.answerable import NAMED
from highwater.harness.gate.messages.errors import NAMES

MARKS = (b'"answered"',)  # what the lines of events have in them that say so
ANOTHER_LEADER = "ANOTHER_LEADER"  # instead of an error, that of an answer to Metadata
INSTEAD = {**NAMES, 0: ANOTHER_LEADER}
APIS = {key: name for name, key in NAMED.items()}


def rewritten_answers(events: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """How many there are on a timeline, by api and error: {"Produce REQUEST_TIMED_OUT": 3}.

    An answer that has no error was made to name another leader.
    """
    told = (
        f"{_name(APIS, event.get('api'))} {_name(INSTEAD, event.get('error'))}"
        for event in events
        if event.get("event") == "answered" and event.get("stage") == "response"
    )
    return dict(Counter(told))


def _name(names: Mapping[int, str], number: object) -> str:
    return names.get(number, str(number)) if isinstance(number, int) else "?"
