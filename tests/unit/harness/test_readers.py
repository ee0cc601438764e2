"""Readers: what a client complains of while it reads is on the record."""

from __future__ import annotations

import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow.parquet as pq
import pytest
from confluent_kafka import KafkaError, KafkaException

from highwater.harness.errors import DeadlineError, InfrastructureError
from highwater.harness.model import TopicPartition
from highwater.harness.record.history import History
from highwater.harness.versions.catalogue import find_kafka
from highwater.harness.wait import wait_until
from highwater.harness.workloads import reader
from highwater.harness.workloads.loyal_reader import LoyalReader
from highwater.harness.workloads.reader import Source, read_or_stall, read_to_end

WHERE = TopicPartition("orders")


class Message:
    def __init__(
        self, offset: int | None, error: KafkaError | None = None, partition: int = 0
    ) -> None:
        self.topic = lambda: WHERE.topic
        self.partition = lambda: partition
        self.offset = lambda: offset
        self.error = lambda: error
        self.value = lambda: b"v"
        self.key = lambda: None


class Consumer:
    """Hands out batches of messages, then ends the partition."""

    def __init__(self, *batches: list[Message] | Exception) -> None:
        self._batches = list(batches)
        self.closed = False

    def assign(self, _partitions: object) -> None:
        pass

    def close(self) -> None:
        self.closed = True

    def get_watermark_offsets(self, where: Any, *, cached: bool) -> tuple[int, int]:
        return 0, 5 if where.partition else 3

    def consume(self, _most: int, timeout: float) -> list[Message]:
        batch = self._batches.pop(0) if self._batches else [at_end(3)]
        if isinstance(batch, Exception):
            raise batch
        return batch


def at_end(offset: int, partition: int = 0) -> Message:
    return Message(offset, KafkaError(KafkaError._PARTITION_EOF), partition)


def source(directory: Path, notes: list[str]) -> Source:
    return Source("127.0.0.1:1", History(directory, 0), notes.append)


def consuming(monkeypatch: pytest.MonkeyPatch, *batches: list[Message] | Exception) -> Consumer:
    consumer = Consumer(*batches)
    monkeypatch.setattr(reader, "Consumer", lambda _settings: consumer)
    return consumer


def each_look_takes(seconds: float, consumer: Consumer, monkeypatch: pytest.MonkeyPatch) -> None:
    consume, moment = consumer.consume, [0.0]

    def slowly(most: int, timeout: float) -> list[Message]:
        moment[0] += seconds
        return consume(most, timeout)

    monkeypatch.setattr(consumer, "consume", slowly)
    clock = SimpleNamespace(monotonic=lambda: moment[0], monotonic_ns=time.monotonic_ns)
    monkeypatch.setattr(reader, "time", clock)


def test_what_is_no_record_is_told_once_and_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    damaged = KafkaError(KafkaError._BAD_MSG, "CRC32C mismatch")
    lost = Message(None, KafkaError(KafkaError._ALL_BROKERS_DOWN))
    bad = Message(1, damaged)
    consuming(monkeypatch, [Message(0), bad], [bad, lost, bad])
    notes: list[str] = []

    assert read_or_stall(source(tmp_path, notes), [WHERE], 60) == {WHERE: (3, 3)}

    crc = "reader: _BAD_MSG: CRC32C mismatch (at offset 1)"
    assert notes[0] == crc
    assert notes[1].startswith("reader: _ALL_BROKERS_DOWN: ")
    assert notes[2:] == [f"{crc}: 3 times in all"]


@pytest.mark.parametrize(("still", "position"), [(1, 3), (2, 1)])
def test_a_reader_has_as_long_as_it_gets_on(
    still: int, position: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each look takes 40 of 60 seconds."""
    consumer = consuming(monkeypatch, [Message(0)], *([[]] * still), [Message(1)], [], [Message(2)])
    each_look_takes(40, consumer, monkeypatch)

    assert read_or_stall(source(tmp_path, []), [WHERE], 60) == {WHERE: (position, 3)}


def test_one_reader_goes_through_several_partitions_and_each_has_its_own_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = TopicPartition("orders", 1)
    first = [Message(0), Message(0, partition=1), Message(1), at_end(3)]
    consumer = consuming(monkeypatch, first, [Message(2, partition=1)], *([[]] * 3))
    each_look_takes(40, consumer, monkeypatch)
    read = source(tmp_path, [])

    with pytest.raises(DeadlineError, match=r"read on in orders-1 to offset 5; got to 3"):
        read_to_end(read, [WHERE, other], 60)
    read.history.close()

    rows = pq.read_table(tmp_path).to_pylist()
    handed = [(row["partition"], row["offset"]) for row in rows if row["action"] == "poll"]
    ended = {(row["action"], row["partition"], row["offset"]) for row in rows} - {
        ("poll", *each) for each in handed
    }
    assert handed == [(0, 0), (0, 1), (1, 0), (1, 2)]
    assert ended == {("end", 0, 3), ("stall", 1, 3)}


def test_a_reader_reads_on_until_it_knows_all_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The queue of the client library is full: it fetches more when some has been taken."""
    first = [Message(0), Message(1)], [Message(2), at_end(3)]
    consumer = consuming(monkeypatch, *first, [at_end(5, partition=1)])

    def known(where: Any, *, cached: bool) -> tuple[int, int]:
        is_full = len(consumer._batches) > 1
        return 0, 3 if not where.partition else -1001 if is_full else 5

    monkeypatch.setattr(consumer, "get_watermark_offsets", known)
    other = TopicPartition("orders", 1)

    assert read_or_stall(source(tmp_path, []), [WHERE, other], 60) == {
        WHERE: (3, 3),
        other: (5, 5),
    }


def test_a_partition_that_goes_beyond_its_end_holds_up_nobody_who_waits_for_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    others = iter(range(1_000))
    consumer = consuming(monkeypatch)
    monkeypatch.setattr(consumer, "consume", lambda _most, timeout: [Message(next(others))])
    each_look_takes(40, consumer, monkeypatch)
    other = TopicPartition("orders", 1)

    reached = read_or_stall(source(tmp_path, []), [WHERE, other], 60)

    assert reached[other] == (0, 5)
    assert next(others) < 10


def test_a_partition_that_fell_back_is_not_taken_for_one_that_gets_nowhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the others get is progress, though the sum of all positions is below what it was."""
    got = [[Message(offset, partition=1)] for offset in range(5)]
    consumer = consuming(monkeypatch, [Message(2)], [at_end(0)], *got, [at_end(3)])
    each_look_takes(40, consumer, monkeypatch)
    other = TopicPartition("orders", 1)

    reached = read_or_stall(source(tmp_path, []), [WHERE, other], 60)

    assert reached == {WHERE: (3, 3), other: (5, 5)}


def test_a_consumer_that_gives_up_is_an_error_of_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fatal = KafkaException(KafkaError(KafkaError._FATAL))
    consumer = consuming(monkeypatch, fatal)

    with pytest.raises(InfrastructureError, match=r"reader cannot read orders-0: .*_FATAL"):
        read_or_stall(source(tmp_path, []), [WHERE], 60)

    assert consumer.closed


class Damaged:
    """A broker whose answers are no batches."""

    def committed(self, _where: TopicPartition, _offset: int) -> memoryview:
        return memoryview(bytes(8) + b"\0\0\0\x31" + bytes(100))

    def close(self) -> None:
        pass


def test_what_a_loyal_reader_cannot_decode_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes: list[str] = []
    reading = LoyalReader(find_kafka("2.0.1"), source(tmp_path, notes), WHERE, 0)
    broker: Any = Damaged()
    monkeypatch.setattr(reading, "_probe", broker)

    with reading:
        wait_until(lambda: notes, "what it cannot decode", 10)

    assert notes[0].startswith("loyal-reader: ")
    assert len(set(notes)) == len(notes)


class Broken:
    """No probe at all."""

    def close(self) -> None:
        pass


def test_a_loyal_reader_that_ends_early_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reading = LoyalReader(find_kafka("2.0.1"), source(tmp_path, []), WHERE, 0)
    broken: Any = Broken()
    monkeypatch.setattr(reading, "_probe", broken)

    with pytest.raises(AttributeError, match="committed"), reading:
        wait_until(lambda: not reading._thread.is_alive(), "the reader's end", 10)
