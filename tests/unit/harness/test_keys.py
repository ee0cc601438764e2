"""Keys: which one a record is sent with, and how a record of a run has it."""

from __future__ import annotations

import zlib
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from highwater.harness.errors import UsageError
from highwater.harness.model import ByKey, TopicPartition
from highwater.harness.record.history import History
from highwater.harness.record.journal import salvage
from highwater.harness.record.reader import open_run
from highwater.harness.record.writer import RunRecord
from highwater.harness.tables import NO_KEY
from highwater.harness.versions.catalogue import find_kafka
from highwater.harness.workloads.examining import examine_all
from highwater.harness.workloads.hashing import partitions_of
from highwater.harness.workloads.keys import MOST_KEYS, Keys, hashes_of
from highwater.harness.workloads.payload import encoder
from highwater.harness.workloads.producer import ProducerSettings

WHERE = TopicPartition("orders")


def test_records_have_keys_in_turn() -> None:
    keys = Keys(3)

    of_each = [keys.of(value) for value in range(5, 9)]

    assert of_each == [b"key-0000002", b"key-0000000", b"key-0000001", b"key-0000002"]
    assert [zlib.crc32(key or b"") for key in of_each] == keys.hashes[[2, 0, 1, 2]].tolist()
    sent = keys.messages(range(5, 7), [b"five", b"six"])
    assert sent == [
        {"key": b"key-0000002", "value": b"five"},
        {"key": b"key-0000000", "value": b"six"},
    ]


@pytest.mark.parametrize(
    ("choice", "most", "least"),
    [("sequence", 0.1, 0.1), ("uniform", 0.1, 0.1), ("skewed", 0.341, 0.034)],
)
def test_how_often_each_key_is_sent_is_chosen(choice: str, most: float, least: float) -> None:
    keys, again = Keys(10, choice), Keys(10, choice)

    of_each = [keys.of(value) for value in range(100_000)]

    shares = [count / 100_000 for _, count in Counter(of_each).most_common()]
    assert len(shares) == 10
    assert shares[0] == pytest.approx(most, rel=0.1)
    assert shares[-1] == pytest.approx(least, rel=0.1)
    assert [again.of(value) for value in range(1_000)] == of_each[:1_000]
    known = keys.hashes[np.arange(1_000) % len(keys.hashes)]
    assert known.tolist() == [zlib.crc32(key or b"") for key in of_each[:1_000]]


def test_skewed_keys_follow_zipfs_law() -> None:
    keys = Keys(100, "skewed")

    often = Counter(keys.of(value) for value in range(65_536))

    first, second, third = (often[b"key-%07d" % number] for number in range(3))
    assert first / second == pytest.approx(2, rel=0.1)
    assert first / third == pytest.approx(3, rel=0.1)


@pytest.mark.parametrize("choice", ["random", "", None, 1, ["skewed"]])
def test_what_is_no_way_to_choose_keys_is_refused(choice: object) -> None:
    settings = replace(ProducerSettings(keys=5), key_choice=choice)  # type: ignore[arg-type]

    with pytest.raises(UsageError, match="expected key_choice to be one of 'sequence', 'uniform'"):
        settings.on(find_kafka("4.1.1"))


def test_without_keys_no_record_has_one() -> None:
    keys = Keys(0)

    assert keys.of(7) is None
    assert keys.hashes.tolist() == [NO_KEY]
    assert keys.messages(range(7, 8), [b"seven"]) == [{"value": b"seven"}]


def test_an_empty_key_is_a_key() -> None:
    assert hashes_of([None, None]).tolist() == [NO_KEY, NO_KEY]
    assert hashes_of([b"", None]).tolist() == [0, NO_KEY]
    assert hashes_of([b"k", b""]).tolist() == [zlib.crc32(b"k"), 0]


@pytest.mark.parametrize("keys", [-1, True, 1.0, "many", MOST_KEYS + 1, None])
def test_what_is_no_number_of_keys_is_refused(keys: object) -> None:
    settings = replace(ProducerSettings(), keys=keys)  # type: ignore[arg-type]

    with pytest.raises(UsageError, match=f"expected 0 to {MOST_KEYS} keys, saw"):
        settings.on(find_kafka("4.1.1"))


def test_sends_and_polls_are_recorded_with_their_keys(tmp_path: Path) -> None:
    keys, encode = Keys(3), encoder(64)
    with RunRecord(tmp_path, {}) as record:
        sends = record.history.sends("producer", WHERE, "all", range(4, 8))
        sends.keyed(keys.hashes)
        sends.invoke(range(4, 7), [0, 0, 0])
        record.history.flush()  # one of them when nothing of it is known, too
        sends.acknowledged(5, 1)
        record.history.sends("other", WHERE, "all", range(9, 10)).invoke(range(9, 10), [0])
        record.history.saw("one", WHERE, 0, (5, 0), 77)
        seen = examine_all([encode(value)[0] for value in (4, 5)])
        record.history.polls("two", WHERE).extend([0, 1], seen, np.array([8, NO_KEY]), 1)
        record.history.reached_end("two", WHERE, 2)

    rows = open_run(tmp_path).table("history").to_pylist()
    told = {(row["client"], row["action"], row["value"], row["key"]) for row in rows}
    assert told == {
        *(("producer", "send", value, int(keys.hashes[value % 3])) for value in (4, 5, 6)),
        ("other", "send", 9, NO_KEY),
        ("one", "poll", 5, 77),
        ("two", "poll", 4, 8),
        ("two", "poll", 5, NO_KEY),
        ("two", "end", None, None),
    }


def test_of_a_client_that_was_killed_nobody_tells_the_keys(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text('{"schema": 2}')
    sends = History(tmp_path / "history", 0).sends("producer", WHERE, "all", range(4, 6))
    sends.keyed(Keys(3).hashes)
    sends.invoke(range(4, 6), [0, 0])

    salvage(tmp_path)

    rows = open_run(tmp_path).table("history").to_pylist()
    assert [(row["value"], row["key"]) for row in rows] == [(4, None), (5, None)]


def test_the_key_of_a_record_chooses_its_partition() -> None:
    keys, where = Keys(7, "skewed"), ByKey("orders", 4, 2)

    sent = keys.apart(range(5, 305), [b"%d" % value for value in range(5, 305)], where)

    assert len(sent) > 1
    for partition, messages in sent.items():
        values = [int(message["value"]) for message in messages]
        assert values == sorted(values)
        assert [message["key"] for message in messages] == [keys.of(value) for value in values]
        assert {int(partitions_of([each["key"]], 4)[0]) for each in messages} == {partition}
    assert sum(map(len, sent.values())) == 300
    whole = keys.apart(range(5, 7), [b"5", b"6"], WHERE)
    assert whole == {0: keys.messages(range(5, 7), [b"5", b"6"])}
    with pytest.raises(UsageError, match="expected keys to choose partitions of orders by, saw"):
        Keys(0).partitions(where)


def test_sends_are_recorded_with_the_partitions_that_their_keys_choose(tmp_path: Path) -> None:
    keys, where = Keys(5), ByKey("orders", 3, 2)
    with RunRecord(tmp_path, {}) as record:
        for values in (range(4, 104), range(104, 108)):
            sends = record.history.sends("producer", where, "all", values)
            keys.tell(sends, where)
            sends.invoke(values, [0] * len(values))
            record.history.flush()
            sends.acknowledged(values.start + 1, 7)
        other = record.history.sends("producer", WHERE, "all", range(108, 110))
        other.invoke(range(108, 110), [0, 0])

    rows = open_run(tmp_path).table("history").to_pylist()
    told = {row["value"]: row["partition"] for row in rows}
    chosen = keys.partitions(where).tolist()
    assert told == {
        **{value: chosen[value % 5] for value in range(4, 108)},
        **dict.fromkeys((108, 109), 0),
    }
    assert {row["topic"] for row in rows if row["value"] < 108} == {"orders#2"}
    assert len({*chosen}) > 1
    by_outcome = {(row["value"], row["partition"]) for row in rows if row["outcome"] == "ok"}
    assert by_outcome == {(value, chosen[value % 5]) for value in (5, 105)}


def test_of_a_client_that_was_killed_the_partitions_are_told(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text('{"schema": 2}')
    history, keys, where = History(tmp_path / "history", 0), Keys(5), ByKey("orders", 3)
    sends = history.sends("producer", where, "all", range(4, 20))
    keys.tell(sends, where)
    sends.invoke(range(4, 12), [0] * 8)
    history.flush()
    sends.invoke(range(12, 20), [0] * 8)

    salvage(tmp_path)

    rows = open_run(tmp_path).table("history").to_pylist()
    told = {row["value"]: row["partition"] for row in rows}
    chosen = keys.partitions(where).tolist()
    assert told == {value: chosen[value % 5] for value in range(4, 20)}
