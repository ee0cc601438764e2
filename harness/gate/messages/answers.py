"""An error for an answer: what a broker says that refuses a whole request.

As Kafka's own requests have it (`getErrorResponse` in org.apache.kafka.common.requests): every
partition that was asked for has the error, and what else an answer tells is what nobody knows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from highwater.harness.gate import headers
from highwater.harness.gate.messages.codec import Values

Error = int
Refuse = Callable[[Values, int, Error], Values]

_NOBODY = -1
_OFFSETS_OF_ALL = 2  # from this version on the answer has an error of its own (KAFKA-3853)
_NO_PROTOCOL = 7  # from this version on a member may be told of none (KAFKA-9437)
# How a topic is named: a version knows one of these.
_TOPIC = ("Name", "Topic", "TopicId")


def refusal(api_key: int, version: int, asked: Values, error: Error) -> Values:
    """The answer to what was `asked`. Raises KeyError for an api that is not among APIS."""
    return _REFUSE[api_key](asked, version, error)


def partitions_asked(asked: Values) -> Iterator[tuple[Values, int]]:
    """The topic, and the number, of each partition that a request names."""
    for name in ("TopicData", "Topics", "V3AndBelowTopics"):
        for topic in asked.get(name) or ():
            for partition in topic.get("PartitionData") or topic.get("Partitions") or ():
                yield topic, partition_place(partition)
            for partition in topic.get("PartitionIndexes") or ():
                yield topic, partition
    for within in (*(asked.get("Transactions") or ()), *(asked.get("Groups") or ())):
        yield from partitions_asked(within)


def partition_place(partition: Values | int) -> int:
    """Its number, however a message names it."""
    if isinstance(partition, int):
        return partition
    names = ("PartitionIndex", "Partition", "Index")
    found: int = next(partition[name] for name in names if name in partition)
    return found


def _named(topic: Values) -> Values:
    return {name: topic[name] for name in _TOPIC if name in topic}


def _produce(asked: Values, _version: int, error: Error) -> Values:
    def partition(each: Values) -> Values:
        return {"Index": each["Index"], "ErrorCode": error, "BaseOffset": -1}

    return {
        "Responses": [
            {
                **_named(topic),
                "PartitionResponses": [partition(one) for one in topic["PartitionData"]],
            }
            for topic in asked["TopicData"]
        ]
    }


def _fetch(asked: Values, _version: int, error: Error) -> Values:
    def partition(each: Values) -> Values:
        return {
            "PartitionIndex": each["Partition"],
            "ErrorCode": error,
            "HighWatermark": -1,
            "Records": b"",
        }

    responses = [
        {
            **_named(topic),
            "Partitions": list(map(partition, topic["Partitions"])),
        }
        for topic in asked["Topics"]
    ]
    told = any(topic["Partitions"] for topic in responses)
    return {"Responses": responses} | ({} if told else {"ErrorCode": error})


def _by_topic(asked: Values, _version: int, error: Error) -> Values:
    return {
        "Topics": [
            {
                **_named(topic),
                "Partitions": [
                    {"PartitionIndex": partition_place(one), "ErrorCode": error}
                    for one in topic["Partitions"]
                ],
            }
            for topic in asked["Topics"]
        ]
    }


def _offset_fetch(asked: Values, version: int, error: Error) -> Values:
    if "Groups" in asked:
        groups = [{"GroupId": each["GroupId"], "ErrorCode": error} for each in asked["Groups"]]
        return {"Groups": groups}
    if version >= _OFFSETS_OF_ALL:
        return {"ErrorCode": error}
    topics = [
        {
            "Name": topic["Name"],
            "Partitions": [
                {"PartitionIndex": each, "CommittedOffset": -1, "Metadata": "", "ErrorCode": error}
                for each in topic["PartitionIndexes"]
            ],
        }
        for topic in asked["Topics"]
    ]
    return {"Topics": topics}


def _find_coordinator(asked: Values, _version: int, error: Error) -> Values:
    nobody = {"NodeId": _NOBODY, "Host": "", "Port": _NOBODY, "ErrorCode": error}
    if "CoordinatorKeys" not in asked:
        return nobody
    return {"Coordinators": [{"Key": key, **nobody} for key in asked["CoordinatorKeys"]]}


def _join_group(asked: Values, version: int, error: Error) -> Values:
    return {
        "ErrorCode": error,
        "GenerationId": -1,
        "ProtocolName": None if version >= _NO_PROTOCOL else "",
        "Leader": "",
        "MemberId": asked["MemberId"],
        "Members": [],
    }


def _init_producer_id(_asked: Values, _version: int, error: Error) -> Values:
    return {"ErrorCode": error, "ProducerId": -1, "ProducerEpoch": -1}


def _add_partitions(asked: Values, _version: int, error: Error) -> Values:
    def topics(named: list[Values]) -> list[Values]:
        return [
            {
                "Name": topic["Name"],
                "ResultsByPartition": [
                    {"PartitionIndex": each, "PartitionErrorCode": error}
                    for each in topic["Partitions"]
                ],
            }
            for topic in named
        ]

    if "V3AndBelowTopics" in asked:
        return {"ResultsByTopicV3AndBelow": topics(asked["V3AndBelowTopics"])}
    return {"ErrorCode": error}


def _error_alone(_asked: Values, _version: int, error: Error) -> Values:
    return {"ErrorCode": error}


_REFUSE: Mapping[int, Refuse] = {
    headers.PRODUCE: _produce,
    headers.FETCH: _fetch,
    headers.LIST_OFFSETS: _by_topic,
    headers.OFFSET_COMMIT: _by_topic,
    headers.OFFSET_FETCH: _offset_fetch,
    headers.FIND_COORDINATOR: _find_coordinator,
    headers.JOIN_GROUP: _join_group,
    headers.HEARTBEAT: _error_alone,
    headers.SYNC_GROUP: _error_alone,
    headers.INIT_PRODUCER_ID: _init_producer_id,
    headers.ADD_PARTITIONS_TO_TXN: _add_partitions,
    headers.ADD_OFFSETS_TO_TXN: _error_alone,
    headers.END_TXN: _error_alone,
    headers.TXN_OFFSET_COMMIT: _by_topic,
    headers.CONSUMER_GROUP_HEARTBEAT: _error_alone,
}
APIS = frozenset(_REFUSE)
