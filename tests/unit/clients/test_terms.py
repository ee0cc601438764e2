"""What an application can be held to, and how a record says which input it is."""

from __future__ import annotations

from typing import Any

import pytest

from highwater.harness.clients.terms import Terms, identifier, text_of
from highwater.harness.errors import UsageError
from highwater.harness.workloads.contracted import Content
from highwater.harness.workloads.payload import encoder

RECORD = Content(b"k-1", b'{"order": {"id": 17, "paid": null}, "by": "eve"}', {"trace": b"t-9"})


@pytest.mark.parametrize(
    ("told", "identity"),
    [
        ("key", "k-1"),
        ("header:trace", "t-9"),
        ("header:other", None),
        ("json:by", "eve"),
        ("json:order.id", "17"),
        ("json:order", None),
        ("json:order.paid", None),
        ("json:order.id.more", None),
        (lambda record: record.key[2:], "1"),
        (lambda _record: None, None),
        (lambda _record: 5, "5"),
    ],
)
def test_a_record_says_what_it_is(told: Any, identity: str | None) -> None:
    assert identifier(told)(RECORD) == identity


DEEP = b'{"by": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"


@pytest.mark.parametrize(
    "content",
    [b"no JSON", b"[1]", b"\xff", b"", None, DEEP, b'{"by": %b}' % (b"9" * 5000)],
    ids=range(7),
)
def test_what_is_no_object_has_no_field(content: bytes | None) -> None:
    assert identifier("json:by")(Content(None, content, {})) is None


def test_what_a_load_has_sent_is_known_by_its_value_wherever_it_stands() -> None:
    payload, _ = encoder(64)(101)

    assert identifier("value")(Content(None, payload, {})) == "value 101"
    assert text_of(payload.decode()) == "value 101"
    assert text_of(payload[:-1]) == payload[:-1].decode()


def test_any_bytes_are_an_identity_and_long_ones_are_told_by_their_hash() -> None:
    assert text_of(b"\xff\x00a") == "\\xff\x00a"
    one, other = (text_of("a" * 300 + end) for end in "xy")
    assert one != other
    assert len(str(one)) < 120


@pytest.mark.parametrize("told", ["", "offset", "json:", "header:", "key:a", 3, None, ["key"]])
def test_what_is_no_identity_is_refused(told: Any) -> None:
    with pytest.raises(UsageError, match="expected an identity of 'value', 'key'"):
        Terms(group="g", identity=told).require(handed_over=False)


@pytest.mark.parametrize("wrong", [1.5, ["a"], object()])
def test_what_a_function_may_not_return_is_refused(wrong: object) -> None:
    with pytest.raises(UsageError, match="expected a text, a number or bytes"):
        identifier(lambda _record: wrong)(RECORD)


@pytest.mark.parametrize(
    ("terms", "handed_over", "words"),
    [
        ({"each": "once"}, False, "expected each to be 'exactly', 'at least' or 'at most'"),
        ({"group": ""}, False, "expected group to be its group.id, saw none"),
        ({"each": "at least", "group": ""}, False, "who asks for at least one output"),
        ({"group": 3}, False, "expected a group.id as a text"),
        ({"keeps": ("value",)}, False, "expected keeps of 'key' and 'order'"),
        ({"keeps": "key"}, False, "expected keeps of 'key' and 'order'"),
        ({"keeps": ("key", "key")}, False, "expected keeps of 'key' and 'order'"),
        ({"keeps": ("key",)}, True, "what is handed over has no keys"),
    ],
)
def test_what_cannot_be_asked_is_refused(
    terms: dict[str, Any], handed_over: bool, words: str
) -> None:
    with pytest.raises(UsageError, match=words):
        Terms(**{"group": "billing", **terms}).require(handed_over=handed_over)


def test_at_most_one_output_needs_no_group() -> None:
    Terms(each="at most").require(handed_over=True)
