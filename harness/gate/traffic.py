"""What goes on the record of what clients ask: commits of positions, batches, producer ids.

Rows are lists in the order of COLUMNS, and travel so. A batch says who sent it in its header, which
no compression covers; in message sets older than that (magic 0 and 1) nobody says it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from highwater.harness.gate import headers
from highwater.harness.gate.batch_header import (
    HEADER_BYTES,
    LENGTH_ENDS_AT,
    MAGIC,
    MAGIC_AT,
    read_header,
)
from highwater.harness.gate.frames import TopicNames
from highwater.harness.gate.messages.codec import Values

Row = list[Any]
Place = tuple[str, int]

COMMIT_REQUESTS, BATCHES, PRODUCER_IDS = "commit_requests", "batches", "producer_ids"
_OF_ALL = ("asked_ns", "answered_ns", "broker", "client")
# Of each table, the first and the last ones being the same for all; the last are told by answers.
COLUMNS: Mapping[str, tuple[str, ...]] = {
    COMMIT_REQUESTS: (
        *_OF_ALL,
        *("group", "member", "generation", "transactional_id", "topic", "partition", "offset"),
        "error_code",
    ),
    BATCHES: (
        *_OF_ALL,
        *("topic", "partition", "producer_id", "epoch", "base_sequence", "records"),
        *("is_transactional", "acks", "error_code", "base_offset"),
    ),
    PRODUCER_IDS: (
        *_OF_ALL,
        *("transactional_id", "asked_id", "asked_epoch", "error_code", "producer_id", "epoch"),
    ),
}
# By the api: the table, and how many columns at the end an answer tells.
TABLES: Mapping[int, tuple[str, int]] = {
    headers.PRODUCE: (BATCHES, 2),
    headers.OFFSET_COMMIT: (COMMIT_REQUESTS, 1),
    headers.TXN_OFFSET_COMMIT: (COMMIT_REQUESTS, 1),
    headers.INIT_PRODUCER_ID: (PRODUCER_IDS, 3),
}
APIS = frozenset(TABLES)


def asked(api_key: int, content: Values, names: TopicNames) -> Iterator[Row]:
    """What a request asks: the columns between those of all rows and those of its answer."""
    return _ASKED[api_key](content, names)


def _produced(content: Values, names: TopicNames) -> Iterator[Row]:
    acks = {-1: "all"}.get(content["Acks"], str(content["Acks"]))
    for topic in content["TopicData"]:
        for each in topic["PartitionData"]:
            where = [named(topic, names), each["Index"]]
            for told in _batches(each["Records"] or b""):
                yield [*where, *told, acks]


def _batches(records: bytes) -> Iterator[Row]:
    """Of each: producer id, epoch, base sequence, how many records, whether in a transaction."""
    at = 0
    while len(records) - at > MAGIC_AT:
        if records[at + MAGIC_AT] < MAGIC:
            yield [None] * 5  # one message after the other, or several within one
            return
        if len(records) - at < HEADER_BYTES:
            return
        header = read_header(records, at)
        told = [header.producer_id, header.producer_epoch, header.base_sequence]
        yield [*told, header.record_count, header.is_transactional]
        at += LENGTH_ENDS_AT + max(0, header.batch_length)


def _committed(content: Values, names: TopicNames) -> Iterator[Row]:
    generation = content.get("GenerationIdOrMemberEpoch", content.get("GenerationId"))
    group = [content["GroupId"], content.get("MemberId"), generation]
    group.append(content.get("TransactionalId"))
    for topic in content["Topics"]:
        for each in topic["Partitions"]:
            where = [named(topic, names), each["PartitionIndex"]]
            yield [*group, *where, each["CommittedOffset"]]


def _begun(content: Values, _names: TopicNames) -> Iterator[Row]:
    asked_id, epoch = content.get("ProducerId"), content.get("ProducerEpoch")
    yield [content["TransactionalId"], asked_id, epoch]


def answered(api_key: int, content: Values, names: TopicNames) -> Callable[[Row], Row]:
    """Given a row of its request, what the answer tells of it; nulls where it tells nothing."""
    if api_key == headers.INIT_PRODUCER_ID:
        told = [content[name] for name in ("ErrorCode", "ProducerId", "ProducerEpoch")]
        return lambda _row: told
    found = dict(_answers(content, names))
    width = TABLES[api_key][1]
    at = COLUMNS[TABLES[api_key][0]].index("topic")
    return lambda row: found.get((row[at], row[at + 1]), [None] * width)


def _answers(content: Values, names: TopicNames) -> Iterator[tuple[Place, Row]]:
    for topic in content.get("Responses") or ():
        for each in topic["PartitionResponses"]:
            told = [each["ErrorCode"], each["BaseOffset"]]
            yield (named(topic, names), each["Index"]), told
    for topic in content.get("Topics") or ():
        for each in topic["Partitions"]:
            yield (named(topic, names), each["PartitionIndex"]), [each["ErrorCode"]]


def named(topic: Values, names: TopicNames) -> str:
    """Its name, or its id where that is all that is told and nobody has told the gate its name."""
    told = topic.get("Name")
    if not told and "TopicId" in topic:
        told = names.name(None, topic["TopicId"]) or str(topic["TopicId"])
    return str(told)


_ASKED: Mapping[int, Callable[[Values, TopicNames], Iterator[Row]]] = {
    headers.PRODUCE: _produced,
    headers.OFFSET_COMMIT: _committed,
    headers.TXN_OFFSET_COMMIT: _committed,
    headers.INIT_PRODUCER_ID: _begun,
}
