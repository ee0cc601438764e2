"""Records that look as a user's service reads them are known by one text in them, everywhere."""

from __future__ import annotations

import json
import zlib
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from kafka.record import MemoryRecordsBuilder

from highwater.harness.errors import UsageError
from highwater.harness.model import TopicPartition
from highwater.harness.probes.batch_format import headers_in
from highwater.harness.probes.segments import Entry
from highwater.harness.record.history import History
from highwater.harness.replica_logs import Logs
from highwater.harness.workloads.handed import sorted_out
from highwater.harness.workloads.keys import hash_of
from highwater.harness.workloads.pattern import Marking, Markings, Pattern, examined
from highwater.harness.workloads.payload import encoder
from highwater.harness.workloads.shapes import Shape, Shapes

WHERE = TopicPartition("orders")
MARK = encoder(0)
ORDER = Pattern("json:order.id", {"order": {"by": "Ågot"}, "amount": 17})
BY_KEY = Pattern("key", "an order")
BY_HEADER = Pattern("header:order-id", {"amount": 17})
PATTERNS = [ORDER, BY_KEY, BY_HEADER, Pattern("json:id")]


def shape_of(pattern: Pattern, size_bytes: int = 64, keys: int = 0) -> Shape:
    return Shapes(size_bytes, (keys, "sequence"), {"orders": pattern.described()}).of("orders")


def made(pattern: Pattern, values: range, **how: int) -> tuple[list[dict[str, Any]], list[int]]:
    """Records as a client library is handed them, and the checksums that are told of them."""
    shape = shape_of(pattern, **how)
    encoded = shape.encoder.all(values)
    messages = shape.keys.apart(values, encoded.contents, WHERE)[0]
    return messages, encoded.checksums.tolist()


def message(record: dict[str, Any], offset: int = 0) -> Any:
    """As a client library hands it over."""
    told = {"topic": "orders", "partition": 0, "offset": offset, "error": None, "headers": None}
    told |= {"key": None, **record}
    return SimpleNamespace(**{name: (lambda each=each: each) for name, each in told.items()})


@pytest.mark.parametrize("values", [range(7, 8), range(995, 1_030)])
@pytest.mark.parametrize("pattern", PATTERNS, ids=lambda each: str(each.identity))
def test_what_a_producer_makes_is_known_by_whoever_is_handed_it(
    pattern: Pattern, values: range
) -> None:
    records, checksums = made(pattern, values)
    markings = Markings({"orders": json.loads(json.dumps(pattern.described()))})

    handed = sorted_out([message(each, at) for at, each in enumerate(records)], markings)

    seen = handed.records["orders", 0].examined()
    assert seen.values.tolist() == list(values)
    assert not seen.foreign.any()
    assert seen.checksums.tolist() == checksums
    assert checksums == [zlib.crc32(each["value"]) for each in records]


@pytest.mark.parametrize("pattern", PATTERNS, ids=lambda each: str(each.identity))
def test_who_has_sent_it_knows_which_one_has_ended(pattern: Pattern) -> None:
    records, _ = made(pattern, range(5, 9))
    shape = shape_of(pattern)

    assert shape.values_of([message(each) for each in records]).tolist() == [5, 6, 7, 8]
    assert [shape.value_in(message(each)) for each in records] == [5, 6, 7, 8]
    assert [shape.value_handed(each) for each in records] == [5, 6, 7, 8]


@pytest.mark.parametrize("count", [3, 40])
@pytest.mark.parametrize("pattern", PATTERNS, ids=lambda each: str(each.identity))
def test_a_replicas_segment_is_read_by_the_same_pattern(pattern: Pattern, count: int) -> None:
    values = range(100, 100 + count)
    records, checksums = made(pattern, values)
    builder = MemoryRecordsBuilder(2, 0, 1 << 20, 0, False, -1, -1, -1)
    for record in records:
        builder.append(
            1_500_000_000_000, record.get("key"), record["value"], record.get("headers", [])
        )
    builder.close()
    data = bytes(builder.buffer())
    logs = Logs({"orders": pattern.described()})

    logs.add(1, WHERE, Entry(Path("/00.log"), 0, len(data), data))
    logs.add(2, WHERE, Entry(Path("/00.log"), 0, len(data), data))
    logs.add(1, TopicPartition("bills"), Entry(Path("/00.log"), 0, len(data), data))

    rows = logs.take().to_pylist()
    assert [row["value"] for row in rows] == [*values, *values, *[None] * count]
    assert [row["checksum"] for row in rows] == checksums * 3
    assert len({row["digest"] for row in rows[:count]}) == (count if pattern != BY_HEADER else 1)
    told = [hash_of(record.get("key")) for record in records]
    assert [row["key"] for row in rows[:count]] == told


def test_a_record_that_was_written_by_somebody_else_has_the_same_identity() -> None:
    (record,), _ = made(ORDER, range(7, 8))
    other = json.dumps({"amount": 3, **json.loads(record["value"])}, indent=1).encode()
    marking = Marking(ORDER)

    assert marking.mark(None, other, {}) == marking.mark(None, record["value"], {}) != b""


@pytest.mark.parametrize(
    "value", [b"", b"{", b"[]", b'{"order": 7}', b'{"order": {"id": 7}}', b'{"order": {}}', b"\xff"]
)
def test_what_has_no_identity_is_none_of_ours(value: bytes) -> None:
    mark = Marking(ORDER).mark(b"key", value, {"order": MARK(7)[0]})

    seen = examined([mark], [value])

    assert seen.foreign.tolist() == [True]
    assert seen.checksums.tolist() == [zlib.crc32(value)]


def test_a_record_is_as_long_as_its_settings_say_where_it_is_an_object() -> None:
    records, _ = made(ORDER, range(1, 40), size_bytes=300)

    assert {len(each["value"]) for each in records} == {300}
    told = json.loads(records[0]["value"])
    assert (told["amount"], told["order"]["by"]) == (17, "Ågot")


def test_a_record_that_is_known_by_a_header_has_the_key_of_its_turn() -> None:
    records, _ = made(BY_HEADER, range(4), keys=2)

    assert [each["key"] for each in records] == [b"key-0000000", b"key-0000001"] * 2
    assert records[1]["headers"] == [("order-id", MARK(1)[0])]


@pytest.mark.parametrize("start", [0, 5, 1_000])
def test_the_history_has_the_key_by_which_a_record_is_known(tmp_path: Path, start: int) -> None:
    shape, values = shape_of(BY_KEY), range(start, start + 7)
    history = History(tmp_path, 0)
    sends = history.sends("load", WHERE, "all", values)

    shape.keys.tell(sends, WHERE)
    sends.invoke(values, shape.encoder.all(values).checksums)

    told = sends.tell()
    assert told.keys.tolist() == [hash_of(MARK(value)[0]) for value in values]
    history.close()


def test_headers_are_read_as_far_as_they_can_be() -> None:
    assert headers_in(b"") == {}
    assert headers_in(b"\x00") == {}
    assert headers_in(b"\x04\x02a\x02b\x02a\x01") == {"a": b""}  # the last one, which is null
    assert headers_in(b"\x04\x02a\x02b") == {}


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        (Pattern("value"), "expected a Pattern with an identity of 'key'"),
        (Pattern("json:a..b"), "expected a Pattern with an identity of 'key'"),
        (Pattern("json:"), "expected a Pattern with an identity of 'key'"),
        (Pattern("key:a"), "expected a Pattern with an identity of 'key'"),
        (Pattern("header"), "expected a Pattern with an identity of 'key'"),
        (Pattern(7), "expected a Pattern with an identity of 'key'"),  # type: ignore[arg-type]
        (Pattern("header:a"), r"before Kafka 0\.11"),
        (Pattern("key", 7), "expected a sample that is an object or a text"),  # type: ignore[arg-type]
        (Pattern("json:a", "text"), "expected a sample that is an object, saw 'text'"),
        (Pattern("json:a.b", {"a": 7}), "expected an object around the field 'b', saw 7"),
        (Pattern("json:a", {"b": {7}}), "expected a sample that can be JSON"),
        (Pattern("json:a", {"b": "\ud800"}), "expected a sample that can be UTF-8"),
        (Pattern("key", "\ud800"), "expected a sample that can be UTF-8"),
        (Pattern("json:" + ".".join("a" * 3000)), "expected a sample that can be UTF-8"),
        (Pattern("json:\ud800"), "expected a name in UTF-8 and without zeros"),
        (Pattern("header:\ud800"), "expected a name in UTF-8 and without zeros"),
        (Pattern("header:a\0b"), "expected a name in UTF-8 and without zeros"),
        (Pattern("json:a", {"b": float("nan")}), "expected a sample that can be JSON"),
        (Pattern("key", "a" * 100_001), "expected a sample of up to 100,000 bytes"),
    ],
)
def test_what_no_record_can_look_like_is_refused(pattern: Pattern, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        pattern.require(has_headers=False)


def test_keys_that_are_identities_are_no_others() -> None:
    with pytest.raises(UsageError, match="expected keys=0, saw 3"):
        shape_of(BY_KEY, keys=3)


def test_a_topic_that_is_created_again_has_another_pattern() -> None:
    patterns: dict[str, Any] = {"orders": ORDER.described()}
    markings = Markings(patterns)
    assert markings.get("orders") is markings.get("orders") is not None

    patterns["orders"] = BY_KEY.described()

    again = markings.get("orders")
    assert again is not None
    assert again.pattern == BY_KEY
    patterns["orders"] = None  # or none
    assert markings.get("orders") is None


@pytest.mark.parametrize("value", [b'{"id": "\\ud800"}', b'{"id": "\xed\xa0\x80"}'])
def test_a_text_that_is_none_in_utf_8_is_no_identity_and_no_end_of_reading(value: bytes) -> None:
    mark = Marking(Pattern("json:id")).mark(None, value, {})

    assert examined([mark], [value]).foreign.tolist() == [True]


def test_a_record_without_a_value_has_no_identity_whoever_looks_at_it() -> None:
    assert Marking(BY_KEY).mark(MARK(5)[0], None, {}) == b""


def test_an_identity_that_is_written_with_escapes_is_read_as_json() -> None:
    escaped = MARK(7)[0].replace(b":", b"\\u003a", 1)
    marking = Marking(Pattern("json:id"))

    assert marking.mark(None, b'{"id": "' + escaped + b'"}', {}) == MARK(7)[0]


def test_a_sample_that_has_an_identity_of_ours_keeps_it() -> None:
    pattern = Pattern("json:id", {"example": MARK(0)[0].decode()})
    (record,), _ = made(pattern, range(7, 8), size_bytes=0)

    assert json.loads(record["value"]) == {
        "example": MARK(0)[0].decode(), "id": MARK(7)[0].decode()
    }  # fmt: skip
    assert Marking(pattern).mark(None, record["value"], {}) == MARK(7)[0]


def test_one_odd_header_hides_no_other() -> None:
    assert headers_in(b"\x04\x02\xff\x02x\x02a\x02b") == {"\\xff": b"x", "a": b"b"}


def test_a_pattern_that_is_told_again_is_the_same() -> None:
    patterns = {"orders": ORDER.described()}
    shapes = Shapes(64, (0, "sequence"), patterns)
    before = shapes.of("orders")

    patterns |= json.loads(json.dumps({"orders": ORDER.described()}))

    assert shapes.of("orders") is before


def test_what_becomes_of_a_sample_later_changes_nothing() -> None:
    sample: dict[str, Any] = {"amounts": [17]}
    told = Pattern("json:id", sample).described()

    sample["amounts"].append(18)

    assert told == {"identity": "json:id", "sample": {"amounts": [17]}}
