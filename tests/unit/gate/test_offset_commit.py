"""OffsetCommit against kio."""

from __future__ import annotations

from datetime import timedelta

from kio.schema.errors import ErrorCode
from kio.serial import entity_reader
from tests.unit.gate.test_other_codecs import kio_write, plain, schema

from highwater.harness.gate.offset_commit import (
    KEPT_AS_EVER_MS,
    decode_offset_commit_response,
    encode_offset_commit_request,
)
from highwater.harness.model import TopicPartition


def test_kio_reads_the_position_and_how_long_it_is_to_be_kept() -> None:
    module = schema("offset_commit", 2, "request")
    asked = encode_offset_commit_request("billing", TopicPartition("t", 7), 40, 1_000)

    read = entity_reader(module.OffsetCommitRequest)(asked, 0)[0]

    assert (read.group_id, read.generation_id_or_member_epoch, read.member_id) == (
        "billing",
        -1,
        "",
    )
    assert read.retention_time in {1_000, timedelta(seconds=1)}
    (topic,) = read.topics
    (partition,) = topic.partitions
    assert (topic.name, partition.partition_index, partition.committed_offset) == ("t", 7, 40)


def test_kio_reads_as_which_member_of_which_generation_it_is_committed() -> None:
    module = schema("offset_commit", 2, "request")
    where = TopicPartition("t", 7)
    asked = encode_offset_commit_request("billing", where, 40, KEPT_AS_EVER_MS, (9, "one"))

    read = entity_reader(module.OffsetCommitRequest)(asked, 0)[0]

    assert (read.generation_id_or_member_epoch, read.member_id) == (9, "one")
    assert read.retention_time in {-1, timedelta(milliseconds=-1)}


def test_the_error_of_an_answer_written_by_kio_is_read() -> None:
    module = schema("offset_commit", 2, "response")
    partition = module.OffsetCommitResponsePartition(partition_index=7, error_code=ErrorCode(16))
    topic = module.OffsetCommitResponseTopic(name="t", partitions=(partition,))

    read = decode_offset_commit_response(
        plain(kio_write(module.OffsetCommitResponse(topics=(topic,))))
    )

    assert read == 16
