"""What is kept of replicas' checkpoints when their logs are read."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from highwater.harness.evidence import epoch_rows, leader_epochs
from highwater.harness.model import TopicPartition
from highwater.harness.play import Play
from highwater.harness.record.reader import open_run
from highwater.harness.record.writer import RunRecord

WHERE = TopicPartition("orders")


def _write(directory: Path, broker: int, text: str) -> None:
    replica = directory / str(broker) / str(WHERE)
    replica.mkdir(parents=True, exist_ok=True)
    (replica / "leader-epoch-checkpoint").write_text(text)


def _play(directory: Path, record: RunRecord) -> Any:
    files = SimpleNamespace(log_dir=lambda broker: directory / str(broker))
    cluster = SimpleNamespace(files=files)
    return Play(cast("Any", cluster), record, WHERE.topic)


PARTITION: Any = SimpleNamespace(where=WHERE)


def test_a_checkpoint_that_changes_while_logs_are_read_is_left_out(tmp_path: Path) -> None:
    _write(tmp_path, 1, "0\n2\n0 0\n3 17\n")
    _write(tmp_path, 2, "0\n1\n0 0\n")
    with RunRecord(tmp_path / "run", {}) as record:
        play = _play(tmp_path, record)
        before = {broker: leader_epochs(play.scene, PARTITION, broker) for broker in (1, 2, 3)}
        _write(tmp_path, 2, "0\n2\n0 0\n3 17\n")

        rows = [
            row
            for broker, starts in before.items()
            for row in epoch_rows(play.scene, PARTITION, broker, starts)
        ]

    assert [tuple(row.values()) for row in rows] == [
        (1, "orders", 0, 0, 0),
        (1, "orders", 0, 3, 17),
    ]


def test_a_damaged_checkpoint_is_told_and_has_no_rows(tmp_path: Path) -> None:
    _write(tmp_path, 1, "garbage\n")
    with RunRecord(tmp_path / "run", {}) as record:
        play = _play(tmp_path, record)

        rows = list(epoch_rows(play.scene, PARTITION, 1, leader_epochs(play.scene, PARTITION, 1)))

    assert rows == []
    (event,) = open_run(tmp_path / "run").events()
    assert event["text"].startswith("no leader epochs of broker 1: ")
    assert "expected version 0, saw 'garbage'" in event["text"]
