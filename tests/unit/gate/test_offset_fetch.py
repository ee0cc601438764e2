"""OffsetFetch against kio."""

from __future__ import annotations

from kio.schema.errors import ErrorCode
from kio.serial import entity_reader
from tests.unit.gate.test_other_codecs import kio_write, plain, schema

from highwater.harness.gate.offset_fetch import (
    decode_offset_fetch_response,
    encode_offset_fetch_request,
)
from highwater.harness.model import TopicPartition


def test_kio_reads_the_group_and_the_partition_of_a_position_that_we_ask_for() -> None:
    module = schema("offset_fetch", 1, "request")
    asked = encode_offset_fetch_request("billing", TopicPartition("t", 7))

    read = entity_reader(module.OffsetFetchRequest)(asked, 0)[0]

    assert read.group_id == "billing"
    assert [(each.name, each.partition_indexes) for each in read.topics] == [("t", (7,))]


def test_a_position_written_by_kio_is_read() -> None:
    module = schema("offset_fetch", 1, "response")
    partition = module.OffsetFetchResponsePartition(
        partition_index=7, committed_offset=40, metadata="", error_code=ErrorCode(16)
    )
    topic = module.OffsetFetchResponseTopic(name="t", partitions=(partition,))

    read = decode_offset_fetch_response(
        plain(kio_write(module.OffsetFetchResponse(topics=(topic,))))
    )

    assert read == (40, 16)


def test_an_answer_without_the_position_is_an_error_that_is_not_told() -> None:
    module = schema("offset_fetch", 1, "response")

    read = decode_offset_fetch_response(plain(kio_write(module.OffsetFetchResponse(topics=()))))

    assert read == (-1, -1)
