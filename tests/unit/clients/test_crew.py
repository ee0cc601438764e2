"""What clients a play may have: each has a name of its own, and what cannot be is refused."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.unit.clients.conftest import Topic

from highwater.harness.clients.crew import Crew
from highwater.harness.clients.settings import ConsumerSettings, ShareSettings, Transactions
from highwater.harness.errors import UsageError
from highwater.harness.record.history import History
from highwater.harness.versions.catalogue import find_kafka
from highwater.harness.workloads.producer import ProducerSettings

PLAIN = ConsumerSettings()


def load(crew: Crew, topic: str, rate: Any = None, of: Callable[[str], Any] = Topic) -> Any:
    return crew.load(of(topic), rate, ProducerSettings())


def test_no_two_clients_have_one_name(crew: Crew) -> None:
    names = [load(crew, topic).name for topic in ("p-4", "p", "p", "p", "p", "p-2")]
    names += [each.name for each in crew.group("g", Topic("t"), 2, PLAIN).members]
    names += [crew.group("g-1", Topic("t"), 1, PLAIN).members[0].name]
    names += [crew.group("g", Topic("t"), 2, PLAIN).members[0].name]

    assert len(set(names)) == len(names)


def test_who_takes_a_place_is_not_named_as_a_second_reading_of_who_had_it(crew: Crew) -> None:
    first = crew.group("g", Topic("t"), 1, PLAIN).members[0]

    assert crew._member(first.order).name == f"{first.name}.2"


@pytest.mark.parametrize("rate", [0, -1, float("nan"), float("inf"), "5", [1], True])
def test_what_is_no_rate_is_refused(crew: Crew, rate: Any) -> None:
    with pytest.raises(UsageError, match=r"expected a rate_per_s above 0 and .*, saw"):
        load(crew, "p", rate)


@pytest.mark.parametrize(
    ("kafka", "settings", "wanted", "why"),
    [
        ("4.1.1", ProducerSettings(), Transactions(records=0), "transactions of 1 to 100,000"),
        ("4.1.1", ProducerSettings(), Transactions(records=100_001), "transactions of 1 to"),
        ("4.1.1", ProducerSettings(), Transactions(records=True), "saw True"),
        ("4.1.1", ProducerSettings(), Transactions(abort_every=0), "abort_every to be None or"),
        ("4.1.1", ProducerSettings(), {"records": 5}, "expected Transactions, saw {'records': 5}"),
        ("4.1.1", ProducerSettings(acks="1"), Transactions(), "can have no transactions"),
        (
            "4.1.1",
            ProducerSettings(unanswered=5),
            Transactions(),
            "expected unanswered=None, saw 5",
        ),
        ("4.1.1", ProducerSettings(idempotence=False), Transactions(), "can have no transactions"),
        ("0.10.2.2", ProducerSettings(), Transactions(), "a producer on 0.10.2.2 with"),
    ],
)
def test_transactions_that_cannot_be_are_refused(
    crew: Crew, kafka: str, settings: ProducerSettings, wanted: Any, why: str
) -> None:
    cluster: Any = crew._scene.cluster
    cluster.kafka = find_kafka(kafka)

    with pytest.raises(UsageError, match=re.escape(why)):
        crew.load(Topic("p"), None, settings, wanted)


REFUSED: dict[str, Callable[[Crew, Any], object]] = {
    "slash": lambda crew, topic: crew.group("a/b", topic, 1, PLAIN),
    "dots": lambda crew, topic: crew.group("../../x", topic, 1, PLAIN),
    "empty": lambda crew, topic: crew.group("", topic, 1, PLAIN),
    "long": lambda crew, topic: crew.group("a" * 101, topic, 1, PLAIN),
    "no name": lambda crew, topic: crew.group(None, topic, 1, PLAIN),  # type: ignore[arg-type]
    "half a member": lambda crew, topic: crew.group("g", topic, 2.5, PLAIN),  # type: ignore[arg-type]
    "a word": lambda crew, topic: crew.group("g", topic, "2", PLAIN),  # type: ignore[arg-type]
    "no settings": lambda crew, topic: crew.group("g", topic, 1, [1]),  # type: ignore[arg-type]
    "settings of another kind": lambda crew, topic: crew.group("g", topic, 1, {}),  # type: ignore[arg-type]
    "one member of several": lambda crew, topic: crew.group(
        "g", topic, 2, ConsumerSettings(library={"group.instance.id": "a"})
    ),
    "another cluster": lambda crew, topic: crew.group(
        "g", topic, 1, ConsumerSettings(library={"metadata.broker.list": "elsewhere:9092"})
    ),
    "another group": lambda crew, topic: crew.group(
        "g", topic, 1, ConsumerSettings(library={"group.id": "other"})
    ),
    "settings without names": lambda crew, topic: crew.group(
        "g",
        topic,
        1,
        ConsumerSettings(library=["fetch.min.bytes"]),  # type: ignore[arg-type]
    ),
    "a commit at no time": lambda crew, topic: crew.group(
        "g", topic, 1, ConsumerSettings(commits="never")
    ),
    "a time that is none": lambda crew, topic: crew.group(
        "g", topic, 1, ConsumerSettings(processing_s=float("nan"))
    ),
    "an endless time": lambda crew, topic: crew.group(
        "g", topic, 1, ConsumerSettings(processing_s=10**400)
    ),
    "an interval that is no time": lambda crew, topic: crew.group(
        "g", topic, 1, ConsumerSettings(max_poll_interval_s=float("nan"))
    ),
    "an interval of a word": lambda crew, topic: crew.group(
        "g",
        topic,
        1,
        ConsumerSettings(max_poll_interval_s="7"),  # type: ignore[arg-type]
    ),
    "two intervals": lambda crew, topic: crew.group(
        "g",
        topic,
        1,
        ConsumerSettings(max_poll_interval_s=7, library={"max.poll.interval.ms": 8_000}),
    ),
    "settings that cannot be told": lambda crew, topic: crew.group(
        "g", topic, 1, ConsumerSettings(library={"a": {1, 2}})
    ),
    "a word for static": lambda crew, topic: crew.group(
        "g",
        topic,
        1,
        ConsumerSettings(static="yes"),  # type: ignore[arg-type]
    ),
    "a protocol that is none": lambda crew, topic: crew.group(
        "g", topic, 1, ConsumerSettings(protocol="eager")
    ),
    "a session of the other protocol": lambda crew, topic: crew.group(
        "g",
        topic,
        1,
        ConsumerSettings(protocol="consumer", library={"session.timeout.ms": 10_000}),
    ),
    "an assignor of the other protocol": lambda crew, topic: crew.group(
        "g", topic, 1, ConsumerSettings(library={"group.remote.assignor": "uniform"})
    ),
    "a name": lambda crew, _topic: crew.group("g", "orders", 1, PLAIN),  # type: ignore[arg-type]
    "a list of topics": lambda crew, topic: crew.group("g", [topic], 1, PLAIN),  # type: ignore[arg-type]
    "a load of a name": lambda crew, _topic: load(crew, "orders", of=str),
    "a load of nothing": lambda crew, _topic: load(crew, "orders", of=lambda _: None),
    "a load with settings of another kind": lambda crew, topic: crew.load(
        topic,
        None,
        {"acks": "1"},  # type: ignore[arg-type]
    ),
    "a list of protocols": lambda crew, topic: crew.group(
        "g",
        topic,
        1,
        ConsumerSettings(protocol=["consumer"]),  # type: ignore[arg-type]
    ),
    "a list of times to commit": lambda crew, topic: crew.group(
        "g",
        topic,
        1,
        ConsumerSettings(commits=["auto"]),  # type: ignore[arg-type]
    ),
    "a million members": lambda crew, topic: crew.group("g", topic, 10**6, PLAIN),
    "a million sharers": lambda crew, topic: crew.share_group("g", topic, 10**6, ShareSettings()),
    "True for a number of members": lambda crew, topic: crew.group("g", topic, True, PLAIN),
    "a name of the library's that is none": lambda crew, topic: crew.group(
        "g",
        topic,
        1,
        ConsumerSettings(library={1: "a"}),  # type: ignore[dict-item]
    ),
    "a load faster than any": lambda crew, _topic: load(crew, "orders", 10**12),
    "a load without end": lambda crew, _topic: load(crew, "orders", 10**400),
    "a time below zero": lambda crew, topic: crew.group(
        "g", topic, 1, ConsumerSettings(processing_s=-1)
    ),
}


@pytest.mark.parametrize("ask", REFUSED.values(), ids=REFUSED)
def test_what_is_no_group_is_refused(crew: Crew, ask: Callable[[Crew, Any], object]) -> None:
    with pytest.raises(UsageError, match=r"expected .* saw|leave it out|in JSON"):
        ask(crew, Topic("t"))


@pytest.mark.parametrize(
    ("kafka", "settings", "why"),
    [
        ("2.1.1", ConsumerSettings(static=True), "groups on 2.1.1 have no static members"),
        ("3.9.1-zk", ConsumerSettings(protocol="consumer"), "no protocol 'consumer' (KIP-848)"),
        ("3.9.1-kraft", ConsumerSettings(protocol="consumer"), "expected Kafka 4.0 or newer"),
    ],
)
def test_what_brokers_do_not_know_is_refused(
    crew: Crew, kafka: str, settings: ConsumerSettings, why: str
) -> None:
    cluster: Any = crew._scene.cluster
    cluster.kafka = find_kafka(kafka)

    with pytest.raises(UsageError, match=re.escape(why)):
        crew.group("g", Topic("t"), 1, settings)


def test_each_member_of_a_group_has_a_seat_of_its_own(
    crew: Crew, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings, recorded = ConsumerSettings(static=True, commits="auto"), dict[str, Any]()
    monkeypatch.setattr(crew._scene.record, "group", recorded.__setitem__)

    members = crew.group("g", Topic("t"), 2, settings).members

    assert [each.order["seat"] for each in members] == ["g-1", "g-2"]
    assert [each.order["settings"]["static"] for each in members] == [True, True]
    known = {"auto.offset.reset": "earliest", "group.protocol": "classic"}
    known |= {"session.timeout.ms": "6000"}
    assert recorded == {"t-g": {**known, "commits": "auto", "static": "true"}}


def _keeping(
    crew: Crew, monkeypatch: pytest.MonkeyPatch, table: str, rows: list[dict[str, Any]]
) -> None:
    def keep(name: str, row: dict[str, Any]) -> None:
        assert name == table
        rows.append(row)

    monkeypatch.setattr(crew._scene.record, "row", keep, raising=False)


def test_what_a_member_has_processed_is_on_the_record(
    crew: Crew, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows: list[dict[str, Any]] = []
    monkeypatch.setattr(crew._scene.record, "origin_ns", 100)
    _keeping(crew, monkeypatch, "processed", rows)
    event = {"event": "processed", "group": "t-g", "at_ns": 107, "offsets": [["t", 0, 3, 5]]}

    crew._hear("g-1", event)

    span = {"first_offset": 3, "end_offset": 5, "completed_ns": 7}
    assert rows == [{"group": "t-g", "client": "g-1", "topic": "t", "partition": 0, **span}]


def test_no_reading_has_the_name_of_a_client(crew: Crew, tmp_path: Path) -> None:
    history = History(tmp_path / "history", 0)
    first = crew.group("billing", Topic("t"), 1, PLAIN).members[0].name

    readings = {history.reader(first) for _ in range(3)}
    heirs = [
        crew.group(name, Topic("t"), 3, PLAIN).members
        for name in ("billing", "billing", "billing-1")
    ]

    assert len(readings) == 3
    assert readings & {member.name for members in heirs for member in members} == set()


def test_what_a_member_was_assigned_is_on_the_record_and_on_the_timeline(
    crew: Crew, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows: list[dict[str, Any]] = []
    told: list[str] = []
    monkeypatch.setattr(crew._scene.record, "origin_ns", 100)
    _keeping(crew, monkeypatch, "assignments", rows)
    monkeypatch.setattr(
        crew._scene.record, "event", lambda _kind, text, **_data: told.append(text), raising=False
    )
    event = {"event": "lost", "group": "t-g", "at_ns": 107, "generation": None}

    crew._hear("g-1", {**event, "partitions": [["t", 0], ["t", 3]]})

    shared = {"group": "t-g", "client": "g-1", "topic": "t"}
    ended = {"what": "lost", "at_ns": 7, "generation": None}
    assert rows == [{**shared, "partition": number, **ended} for number in (0, 3)]
    assert told == ["g-1: lost 0, 3"]
