"""Share groups: what is refused before anything starts, and what members say of themselves."""

from __future__ import annotations

from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest
from tests.unit.clients.conftest import Topic

from highwater.adapters.confluent.sharing import spans
from highwater.harness.clients.crew import Crew
from highwater.harness.clients.settings import ConsumerSettings, ShareSettings
from highwater.harness.clients.shares import ShareGroup, shared_rows
from highwater.harness.errors import UsageError
from highwater.harness.model import TopicPartition
from highwater.harness.topics import Topics
from highwater.harness.versions.catalogue import find_kafka
from highwater.harness.workloads.payload import Values

ORDERS = TopicPartition("orders", 0)


def crew_on(name: str, path: Any) -> Crew:
    told = {"path": path, "origin_ns": 0, "history": SimpleNamespace(patterns={})}
    record = SimpleNamespace(**told, group=lambda *_: None)
    cluster = SimpleNamespace(
        kafka=find_kafka(name), bootstrap="127.0.0.1:1", client_bootstrap="127.0.0.1:2"
    )
    scene: Any = SimpleNamespace(record=record, cluster=cluster, values=Values())
    made = Crew(scene, Topics(scene, "shop"))
    made._group = lambda: 0  # type: ignore[method-assign]
    return made


@pytest.fixture
def workers(tmp_path: Any) -> ShareGroup:
    return crew_on("4.3.1", tmp_path).share_group("workers", Topic("orders"), 2, ShareSettings())


@pytest.mark.parametrize("kafka", ["0.11.0.3", "4.0.0", "4.1.1"])
def test_below_4_2_there_are_no_share_groups(kafka: str, tmp_path: Any) -> None:
    with pytest.raises(UsageError, match=r"no share groups on .* \(KIP-932\): expected Kafka 4\.2"):
        crew_on(kafka, tmp_path).share_group("workers", Topic("orders"), 1, ShareSettings())


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        (ShareSettings(acknowledges="reject"), "expected acknowledges to be 'accept' or 'release'"),
        (ShareSettings(processing_s=-1), "expected a processing_s of 0 to 5 seconds"),
        (ConsumerSettings(), "expected ShareSettings, saw"),
    ],
)
def test_what_no_member_can_do_is_refused(settings: Any, why: str, tmp_path: Any) -> None:
    with pytest.raises(UsageError, match=why):
        crew_on("4.3.1", tmp_path).share_group("workers", Topic("orders"), 1, settings)


def test_outside_its_with_nobody_joins_leaves_or_is_replaced(workers: ShareGroup) -> None:
    first = workers.members[0]

    for asks in (workers.join, partial(workers.leave, first), partial(workers.replace, first)):
        with pytest.raises(UsageError, match="expected this within the `with` of workers"):
            asks()


def test_everything_is_accepted_when_no_offset_from_0_on_is_left_out(workers: ShareGroup) -> None:
    first, second = workers.members
    first.accepted = [(ORDERS, 5, 7), (ORDERS, 0, 2)]

    before = workers._has_accepted({ORDERS: 7})
    second.accepted = [(ORDERS, 2, 5)]

    assert (before, workers._has_accepted({ORDERS: 7}), workers.accepted) == (False, True, 7)
    assert not workers._has_accepted({ORDERS: 8})


def test_what_nobody_can_tell_may_have_been_accepted(workers: ShareGroup) -> None:
    first, second = workers.members
    first._heard = second._heard = lambda *_: None
    handed = {"event": "handed", "offsets": [["orders", 0, 0, 4, 1]]}
    answers = [["orders", 0, 4, 6, "_TIMED_OUT"], ["orders", 0, 6, 7, "INVALID_RECORD_STATE"]]

    first._hear(handed)
    held = first.held
    first._hear({"event": "killed"})
    second._hear({"event": "accepted", "offsets": answers})

    assert (held, first.handed, workers.accepted) == (4, 4, 0)
    assert workers._has_accepted({ORDERS: 6})
    assert not workers._has_accepted({ORDERS: 7})


def test_what_was_refused_has_failed_and_all_other_errors_tell_nothing() -> None:
    offsets = [["t", 0, 3, 5, None], ["t", 1, 0, 1, "INVALID_RECORD_STATE"], ["t", 2, 0, 1, "X"]]
    event = {"event": "accepted", "group": "g", "invoked_ns": 105, "at_ns": 107, "offsets": offsets}

    rows = list(shared_rows("g-1", event, 100))

    assert [row["outcome"] for row in rows] == ["ok", "failed", "unknown"]
    assert (rows[0]["first_offset"], rows[0]["end_offset"]) == (3, 5)
    assert (rows[0]["invoked_ns"], rows[0]["completed_ns"]) == (5, 7)


def test_what_is_handed_out_has_its_delivery_count() -> None:
    event = {"event": "handed", "group": "g", "invoked_ns": 1, "at_ns": 2}

    (row,) = shared_rows("g-1", {**event, "offsets": [["t", 0, 3, 5, 2]]}, 0)

    assert (row["step"], row["delivery_count"], row["outcome"]) == ("handed", 2, "ok")


def test_spans_are_of_offsets_that_follow_upon_each_other_and_came_as_often() -> None:
    def record(partition: int, offset: int, count: int) -> Any:
        return SimpleNamespace(
            topic=lambda: "t",
            partition=lambda: partition,
            offset=lambda: offset,
            delivery_count=lambda: count,
        )

    handed = [record(0, at, 1) for at in (4, 3, 7)] + [record(0, 5, 2), record(1, 8, 1)]

    assert list(spans(handed)) == [
        ("t", 0, 3, 5, 1), ("t", 0, 5, 6, 2), ("t", 0, 7, 8, 1), ("t", 1, 8, 9, 1),
    ]  # fmt: skip


def test_what_an_application_sends_is_shared_out_to_nobody(workers: ShareGroup) -> None:
    workers._topic.is_foreign = True

    with pytest.raises(UsageError, match="an application sends to orders"):
        workers.__enter__()


@pytest.mark.parametrize("timeout_s", [float("nan"), 0, "5"])
def test_all_is_waited_for_for_a_time(workers: ShareGroup, timeout_s: Any) -> None:
    with pytest.raises(UsageError, match="expected a timeout_s above 0, saw"):
        workers.await_all_accepted(timeout_s=timeout_s)
