"""What cannot be recorded passes as it is, is said, and is counted."""

from __future__ import annotations

import asyncio
import itertools
import struct
from collections.abc import Callable
from typing import Any

import pytest
from tests.unit.gate.asking import (
    SCHEMAS,
    Client,
    Told,
    batch,
    commit,
    committed,
    produce,
    produced,
)
from tests.unit.gate.test_damaged import ASKED, COMMITTING, SPOKEN

from highwater.harness.gate import traffic
from highwater.harness.gate import witness as witnessing
from highwater.harness.gate.client import GateProcess
from highwater.harness.gate.frames import TopicNames
from highwater.harness.gate.headers import (
    OFFSET_COMMIT,
    PRODUCE,
    encode_request,
    read_request_header,
)
from highwater.harness.gate.primitives import BoundedReader, DecodeError, Reader
from highwater.harness.gate.witness import Seen, Witness

NAMELESS = struct.pack(">ih", 1, 0)  # one topic, whose name has no character
PRODUCED = ASKED + NAMELESS + struct.pack(">iii", 1, 0, 61) + batch(-1, -1, -1, 1)
COMMITTED = struct.pack(">h", 1) + b"g" + COMMITTING + NAMELESS + struct.pack(">iiqh", 1, 0, 5, -1)


def warnings(gate: GateProcess) -> list[str]:
    return [each["text"] for each in gate.events() if each["event"] == "warning"]


@pytest.mark.parametrize(
    "asked", [(PRODUCE, 8, PRODUCED), (OFFSET_COMMIT, 2, COMMITTED)], ids=["produce", "commit"]
)
def test_a_topic_without_a_name_is_for_its_broker_to_judge(
    gate: GateProcess, told: Told, client: Client, asked: tuple[int, int, bytes]
) -> None:
    api, version, body = asked

    assert client(SPOKEN).ask(encode_request(api, version, 1, "me", body)) == SPOKEN

    gate.rows.give_up()
    ((_, row),) = told
    assert (row["topic"], row["partition"]) == ("", 0)


@pytest.mark.usefixtures("told")
def test_how_much_was_not_recorded_is_said_at_the_end(gate: GateProcess, client: Client) -> None:
    peer = client(produced(1))
    for _ in range(3):
        peer.ask(encode_request(PRODUCE, 9, 1, "me", b"\xff\xff"))
    peer.ask(produce(1, batch(90, 4, 0, 1)))
    gate.rows.see([])

    first, last = warnings(gate)
    assert first.startswith("a request of api 0 passes unseen: ")
    assert last == "not recorded of what clients asked, in all: a request of api 0: 3"


@pytest.mark.usefixtures("told")
def test_whose_request_was_not_read_is_known(gate: GateProcess, client: Client) -> None:
    peer = client(produced(1))
    peer.ask(encode_request(PRODUCE, 9, 1, "me", b"\xff\xff"))
    peer.ask(produce(2, batch(90, 4, 0, 1)))
    gate.rows.give_up()

    assert not gate.rows.are_whole(PRODUCE, "me")
    assert gate.rows.are_whole(PRODUCE, "another")
    assert gate.rows.are_whole(OFFSET_COMMIT, "me")


def test_of_rows_that_cannot_be_told_it_is_known_that_some_are_missing() -> None:
    told: list[Any] = []
    seen = Seen(of_no_rows(told.append), lambda _: None)
    seen.schemas = SCHEMAS
    witness, raw = Witness(seen, TopicNames(), 1), commit(1, {0: 100})
    witnessing_ends(seen, witness, raw)

    assert [OFFSET_COMMIT, None] in [each["unread"] for each in told]


def of_no_rows(tell: Callable[[Any], None]) -> Callable[[Any], None]:
    return lambda line: broken() if "rows" in line else tell(line)


def witnessing_ends(seen: Seen, witness: Witness, raw: bytes) -> None:
    async def pass_on() -> None:
        witness.asked(read_request_header(raw), raw)
        witness.close()
        seen.flush()

    asyncio.run(pass_on())


def test_what_is_said_is_bounded_and_what_is_counted_is_not() -> None:
    said: list[str] = []
    seen = Seen(lambda _: None, said.append)
    for number in range(1000):
        seen.miss("a request of api 0", f"reason {number}")
    seen.end()

    assert len(said) == 21
    assert said[-1].endswith("in all: a request of api 0: 1000")


def broken(*_: Any) -> Any:
    raise KeyError("TopicId")


@pytest.mark.parametrize("step", ["asked", "answered"])
def test_no_mistake_of_ours_is_heard_by_who_passes_the_gate(
    monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    monkeypatch.setattr(traffic, step, broken)
    said: list[str] = []
    seen = Seen(lambda _: None, said.append)
    seen.begin(SCHEMAS)
    witness = Witness(seen, TopicNames(), 1)
    raw = produce(1, batch(90, 4, 0, 1))

    request = witness.asked(read_request_header(raw), raw)
    if request is not None:
        witness.answered(request, produced(1))

    assert (request is None) == (step == "asked")
    assert len(said) == 1
    assert said[0].endswith(" passes unseen: KeyError: 'TopicId'")


@pytest.mark.usefixtures("told")
def test_what_names_very_many_partitions_passes_and_is_said(
    gate: GateProcess, client: Client
) -> None:
    peer = client(committed(1, {0: 0}))
    for count in (9_999, 10_000):
        assert peer.ask(commit(1, dict.fromkeys(range(count), 5))) == committed(1, {0: 0})
    gate.rows.see([])

    first, last = warnings(gate)
    assert first == "a request of api 8 passes unseen: it has more than 10000 elements"
    assert last.endswith("in all: a request of api 8: 1")


@pytest.mark.parametrize(("topics", "partitions"), [(1, 1_000_000), (100_000, 2)])
def test_how_much_of_a_request_is_read_is_bounded(
    monkeypatch: pytest.MonkeyPatch, topics: int, partitions: int
) -> None:
    each = struct.pack(">iqh", 0, 5, -1) * partitions
    topic = struct.pack(">h", 1) + b"t" + struct.pack(">i", partitions) + each
    body = struct.pack(">h", 1) + b"g" + COMMITTING + struct.pack(">i", topics) + topic * topics
    raw = encode_request(OFFSET_COMMIT, 2, 1, "me", body)
    header, count, numbers = read_request_header(raw), itertools.count(), Reader.numbers
    monkeypatch.setattr(Reader, "numbers", lambda *given: (next(count), numbers(*given))[1])
    said: list[str] = []
    seen = Seen(lambda _: None, said.append)
    seen.begin(SCHEMAS)

    assert Witness(seen, TopicNames(), 1).asked(header, raw) is None

    assert said == ["a request of api 8 passes unseen: it has more than 10000 elements"]
    assert next(count) < 5 * 10_000  # of 2,400,000 and more


def test_fields_that_nobody_describes_count_as_well() -> None:
    reader = BoundedReader(b"\xd0\x0f", 0, flexible=True, most=1999)  # 2,000 of them

    with pytest.raises(DecodeError, match="it has more than 1999 elements"):
        reader.tags()


def test_rows_that_cannot_be_told_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(witnessing, "_MOST_ROWS", 1)
    said: list[str] = []
    seen = Seen(of_no_rows(lambda _: None), said.append)
    seen.begin(SCHEMAS)
    witness = Witness(seen, TopicNames(), 1)
    raw = commit(1, {0: 100, 1: 200})
    assert witness.asked(read_request_header(raw), raw) is not None

    witness.close()
    seen.end()

    why, total = said
    assert why == "a row of commit_requests passes unseen: KeyError: 'TopicId'"
    assert total.endswith("in all: a row of commit_requests: 2")
