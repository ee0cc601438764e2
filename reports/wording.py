"""How values are written on the page: times, number ranges, nested values, ids, commands."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

LONGEST_TEXT = 400
# What a browser shows as nothing, or what turns the rest of a line around: control characters but
# for tabs and ends of lines, marks of direction, and bytes that were no text.
UNSEEN = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e"
    r"\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff]"
)

# By their keys in Kafka's protocol; another one is shown by its key.
APIS = {
    0: "PRODUCE", 1: "FETCH", 2: "LIST_OFFSETS", 3: "METADATA", 4: "LEADER_AND_ISR",
    5: "STOP_REPLICA", 6: "UPDATE_METADATA", 10: "FIND_COORDINATOR", 22: "INIT_PRODUCER_ID",
    23: "OFFSET_FOR_LEADER_EPOCH", 27: "WRITE_TXN_MARKERS", 52: "VOTE", 56: "ALTER_PARTITION",
}  # fmt: skip


def api_name(api: object) -> str:
    """Of a key its name; what is no key of these is said as it stands."""
    return APIS.get(api, f"api {api}") if type(api) is int else str(api)


def seconds(at_ns: int) -> str:
    return f"{at_ns / 1e9:.3f}"


def counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def ranges(numbers: Iterable[int], most: int = 8) -> str:
    """Whole numbers as a reader would say them: "1-4, 7"; `most` pieces, the rest counted."""
    pieces: list[list[int]] = []
    for number in sorted(set(numbers)):
        if pieces and number == pieces[-1][1] + 1:
            pieces[-1][1] = number
        else:
            pieces.append([number, number])
    said = [
        f"{low}" if low == high else f"{low}–{high}"  # noqa: RUF001 - an en dash, as in print
        for low, high in pieces[:most]
    ]
    more = [f"and {len(pieces) - most} more ranges"] if len(pieces) > most else []
    return ", ".join(said + more)


def shortened(text: str, longest: int = LONGEST_TEXT) -> str:
    """At most `longest` characters; says how many were cut."""
    if len(text) <= longest:
        return text
    return f"{text[:longest]}… ({len(text) - longest:,} more characters)"


def compact(value: Any) -> str:
    """A value out of JSON on one line: "t-0 fetch_offset=1, isr=1 2 3"."""
    if value is None:
        return "—"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        return ", ".join(f"{key}={_nested(inner)}" for key, inner in value.items()) or "—"
    if isinstance(value, list | tuple):
        return " ".join(_nested(inner) for inner in value) or "none"
    return shortened(str(value))


def _nested(value: Any) -> str:
    said = compact(value)
    return f"({said})" if isinstance(value, Mapping) else said


def visible(text: str) -> str:
    """With an escape for each character that nobody would see, as Python writes it."""
    return UNSEEN.sub(lambda found: ascii(found[0])[1:-1], text)


def slug(text: str) -> str:
    """An HTML id: letters, digits, dots and dashes only."""
    return re.sub(r"[^A-Za-z0-9.]+", "-", text).strip("-.") or "x"
