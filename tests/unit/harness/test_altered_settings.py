"""Settings that are taken while brokers run: asked of them (KIP-339), or left in ZooKeeper."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from kio.schema.errors import ErrorCode
from tests.unit.gate.test_other_codecs import schema
from tests.unit.probes.test_asked_by_hand import AT_ONCE, answering

from highwater.harness.metadata import changes
from highwater.harness.metadata.zookeeper import ZooKeeperMetadata
from highwater.harness.model import Altered
from highwater.harness.probes.wire import AnswerError, Wire

RATE = "leader.replication.throttled.rate"
SETTINGS: Mapping[str, str | None] = {RATE: "50000", "log.retention.ms": None}
BROKER, SET, DELETE = 4, 0, 1


def answered(code: int) -> tuple[Any, Any]:
    """What kio reads such a question as, and an answer to it."""
    request = schema("incremental_alter_configs", 0, "request").IncrementalAlterConfigsRequest
    answer = schema("incremental_alter_configs", 0, "response")
    told = answer.AlterConfigsResourceResponse(
        error_code=ErrorCode(code), error_message="why", resource_type=BROKER, resource_name="2"
    )
    whole = answer.IncrementalAlterConfigsResponse(throttle_time=AT_ONCE, responses=(told,))
    return request, whole


def settle(wire: Wire) -> None:
    change = changes.alteration(Altered("broker", "2"), SETTINGS)
    change.settle(lambda: change.ask(wire), lambda: False)


def test_a_broker_is_told_what_to_set_and_what_to_forget() -> None:
    with answering(*answered(0)) as (wire, read):
        settle(wire)

    (resource,) = read[0].resources
    told = [(each.name, each.config_operation, each.value) for each in resource.configs]
    assert (resource.resource_type, resource.resource_name) == (BROKER, "2")
    assert told == [(RATE, SET, "50000"), ("log.retention.ms", DELETE, None)]
    assert not read[0].validate_only


def test_what_is_refused_is_an_error_that_says_what_was_asked_for() -> None:
    with (
        answering(*answered(40)) as (wire, _),
        pytest.raises(AnswerError, match=f"setting .*{RATE}.* of broker 2.*why"),
    ):
        settle(wire)


class Written:
    """Stands in for a session: what it is told to keep, by name."""

    def __init__(self) -> None:
        self.nodes: dict[str, Any] = {}

    def read(self, node: str) -> Any:
        return self.nodes.get(node)

    def exists(self, node: str) -> bool:
        return node in self.nodes

    def write(self, node: str, content: Any) -> None:
        assert node not in self.nodes
        self.nodes[node] = content

    def replace(self, node: str, content: Any) -> None:
        assert node in self.nodes
        self.nodes[node] = content

    def append(self, node: str, content: Any) -> None:
        self.nodes[f"{node}{len(self.nodes)}"] = content


def test_in_zookeeper_settings_are_written_beside_those_that_are_there_and_announced(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    metadata, written = ZooKeeperMetadata(["127.0.0.1:1"], lambda _controller: True), Written()
    monkeypatch.setattr(metadata, "_znodes", written)

    broker = Altered("broker", "2")
    metadata.alter(broker, {RATE: "50000", "log.retention.ms": "1"})
    assert written.nodes["/config/brokers/2"]["config"] == {RATE: "50000", "log.retention.ms": "1"}
    metadata.alter(broker, {"log.retention.ms": None})
    metadata.alter(Altered("topic", "orders"), {"retention.ms": "1"})

    assert written.nodes["/config/brokers/2"] == {"version": 1, "config": {RATE: "50000"}}
    assert written.nodes["/config/topics/orders"]["config"] == {"retention.ms": "1"}
    told = [name for name in written.nodes if name.startswith("/config/changes/config_change_")]
    assert [written.nodes[name]["entity_path"] for name in told] == [
        "brokers/2",
        "brokers/2",
        "topics/orders",
    ]
