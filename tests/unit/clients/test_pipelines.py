"""Pipelines of a play: who their members are told to be, and what cannot be."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.unit.clients.conftest import Topic
from tests.unit.clients.orders import Orders

from highwater.adapters.confluent.holding import Spans
from highwater.adapters.confluent.piping import Batch
from highwater.harness.clients.crew import Crew
from highwater.harness.clients.settings import PipelineSettings
from highwater.harness.errors import UsageError
from highwater.harness.topics import Topics
from highwater.harness.versions.catalogue import find_kafka
from highwater.harness.workloads.handed import Records
from highwater.harness.workloads.payload import Values, encoder

PLAIN = PipelineSettings()


@pytest.fixture
def groups() -> dict[str, Any]:
    return {}


@pytest.fixture
def crew(tmp_path: Path, groups: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> Crew:
    history = SimpleNamespace(patterns={})
    told = {"path": tmp_path, "origin_ns": 0, "history": history}
    record = SimpleNamespace(**told, group=groups.__setitem__)
    cluster = SimpleNamespace(
        kafka=find_kafka("4.1.1"), bootstrap="127.0.0.1:1", client_bootstrap="127.0.0.1:2"
    )
    scene: Any = SimpleNamespace(record=record, cluster=cluster, values=Values())
    made = Crew(scene, Topics(scene, "shop"))
    monkeypatch.setattr(made, "_group", lambda: 0)
    return made


def test_members_send_what_no_other_member_sends(crew: Crew, groups: dict[str, Any]) -> None:
    orders, bills = Topic("orders"), Topic("bills")

    pipeline = crew.pipeline("billing", orders, bills, 2, PLAIN)
    heir = crew._member(pipeline.members[0].order)

    told = [each.order for each in (*pipeline.members, heir)]
    assert [each["client"] for each in told] == ["billing-1", "billing-2", "billing-1.2"]
    assert [each["seat"] for each in told] == ["billing-1", "billing-2", "billing-1"]
    assert len({each["first_value"] for each in told}) == 3
    assert {(each["into"], each["partitions"]) for each in told} == {("bills", 1)}
    recorded = groups["orders-billing"]
    assert (recorded["commits"], recorded["into"]) == ("within", "bills")


def test_a_group_of_a_topic_that_is_created_again_is_another_group(
    crew: Crew, groups: dict[str, Any]
) -> None:
    orders, bills = Orders(incarnation=2), Orders(incarnation=3, name="bills")

    pipeline = crew.pipeline("billing", orders, bills, 1, PLAIN)

    (told,) = [each.order for each in pipeline.members]
    assert (told["group"], told["topics"], told["into"]) == (
        "orders#2-billing",
        ["orders"],
        "bills",
    )
    assert told["incarnations"] == {"orders": 2, "bills": 3}
    assert groups["orders#2-billing"]["into"] == "bills#3"


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        (PipelineSettings(commits="auto"), "'within', 'after' or 'before', saw 'auto'"),
        (PipelineSettings(records=0), "transactions of 1 to 100,000 records, saw 0"),
        (PipelineSettings(processing_s=-1), "processing_s"),
        (PipelineSettings(records=1_000, processing_s=0.1), "no longer than 5 seconds, saw 0.1"),
        ("within", "expected PipelineSettings"),
    ],
)
def test_what_no_pipeline_can_do_is_refused(crew: Crew, settings: Any, why: str) -> None:
    with pytest.raises(UsageError, match=why):
        crew.pipeline("billing", Topic("orders"), Topic("bills"), 1, settings)


def test_who_has_no_transactions_is_told_so(crew: Crew) -> None:
    kafka: Any = crew._scene.cluster
    kafka.kafka = find_kafka("0.10.2.2")

    with pytest.raises(UsageError, match=r"a pipeline on 0\.10\.2\.2 can have no transactions"):
        crew.pipeline("billing", Topic("orders"), Topic("bills"), 1, PLAIN)

    after = crew.pipeline("b", Topic("o"), Topic("p"), 1, PipelineSettings(commits="after"))
    assert after.members[0].order["producer"]["idempotence"] is False


@pytest.mark.parametrize(
    "ask",
    [
        lambda crew, topic: crew.pipeline("b", topic, topic, 1, PLAIN),
        lambda crew, topic: crew.pipeline("b", topic, "bills", 1, PLAIN),
        lambda crew, topic: crew.pipeline("b", topic, Topic("bills"), 0, PLAIN),
        lambda crew, topic: crew.pipeline("", topic, Topic("bills"), 1, PLAIN),
    ],
)
def test_what_is_no_pipeline_is_refused(crew: Crew, ask: Callable[[Crew, Any], object]) -> None:
    with pytest.raises(UsageError, match="expected"):
        ask(crew, Topic("orders"))


def test_what_was_handed_out_at_once_is_cut_by_partitions() -> None:
    ours = encoder(64)
    batch = Batch(
        {
            ("t", 0): Records([5, 6, 8], [ours(15)[0], ours(16)[0], b"foreign"]),
            ("t", 1): Records([0], [ours(10)[0]]),
        }
    )

    assert batch.positions == [("t", 0, 9), ("t", 1, 1)]
    assert batch.spans.told == [("t", 0, 5, 7), ("t", 0, 8, 9), ("t", 1, 0, 1)]
    assert list(batch.chunks(2)) == [
        (("t", 0), [15, 16]),
        (("t", 0), [None]),
        (("t", 1), [10]),
    ]
    assert len(batch.spans) == 4
    assert len(Spans({})) == 0


def test_a_pipeline_does_not_come_to_read_what_it_sends(crew: Crew) -> None:
    orders, bills = Topic("orders"), Topic("bills")
    pipeline = crew.pipeline("billing", orders, bills, 1, PLAIN)
    pipeline._seats._is_open = True

    with pytest.raises(UsageError, match="billing to read other topics than bills, its output"):
        pipeline.subscribe(orders, bills)
