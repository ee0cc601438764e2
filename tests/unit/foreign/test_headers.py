"""Records that are known by a header: who can have a part in them, and what is sent and told."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow.parquet as pq
import pytest
from tests.unit.clients.orders import Orders
from tests.unit.foreign.scripts import KEEPS, changed, command
from tests.unit.foreign.test_lines import is_of_the_schema

from highwater.adapters.python.membership import Member as PythonMember
from highwater.adapters.python.telling import records_of
from highwater.harness.clients.grouping import Grouped
from highwater.harness.clients.load import Load
from highwater.harness.clients.loading import Ordered
from highwater.harness.clients.member import Member
from highwater.harness.clients.process import FOREIGN, Launch
from highwater.harness.clients.settings import ConsumerSettings
from highwater.harness.errors import UsageError
from highwater.harness.foreign import headers
from highwater.harness.foreign.lines import BreachError
from highwater.harness.foreign.membership import Membership
from highwater.harness.foreign.rules import Rules
from highwater.harness.processes.warden import Warden
from highwater.harness.versions.catalogue import find_kafka
from highwater.harness.wait import wait_until
from highwater.harness.workloads.pattern import Markings, Pattern
from highwater.harness.workloads.payload import encoder, examine

MARK = encoder(0)
TOPIC = "conformance-headed"
PATTERN = Pattern("header:order-id", {"amount": 17})
PATTERNS = {TOPIC: PATTERN.described(), "bills": Pattern("key").described(), "plain": None}
FIRST = 1000
SETTINGS = {
    "acks": "all", "keys": 2, "key_choice": "sequence", "unanswered": None, "size_bytes": 64,
    "delivery_timeout_s": 0.2, "partition_by": "turn",
}  # fmt: skip


def able(*roles: str) -> str:
    """The literal adapter that has headers in these."""
    return changed('"headers": ["producer", "member"]', f'"headers": {json.dumps(roles)}')


def hello(*roles: str) -> dict[str, Any]:
    able = {"roles": ["producer", "member"], "settings": ["acks"], "compression": []}
    words = {"library": "literal", "version": "1"}
    return {**words, "capabilities": {**able, **({"headers": [*roles]} if roles else {})}}


def test_who_has_headers_is_taken_and_who_has_none_where_none_are_needed() -> None:
    headers.require(hello("producer"), "producer", PATTERN)
    headers.require(hello("producer", "member"), "member", PATTERN)
    for other in (None, Pattern("key"), Pattern("json:order.id")):
        headers.require(hello(), "member", other)


@pytest.mark.parametrize(
    ("roles", "role", "why"),
    [
        ((), "producer", "literal 1 has no headers here as a producer: .*, saw none; or a Pattern"),
        (("producer",), "member", "as a member: .*, saw producer; .* saw 'header:order-id'"),
    ],
)
def test_who_has_none_is_refused_in_words(roles: tuple[str, ...], role: str, why: str) -> None:
    with pytest.raises(UsageError, match=why):
        headers.require(hello(*roles), role, PATTERN)


def scene() -> Any:
    gate = SimpleNamespace(rows=SimpleNamespace(is_between=True))
    cluster = SimpleNamespace(
        kafka=find_kafka("4.1.1"), bootstrap="127.0.0.1:1", gate=gate, has=frozenset({"links"})
    )
    return SimpleNamespace(cluster=cluster)


def test_a_load_and_a_group_are_refused_before_they_start(tmp_path: Path) -> None:
    orders, log = Orders(), tmp_path / "log"
    orders.pattern = PATTERN

    with pytest.raises(UsageError, match="has no headers here as a producer"):
        Ordered(scene(), orders, command(able("member"), log)).order(None, None, None)
    grouped = Grouped(scene(), ConsumerSettings(), command(able("producer"), log))
    with pytest.raises(UsageError, match="has no headers here as a member"):
        grouped.order(PATTERN)

    assert Ordered(scene(), orders, command(able("producer"), log)).order(None, None, None)
    assert grouped.order(Pattern("key"))["told"]["auto.offset.reset"] == "earliest"


def test_a_member_is_told_the_name_of_the_header_of_each_topic_that_has_one() -> None:
    markings = Markings(PATTERNS)

    assert headers.told(markings, [TOPIC, "bills", "plain", "strange"]) == {TOPIC: "order-id"}
    assert headers.told(markings, ["bills"]) == {}


def test_what_is_told_of_headers_is_of_the_schema() -> None:
    begin = {"do": "begin", "protocol": 1, "role": "member", "client": "a", "bootstrap": "b"}
    group = {"group": "g", "topics": [TOPIC], "commits": "after", "processing_us": 0, "at_once": 1}
    line = {**begin, "settings": {}, **group, "headers": {TOPIC: "order-id"}}
    send = {"do": "produce", "first": 1, "topic": TOPIC, "partition": 0, "values": ["a"]}

    assert is_of_the_schema(line)
    assert not is_of_the_schema({**line, "headers": {TOPIC: ""}})
    assert is_of_the_schema({**send, "header": "order-id", "headers": ["mark"]})
    assert not is_of_the_schema({**send, "headers": ["mark"]})


def polled(topic: str, *records: list[Any]) -> dict[str, Any]:
    return {"event": "polled", "at_ns": 9, "topic": topic, "partition": 0, "records": [*records]}


@pytest.mark.parametrize(
    ("topic", "record", "expected"),
    [(TOPIC, [7, "a", None], "4 parts .* saw 3"), ("bills", [7, "a", None, "b"], "3 parts")],
)
def test_a_header_is_told_where_it_was_asked_for_and_nowhere_else(
    topic: str, record: list[Any], expected: str
) -> None:
    rules = Rules(0)
    begin = {"do": "begin", "role": "member", "topics": [TOPIC, "bills"]}
    rules.say({**begin, "headers": {TOPIC: "order-id"}})
    membership: Membership = rules.membership
    where = [[TOPIC, 0], ["bills", 0]]
    membership.hear({"event": "assigned", "at_ns": 5, "partitions": where, "generation": 1})
    membership.hear(polled(TOPIC, [7, "a", None, "mark"], [8, "a", "key", None]))
    membership.hear(polled("bills", [7, "a", None]))

    with pytest.raises(BreachError, match=expected):
        membership.hear(polled(topic, record))


def order_of(tmp_path: Path, role: str, program: str, **more: Any) -> dict[str, Any]:
    return {
        "role": role, "client": "client-1", "bootstrap": "127.0.0.1:1", "patterns": PATTERNS,
        "command": command(program, tmp_path / "log"), **more,
        "record": {"directory": str(tmp_path), "origin_ns": 0, "number": 1},
    }  # fmt: skip


def history(tmp_path: Path) -> list[dict[str, Any]]:
    parts = sorted((tmp_path / "history").glob("part-client-1-*.parquet"))
    return [row for part in parts for row in pq.read_table(part).to_pylist()]


def test_what_is_sent_has_its_identity_in_the_header_of_that_name(tmp_path: Path) -> None:
    order = order_of(
        tmp_path, "producer", KEEPS, topic=TOPIC, partitions=1, first_value=FIRST, rate_per_s=500.0,
        transactions=None, settings=SETTINGS, told={"acks": "all", "retries": 5},
    )  # fmt: skip

    with Warden() as warden:
        launch = Launch(order, tmp_path / "client.log", warden.group, FOREIGN)
        with Load(lambda _more: launch, lambda *_: None, Orders(name=TOPIC)) as load:
            load.await_acked(50)

    lies = (tmp_path / "log.headed").read_text().splitlines()
    marks = [bytes.fromhex(json.loads(line)) for line in lies]
    assert [examine(mark)[0] for mark in marks] == [*range(FIRST, FIRST + len(marks))]
    assert {row["outcome"] for row in history(tmp_path)} == {"ok"}
    assert len({row["key"] for row in history(tmp_path)}) == 2


@contextmanager
def member(tmp_path: Path, lies: list[bytes | None]) -> Iterator[Member]:
    """Of the literal adapter, which is handed records with these headers."""
    told = [json.dumps(each if each is None else each.hex()) for each in lies]
    (tmp_path / "log.headed").write_text("".join(f"{line}\n" for line in told))
    order = order_of(
        tmp_path, "member", KEEPS, group="billing", topics=[TOPIC], seat="client-1",
        settings={"commits": "after"}, commits="after", processing_us=0, at_once=500,
        told={"auto.offset.reset": "earliest", "isolation.level": "read_committed"},
    )  # fmt: skip
    with Warden() as warden:
        launch = Launch(order, tmp_path / "client.log", warden.group, FOREIGN)
        yield Member(launch, lambda *_: None)


def test_what_is_handed_out_is_known_by_the_header_that_is_told(tmp_path: Path) -> None:
    marks = [MARK(value)[0] for value in (7, 8)]
    damaged = marks[0][:-1] + b"\xff"

    with member(tmp_path, [*marks, None, b"", damaged, b"no mark"]) as billing, billing:
        wait_until(lambda: billing.handed == 6, "it to be handed everything")

    rows = history(tmp_path)
    assert [row["value"] for row in rows] == [7, 8, None, None, None, None]
    assert len({row["checksum"] for row in rows}) == 1  # of the whole value


class Consumer:
    """Hands out records of two topics, once."""

    def subscribe(self, _topics: list[str], member: PythonMember) -> None:
        self._member = member

    def poll(self, _seconds: float, _most: int) -> list[tuple[Any, ...]]:
        self._member.assigned([("orders", 0), ("bills", 0)])
        self._member.stopping.set()
        several = [("id", b"first"), ("other", b"x"), ("id", b"gr\xc3")]
        each = [several, [("other", b"x")], [("id", None)], None]
        some = [("orders", 0, 7 + at, b"v", None, told) for at, told in enumerate(each)]
        return [*some, ("bills", 0, 7, b"v", None, several)]

    def commit(self, _positions: object) -> None:
        """All is committed."""

    def generation(self) -> None:
        """It does not tell it."""

    def close(self) -> None:
        """Nothing to close."""


def test_a_member_in_python_tells_the_last_header_of_the_name_that_it_was_told() -> None:
    said: list[dict[str, Any]] = []
    begin = {"at_once": 500, "processing_us": 0, "commits": "after", "headers": {"orders": "id"}}

    PythonMember(begin, lambda event, **told: said.append({"event": event, **told})).run(
        Consumer(), ["orders", "bills"]
    )

    some = {each["topic"]: each["records"] for each in said if each["event"] == "polled"}
    assert [told for *_, told in some["orders"]] == ["gr\ufffd", None, None, None]
    assert some["bills"] == [[7, "v", None]]


def test_an_adapter_in_python_hands_its_library_the_header_of_each_record() -> None:
    line = {
        "first": 7,
        "topic": "orders",
        "partition": 2,
        "values": ["a", "b"],
        "keys": ["k", None],
    }

    headed = [*records_of({**line, "header": "id", "headers": ["gr\u00fcn", ""]})]
    plain = [*records_of(line)]

    assert [each.headers for each in headed] == [[("id", "gr\u00fcn".encode())], [("id", b"")]]
    assert [(each.key, each.headers) for each in plain] == [(b"k", None), (None, None)]


NODE = """
import { Member } from './member.mjs'
const said = []
const say = (event, told) => event === 'polled' && said.push(told.records)
const begin = { commits: 'after', headers: { orders: 'id' } }
const member = new Member(begin, { now: () => 1, say, library: {} })
const bytes = Buffer.from
const some = [['id', bytes('first')], ['other', bytes('x')], ['id', bytes([103, 195])]]
const records = [[7, bytes('v'), null, some], [8, null, null, []], [9, null, null]]
for (const topic of ['orders', 'bills']) await member.handed(topic, 0, records)
console.log(JSON.stringify(said))
"""


@pytest.mark.skipif(shutil.which("node") is None, reason="no Node.js")
def test_a_member_in_node_does_so_too() -> None:
    place = Path(__file__).parents[3] / "adapters" / "node"
    words = ["node", "--input-type=module", "--eval", NODE]
    ran = subprocess.run(words, cwd=place, check=True, capture_output=True, text=True)

    headed, plain = json.loads(ran.stdout)
    assert headed == [[7, "v", None, "g\ufffd"], [8, None, None, None], [9, None, None, None]]
    assert plain == [[7, "v", None], [8, None, None], [9, None, None]]
