"""An error for some partitions of a broker's answer; what it says of all others stays as it is."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from highwater.harness.gate import headers
from highwater.harness.gate.frames import PartitionView
from highwater.harness.gate.headers import RequestHeader
from highwater.harness.gate.messages.answers import partition_place
from highwater.harness.gate.messages.codec import Values
from highwater.harness.gate.messages.declining import answer_frame, read_answer
from highwater.harness.gate.messages.schemas import Schemas
from highwater.harness.gate.primitives import DecodeError

# Apis whose requests name partitions, and what an answer says of one that has failed besides its
# error; what is not said is what nobody knows.
PLACED: Mapping[int, Values] = {
    headers.PRODUCE: {"BaseOffset": -1},
    headers.FETCH: {"HighWatermark": -1, "Records": b""},
    headers.LIST_OFFSETS: {},
    headers.OFFSET_COMMIT: {},
    headers.OFFSET_FETCH: {"CommittedOffset": -1, "Metadata": ""},
    headers.ADD_PARTITIONS_TO_TXN: {},
    headers.TXN_OFFSET_COMMIT: {},
}
_OUTER = ("Groups", "ResultsByTransaction")
_TOPICS = ("Responses", "Topics", "ResultsByTopicV3AndBelow", "TopicResults")
_PARTITIONS = ("PartitionResponses", "Partitions", "ResultsByPartition")
_KEPT = ("Index", "PartitionIndex")
_ERRORS = ("ErrorCode", "PartitionErrorCode")


def spared(
    schemas: Schemas,
    header: RequestHeader,
    raw: bytes,
    meant: Collection[PartitionView],
    error: int,
) -> bytes:
    """The whole frame of a broker's answer, with this error for the partitions that are meant.

    Raises DecodeError for an answer that tells none of them.
    """
    message, values = read_answer(schemas, header, raw)
    wanted = {(each.topic_id or each.topic, each.partition) for each in meant}
    changed = 0
    for topic, partitions in _told(values):
        name = str(topic.get("TopicId") or topic.get("Name") or topic.get("Topic"))
        for at, each in enumerate(partitions):
            if (name, partition_place(each)) in wanted:
                partitions[at] = _failed(each, header.api_key, error)
                changed += 1
    if not changed:
        raise DecodeError(f"{message.name} tells none of the partitions that are meant")
    return answer_frame(message, header, values)


def _told(values: Values) -> Iterator[tuple[Values, list[Values]]]:
    for name in _TOPICS:
        for topic in values.get(name) or ():
            yield from ((topic, topic[part]) for part in _PARTITIONS if topic.get(part))
    for name in _OUTER:
        for each in values.get(name) or ():
            yield from _told(each)


def _failed(told: Values, api_key: int, error: int) -> Values:
    kept = {name: told[name] for name in _KEPT if name in told}
    return {**kept, **PLACED[api_key], **{name: error for name in _ERRORS if name in told}}
