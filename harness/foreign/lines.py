"""What an adapter of any language says, line by line: version 1 of the protocol in
docs/adapters.md, whose JSON Schema is docs/schemas/adapter.schema.json.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from highwater.harness.errors import InfrastructureError
from highwater.harness.workloads.promises import COMPRESSIONS

PROTOCOL = 1
PRODUCER, MEMBER = "producer", "member"  # roles
# What one may be, by its capabilities.
TRANSACTIONAL, FLUSHING = "producer in transactions", "producer that flushes"
POLLING = "member with max.poll.interval.ms"
PIPELINING = "producer with several requests under way"
AUTOMATIC = "member whose library commits by itself"  # and that can be told to be busy
MONOTONIC, OWN = "monotonic", "own"  # clocks
BEGIN, COMMIT, ABORT = "begin", "commit", "abort"  # steps of a transaction
RETRY, CLOSE = "retry", "close"  # what a library demands, besides to abort
SHOWN = 200  # characters of a line that is quoted
_MAY_SAY = ("flush", "pipelines", "keeps_order", "tells_commits")  # true or false
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
    names = (told.get("roles"), told.get("settings"), told.get("compression"))
    if not _are_names(names[-1]) or any(each not in COMPRESSIONS for each in names[-1] or ()):
        return False
    more = (told.get(each, []) for each in ("member", "transactions", "security", "headers"))
    are_told = all(type(told.get(name, False)) is bool for name in _MAY_SAY)
    return are_told and all(map(_are_names, (*names, *more)))


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


def _is_partition(told: object) -> bool:
    return type(told) is int and 0 <= told < 1 << 31  # Kafka's have 31 bits


def _is_place(told: object) -> bool:
    return isinstance(told, list) and isinstance(told[0], str) and _is_partition(told[1])


def _are_places(told: object) -> bool:
    return isinstance(told, list) and all(
        isinstance(each, list) and len(each) == 2 and _is_place(each) for each in told
    )


def _are_positions(told: object) -> bool:
    return isinstance(told, list) and all(
        isinstance(each, list) and len(each) == 3 and _is_place(each) and _is_whole(each[2])
        for each in told
    )


def _are_spans(told: object) -> bool:
    return isinstance(told, list) and all(
        isinstance(each, list) and len(each) == 4 and _is_place(each) and _is_span(each[2], each[3])
        for each in told
    )


def _is_span(first: object, end: object) -> bool:
    return type(first) is int and _is_whole(end) and type(end) is int and 0 <= first < end


def _are_records(told: object) -> bool:
    """What a member is handed: offset, value, key and perhaps a header, each a text or null."""
    return isinstance(told, list) and all(
        type(each) is list
        and 3 <= len(each) <= 4
        and _is_whole(each[0])
        and all(part is None or isinstance(part, str) for part in each[1:])
        for each in told
    )


def _is_generation(told: object) -> bool:
    return told is None or (type(told) is int and -1 << 31 <= told < 1 << 31)  # Kafka's have 32


TEXT = Form("a text", lambda told: isinstance(told, str))
NAME = Form("a name", lambda told: isinstance(told, str) and told != "")
YES_OR_NO = Form("true or false", lambda told: type(told) is bool)
TIME = Form("a whole number of nanoseconds", lambda told: type(told) is int)
PARTITION = Form("a whole number from 0 on, below 2^31", _is_partition)
CODE = Form("a number or null", lambda told: told is None or type(told) is int)
GENERATION = Form("a number of 32 bits or null", _is_generation)
CLOCK = Form(f"{MONOTONIC!r} or {OWN!r}", lambda told: told in (MONOTONIC, OWN))
VERSION = Form(f"{PROTOCOL}", lambda told: type(told) is int and told == PROTOCOL)
ABLE = Form(
    "an object with lists of names: roles, settings and compression, of which there are "
    f"{', '.join(COMPRESSIONS)}, and perhaps member, transactions, security and headers; and "
    "perhaps flush, pipelines, keeps_order and tells_commits, true or false",
    _are_able,
)
OUTCOMES = Form("a list of [id, offset or null, at_ns]", _are_outcomes)
ENDS = Form("a list of [id, at_ns]", _are_ends)
PLACES = Form("a list of [topic, partition]", _are_places)
POSITIONS = Form("a list of [topic, partition, position]", _are_positions)
SPANS = Form("a list of [topic, partition, first, end], first below end", _are_spans)
RECORDS = Form("a list of [offset, value, key] and perhaps a header, or nulls", _are_records)
ERROR = Form("a name or null", lambda told: told is None or (isinstance(told, str) and told != ""))
STEP = Form(f"{BEGIN!r}, {COMMIT!r} or {ABORT!r}", lambda told: told in (BEGIN, COMMIT, ABORT))
DEMAND = Form(
    f"{RETRY!r}, {ABORT!r}, {CLOSE!r} or null", lambda told: told in (RETRY, ABORT, CLOSE, None)
)
DEALT: Mapping[str, Form] = {"at_ns": TIME, "partitions": PLACES, "generation": GENERATION}

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
    "transaction": {
        "step": STEP,
        "at_ns": TIME,
        "error": ERROR,
        "text": TEXT,
        "code": CODE,
        "demands": DEMAND,
        "unconfirmed": YES_OR_NO,
    },
    "assigned": DEALT,
    "revoked": DEALT,
    "lost": DEALT,
    "polled": {"at_ns": TIME, "topic": NAME, "partition": PARTITION, "records": RECORDS},
    "reached": {"offsets": POSITIONS},
    "processed": {"at_ns": TIME, "offsets": SPANS},
    "commit": {"at_ns": TIME, "offsets": POSITIONS},
    "committed": {"at_ns": TIME, "offsets": POSITIONS, "error": ERROR, "code": CODE},
    "complaint": {"text": TEXT},
    "fatal": {"text": TEXT},
    "ended": {},
}


def read(line: bytes) -> Event:
    """One line; raises BreachError for what is none. Further fields are let be."""
    try:
        event = json.loads(line.decode("utf-8-sig"))  # of bytes it would let half characters pass
        if _HALF in line.lower():
            event = _whole_texts(event)
    except (ValueError, RecursionError):
        raise BreachError("a line of JSON", shown(line)) from None
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
