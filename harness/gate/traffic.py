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
    MAGIC,
    MAGIC_AT,
    read_header,
)
from highwater.harness.gate.frames import TopicNames
from highwater.harness.gate.messages.codec import Values

Row = list[Any]
Place = tuple[str, int]  # what is said of a partition: its topic as it is called there
_NOWHERE: Place = ("", -1)  # what is said of none

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


def asked(api_key: int, content: Values, names: TopicNames) -> Iterator[tuple[Place, Row]]:
    """What a request asks, by what its answer will tell: columns between those of all rows and
    those of the answer.
    """
    return _ASKED[api_key](content, names)


def _produced(content: Values, names: TopicNames) -> Iterator[tuple[Place, Row]]:
    acks = {-1: "all"}.get(content["Acks"], str(content["Acks"]))
    for topic in content["TopicData"]:
        for each in topic["PartitionData"]:
            batch = _batch(each["Records"] or b"")
            if batch is not None:
                where = [_named(topic, names), each["Index"]]
                yield (_called(topic), each["Index"]), [*where, *batch, acks]


def _batch(records: bytes) -> Row | None:
    """Producer id, epoch, base sequence, how many records, whether in a transaction.

    There is one: brokers refuse several.
    """
    if len(records) > MAGIC_AT and records[MAGIC_AT] < MAGIC:
        return [None] * 5  # one message after the other, or several within one
    if len(records) < HEADER_BYTES:
        return None
    header = read_header(records)
    told = [header.producer_id, header.producer_epoch, header.base_sequence]
    return [*told, header.record_count, header.is_transactional]


def _committed(content: Values, names: TopicNames) -> Iterator[tuple[Place, Row]]:
    generation = content.get("GenerationIdOrMemberEpoch", content.get("GenerationId"))
    group = [content["GroupId"], content.get("MemberId"), generation]
    group.append(content.get("TransactionalId"))
    for topic in content["Topics"]:
        for each in topic["Partitions"]:
            where = [_named(topic, names), each["PartitionIndex"]]
            place = (_called(topic), each["PartitionIndex"])
            yield place, [*group, *where, each["CommittedOffset"]]


def _begun(content: Values, _names: TopicNames) -> Iterator[tuple[Place, Row]]:
    asked_id, epoch = content.get("ProducerId"), content.get("ProducerEpoch")
    yield _NOWHERE, [content["TransactionalId"], asked_id, epoch]


def answered(api_key: int, content: Values) -> Mapping[Place, Row]:
    """What an answer tells, by where."""
    if api_key == headers.INIT_PRODUCER_ID:
        return {_NOWHERE: [content[name] for name in ("ErrorCode", "ProducerId", "ProducerEpoch")]}
    return dict(_answers(content))


def _answers(content: Values) -> Iterator[tuple[Place, Row]]:
    for topic in content.get("Responses") or ():
        for each in topic["PartitionResponses"]:
            told = [each["ErrorCode"], each["BaseOffset"]]
            yield (_called(topic), each["Index"]), told
    for topic in content.get("Topics") or ():
        for each in topic["Partitions"]:
            yield (_called(topic), each["PartitionIndex"]), [each["ErrorCode"]]


def _called(topic: Values) -> str:
    """As its client and its broker call it: by its name, which may be empty, or its id."""
    return str(topic.get("Name") or topic.get("TopicId", ""))


def _named(topic: Values, names: TopicNames) -> str:
    """Its name, or its id where that is all that is told and the gate does not know the name."""
    known = names.newest(topic["TopicId"]) if "TopicId" in topic else None
    return topic.get("Name") or known or _called(topic)


_ASKED: Mapping[int, Callable[[Values, TopicNames], Iterator[tuple[Place, Row]]]] = {
    headers.PRODUCE: _produced,
    headers.OFFSET_COMMIT: _committed,
    headers.TXN_OFFSET_COMMIT: _committed,
    headers.INIT_PRODUCER_ID: _begun,
}
