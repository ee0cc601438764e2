"""What an adapter of any language says, line by line: version 1 of the protocol in
docs/adapters.md, whose JSON Schema is docs/schemas/adapter.schema.json.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from highwater.harness.errors import InfrastructureError

PROTOCOL = 1
PRODUCER = "producer"
MONOTONIC, OWN = "monotonic", "own"  # clocks
SHOWN = 200  # characters of a line that is quoted
_HALF = b"\\ud"  # of a character, as JSON escapes it; of nearly all lines there is none

Event = Mapping[str, Any]


class BreachError(InfrastructureError):
    """An adapter has said what the protocol does not let it say, or not said what it must."""

    def __init__(self, expected: str, seen: str) -> None:
        super().__init__(f"it breaks the protocol: expected {expected}, saw {seen}")


class Form(NamedTuple):
    words: str
    fits: Callable[[Any], bool]


def _is_whole(told: object) -> bool:
    return type(told) is int and 0 <= told < 1 << 63  # Kafka's offsets have 63 bits


def _are_names(told: object) -> bool:
    return isinstance(told, list) and all(isinstance(each, str) for each in told)


def _are_able(told: object) -> bool:
    if not isinstance(told, dict):
        return False
    return all(_are_names(told.get(name)) for name in ("roles", "settings", "compression"))


def _are_outcomes(told: object) -> bool:
    """Nearly all of what is heard: id, offset or null, time."""
    if not isinstance(told, list):
        return False
    for each in told:
        if type(each) is not list or len(each) != 3:
            return False
        number, offset, at_ns = each
        if type(number) is not int or type(at_ns) is not int:
            return False
        if offset is not None and not _is_whole(offset):
            return False
    return True


def _are_ends(told: object) -> bool:
    return isinstance(told, list) and all(
        type(each) is list and len(each) == 2 and all(type(part) is int for part in each)
        for each in told
    )


TEXT = Form("a text", lambda told: isinstance(told, str))
NAME = Form("a name", lambda told: isinstance(told, str) and told != "")
YES_OR_NO = Form("true or false", lambda told: type(told) is bool)
TIME = Form("a whole number of nanoseconds", lambda told: type(told) is int)
CODE = Form("a number or null", lambda told: told is None or type(told) is int)
CLOCK = Form(f"{MONOTONIC!r} or {OWN!r}", lambda told: told in (MONOTONIC, OWN))
VERSION = Form(f"{PROTOCOL}", lambda told: type(told) is int and told == PROTOCOL)
ABLE = Form("an object with lists of names: roles, settings and compression", _are_able)
OUTCOMES = Form("a list of [id, offset or null, at_ns]", _are_outcomes)
ENDS = Form("a list of [id, at_ns]", _are_ends)

EVENTS: Mapping[str, Mapping[str, Form]] = {
    "hello": {
        "protocol": VERSION,
        "library": NAME,
        "version": NAME,
        "clock": CLOCK,
        "at_ns": TIME,
        "capabilities": ABLE,
    },
    "ready": {},
    "ok": {"records": OUTCOMES},
    "error": {
        "error": NAME,
        "text": TEXT,
        "code": CODE,
        "retriable": YES_OR_NO,
        "refused": YES_OR_NO,
        "records": ENDS,
    },
    "flushed": {"at_ns": TIME},
    "complaint": {"text": TEXT},
    "fatal": {"text": TEXT},
    "ended": {},
}


def read(line: bytes) -> Event:
    """One line; raises BreachError for what is none. Further fields are let be."""
    try:
        event = json.loads(line)
    except (ValueError, RecursionError):
        raise BreachError("a line of JSON", shown(line)) from None
    if _HALF in line.lower():
        event = _whole_texts(event)
    if not isinstance(event, dict) or not isinstance(event.get("event"), str):
        raise BreachError("an object with an 'event'", shown(line))
    if event["event"] not in EVENTS:
        raise BreachError(f"an event of {', '.join(EVENTS)}", shown(line))
    for name, form in EVENTS[event["event"]].items():
        if name not in event:
            raise BreachError(f"{event['event']} with {name}: {form.words}", shown(line))
        if not form.fits(event[name]):
            seen = f"{event[name]!r:.120} in {shown(line)}"
            raise BreachError(f"{name} of {event['event']} to be {form.words}", seen)
    return event


def _whole_texts(told: Any) -> Any:
    """A text may be cut within a character, as JavaScript cuts it: half of one cannot be kept."""
    if isinstance(told, str):
        return told.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(told, list):
        return [_whole_texts(each) for each in told]
    if isinstance(told, dict):
        return {_whole_texts(name): _whole_texts(each) for name, each in told.items()}
    return told


def shown(line: bytes) -> str:
    """As a message quotes it."""
    text = line.decode("utf-8", "replace").rstrip("\n")
    return f"the line {text[:SHOWN]!r}{'...' if len(text) > SHOWN else ''}"
