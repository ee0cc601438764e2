"""What a partition cannot be asked is refused in a sentence, before anything happens."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.fake_cluster import FakeCluster

from highwater.harness.errors import UsageError
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.record.writer import RunRecord


@pytest.mark.parametrize(
    ("ask", "why"),
    [
        (lambda one: one.high_watermark(9), "each once, saw (9,)"),
        (lambda one: one.log_end_offset("1"), "saw ('1',)"),
        (lambda one: one.checkpointed_high_watermark(True), "saw (True,)"),
        (lambda one: one.reading_from(9, 0), "saw (9,)"),
        (lambda one: one.move_leader("a"), "saw ('a',)"),
        (lambda one: one.move_leader(9), "saw (9,)"),
        (lambda one: one.prefer(), "saw ()"),
        (lambda one: one.prefer(1, 1), "saw (1, 1)"),
        (lambda one: one.move_replicas(1, None), "saw (1, None)"),
        (lambda one: one.request(0), "a request of 1 to 10,000 records, saw 0"),
        (lambda one: one.request(-5), "saw -5"),
        (lambda one: one.request("3"), "saw '3'"),
        (lambda one: one.request(1, acks="9"), "Acks.ALL or Acks.ONE, saw '9'"),
        (lambda one: one.read("a"), "a timeout_s above 0, saw 'a'"),
        (lambda one: one.read(-1), "saw -1"),
    ],
)
def test_what_a_partition_cannot_be_asked(
    ask: Callable[[Partition], Any], why: str, tmp_path: Path
) -> None:
    cluster: Any = FakeCluster(tmp_path / "cluster")
    with RunRecord(tmp_path / "run", {}) as record:
        partition = Play(cluster, record, "orders").topic()[0]
        events = record.path.joinpath("events.jsonl").read_text()

        with pytest.raises(UsageError) as refused:
            ask(partition)

        assert str(refused.value).startswith("expected ")
        assert why in str(refused.value)
        assert record.path.joinpath("events.jsonl").read_text() == events
