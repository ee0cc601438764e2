"""What the harness takes for a line of the protocol is what its schema says, and the page."""

from __future__ import annotations

import copy
import json
import re
from contextlib import suppress
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from highwater.harness.foreign.lines import EVENTS, BreachError, read

DOCS = Path(__file__).parents[3] / "docs"
SCHEMA = json.loads((DOCS / "schemas" / "adapter.schema.json").read_text())
ABLE = {"roles": ["producer"], "settings": ["acks"], "compression": []}
HELLO = {"protocol": 1, "library": "franz-go", "version": "1.19", "clock": "own", "at_ns": -5}
ERROR = {"error": "Timeout", "text": "", "code": None, "retriable": True, "refused": False}
STEP = {"at_ns": 5, "text": "", "code": None, "unconfirmed": False}
DEALT = {"at_ns": 5, "partitions": [["orders", 0], ["orders", 1]], "generation": 3}
RIGHT: list[dict[str, Any]] = [
    {"event": "hello", **HELLO, "capabilities": ABLE},
    {"event": "hello", **HELLO, "capabilities": {**ABLE, "member": ["isolation.level"]}},
    {"event": "ready", "more": 1},
    {"event": "ok", "records": [[7, 0, 5], [8, None, 6]]},
    {"event": "error", **ERROR, "records": [[7, 5]]},
    {"event": "error", **ERROR, "code": 19, "records": []},
    {"event": "hello", **HELLO, "capabilities": {**ABLE, "transactions": ["transactional.id"]}},
    {"event": "hello", **HELLO, "capabilities": {**ABLE, "security": ["SASL_SSL"]}},
    {"event": "flushed", "at_ns": 5},
    {"event": "transaction", **STEP, "step": "begin", "error": None, "demands": None},
    {"event": "transaction", **STEP, "step": "commit", "error": "Timeout", "demands": "retry"},
    {"event": "transaction", **STEP, "step": "abort", "code": 90, "error": "F", "demands": "close"},
    {"event": "assigned", **DEALT},
    {"event": "revoked", **DEALT, "generation": None},
    {"event": "lost", **DEALT, "partitions": []},
    {"event": "polled", "at_ns": 5, "topic": "orders", "partition": 0, "records": [[7, "a", None]]},
    {
        "event": "polled",
        "at_ns": 5,
        "topic": "orders",
        "partition": 0,
        "records": [[7, "a", "b", "c"]],
    },
    {
        "event": "polled",
        "at_ns": 5,
        "topic": "orders",
        "partition": 0,
        "records": [[7, "", "", None]],
    },
    {"event": "hello", **HELLO, "capabilities": {**ABLE, "headers": ["producer"]}},
    {"event": "reached", "offsets": [["orders", 0, 9]]},
    {"event": "processed", "at_ns": 5, "offsets": [["orders", 0, 7, 8]]},
    {"event": "commit", "at_ns": 5, "offsets": [["orders", 0, 8]]},
    {"event": "committed", "at_ns": 6, "offsets": [["orders", 0, 8]], "error": None, "code": None},
    {"event": "committed", "at_ns": 6, "offsets": [], "error": "Fenced", "code": 82},
    {"event": "complaint", "text": "slow"},
    {"event": "fatal", "text": "fenced"},
    {"event": "ended"},
]
STRANGE: list[Any] = [
    None,
    "",
    "strange",
    -1,
    1.5,
    True,
    [],
    [[1]],
    [[1, -1, 2]],
    [["a", 1]],
    {},
    1 << 31,
    [["a", 1 << 31]],
]


def is_read(line: Any) -> bool:
    try:
        read(json.dumps(line).encode())
    except BreachError:
        return False
    return True


def is_of_the_schema(line: Any) -> bool:
    return jsonschema.Draft202012Validator(SCHEMA).is_valid(line)


@pytest.mark.parametrize("line", RIGHT)
def test_what_is_right_is_read_and_is_of_the_schema(line: dict[str, Any]) -> None:
    assert read(json.dumps(line).encode()) == line
    assert is_of_the_schema(line)


def test_every_event_is_tried() -> None:
    assert {line["event"] for line in RIGHT} == set(EVENTS)


@pytest.mark.parametrize("line", RIGHT)
def test_the_harness_and_the_schema_say_the_same_of_what_is_strange(line: dict[str, Any]) -> None:
    for name in line:
        for value in STRANGE:
            other = {**copy.deepcopy(line), name: value}
            assert is_read(other) is is_of_the_schema(other), other
        less = {each: line[each] for each in line if each != name}
        assert is_read(less) is is_of_the_schema(less), less


def test_a_partition_for_which_kafka_has_no_number_is_refused() -> None:
    line = {"event": "assigned", **DEALT}
    assert is_read(line)
    assert not is_read({**line, "partitions": [["orders", 1 << 31]]})


def test_a_generation_that_no_table_has_room_for_is_refused() -> None:
    for number in (-1, (1 << 31) - 1):
        assert is_read({"event": "assigned", **DEALT, "generation": number})
    for number in (1 << 31, 1 << 70, (-1 << 31) - 1):
        line = {"event": "revoked", **DEALT, "generation": number}
        assert not is_read(line)
        assert not is_of_the_schema(line)


def test_a_compression_that_kafka_has_not_is_refused() -> None:
    for names, known in ((["gzip", "zstd", "lz4", "snappy"], True), (["gzip", "brotli"], False)):
        line = {"event": "hello", **HELLO, "capabilities": {**ABLE, "compression": names}}
        assert is_read(line) is is_of_the_schema(line) is known


@pytest.mark.parametrize(
    "line",
    [
        *(b"", b"{", b"7", b"[]", b"{}", b'{"event": 1}', b"\xff", b"[" * 9**5),
        b'{"event": "complaint", "text": "\xed\xa0\xbd"}',  # half a character, as no JSON has it
    ],
)
def test_what_is_no_line_is_told_with_what_was_seen(line: bytes) -> None:
    with pytest.raises(BreachError, match=r"it breaks the protocol: expected .*, saw the line"):
        read(line)


def test_what_is_nested_deeply_is_read_or_is_no_line() -> None:
    for depth in (10, 600, 950):
        nested = b"[" * depth + b"]" * depth
        with suppress(BreachError):
            assert read(b'{"event": "ready", "text": "\\ud83d", "more": %b}' % nested)


def test_a_mark_of_the_byte_order_is_let_be() -> None:
    assert read(b'\xef\xbb\xbf{"event": "ready"}') == {"event": "ready"}


def test_a_long_line_is_cut_where_it_is_quoted() -> None:
    with pytest.raises(BreachError) as raised:
        read(b"x" * 10_000)

    assert len(str(raised.value)) < 400


def test_the_page_has_every_event_and_its_lines_are_of_the_schema() -> None:
    page = (DOCS / "adapters.md").read_text().split("# Adapters in other languages")[1]
    shown = re.findall(r"^[<>] (\{.*\})$", page, re.MULTILINE)

    assert all(f"`{name}`" in page for name in EVENTS)
    assert len(shown) > 6
    for line in shown:
        assert is_of_the_schema(json.loads(line)), line
