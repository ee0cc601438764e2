"""What a rule can see of one frame: who sent it to whom, which api, which partitions.

Partitions are decoded only when asked for. An answer's partitions carry the fetch offset of the
request they answer; with incremental fetch sessions a request lists changed partitions only, so
brokers behind the gate should run with `max.incremental.fetch.session.cache.slots=0`.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any, Literal

from highwater.harness.gate import headers
from highwater.harness.gate.fetch_request import FetchRequest, decode_fetch_request
from highwater.harness.gate.fetch_response import FetchResponse, decode_fetch_response
from highwater.harness.gate.headers import RequestHeader
from highwater.harness.gate.leader_epochs import decode_leader_epochs_request
from highwater.harness.gate.list_offsets import decode_list_offsets_request
from highwater.harness.gate.primitives import DecodeError

Stage = Literal["request", "response"]
Raw = bytes | bytearray | memoryview

FETCHER_CLIENT_ID = re.compile(r"broker-(\d+)-fetcher-\d+\Z")
# A controller's orders carry its bare number, a broker's other threads begin with theirs; voters
# ask one another as raft clients.
NODE_CLIENT_ID = re.compile(r"(?:broker-|raft-client-)?(\d+)(?:-.*)?\Z")
REPLICA_APIS = frozenset(
    {headers.FETCH, headers.LIST_OFFSETS, headers.OFFSETS_FOR_LEADER_EPOCH},
)


class TopicNames:
    """Which topic a topic id stands for, as far as the gate has been told.

    Of two topics of one name nothing says which is newer but that somebody knew of one first and of
    the other later: what one broker knows gets newer, and one broker is later than another.
    """

    def __init__(self) -> None:
        self._names: dict[uuid.UUID, str] = {}
        self._newest: dict[str, uuid.UUID] = {}
        self._told: dict[tuple[str, int | None], uuid.UUID] = {}  # last, by whom
        self._past: set[uuid.UUID] = set()  # somebody has known a newer one since

    def learn(self, topic: str, topic_id: uuid.UUID, by: int | None = None) -> None:
        """`by` is the broker that says it; None: the harness, which is as good as one."""
        if not topic_id.int:  # brokers before 2.8 give none
            return
        self._names[topic_id] = topic
        before = self._told.get((topic, by))
        self._told[topic, by] = topic_id
        if topic_id in self._past:
            return
        if before is not None and before != topic_id:
            self._past.add(before)
        self._newest[topic] = topic_id

    def newest(self, topic_id: uuid.UUID) -> str | None:
        """Its name, unless a topic that was created since has that."""
        topic = self._names.get(topic_id)
        return topic if topic is not None and self._newest.get(topic) == topic_id else None

    def name(self, topic: str | None, topic_id: uuid.UUID | None) -> str | None:
        return topic if topic_id is None else self._names.get(topic_id)


@dataclass(frozen=True, slots=True)
class PartitionView:
    """None means that this kind of frame does not say, or that the topic id has no name yet."""

    topic: str | None
    partition: int
    topic_id: str | None = None
    fetch_offset: int | None = None
    error: int | None = None
    high_watermark: int | None = None
    record_bytes: int | None = None
    first_offset: int | None = None
    last_offset: int | None = None
    diverging_epoch: int | None = None
    leader_epoch: int | None = None

    def to_json(self) -> dict[str, Any]:
        return {name: value for name, value in asdict(self).items() if value is not None}


def _nothing() -> tuple[PartitionView, ...]:
    return ()


@dataclass
class Frame:
    """One frame at the gate; `length` is all of its bytes. Api key -1: no readable header."""

    stage: Stage
    leader: int
    follower: int | None
    client_id: str | None
    api_key: int
    api_version: int = -1
    correlation_id: int = -1
    length: int = 0
    connection: int = -1
    decode: Callable[[], tuple[PartitionView, ...]] = field(default=_nothing, repr=False)
    unreadable: str = ""

    @property
    def link(self) -> tuple[int | str | None, int]:
        return (self.client_id if self.follower is None else self.follower, self.leader)

    @property
    def sender(self) -> int | None:
        """The node that asked, on whatever business: fetching, ordering, writing markers."""
        if self.follower is not None:
            return self.follower
        named = NODE_CLIENT_ID.match(self.client_id or "")
        return int(named[1]) if named else None

    @cached_property
    def partitions(self) -> tuple[PartitionView, ...]:
        """Empty, with the reason in `unreadable`, if the body is not what its header says."""
        try:
            return self.decode()
        except DecodeError as error:
            self.unreadable = str(error)
            return ()


def follower_of(raw: Raw, header: RequestHeader) -> int | None:
    """The replica that sends this request, by client id (0.11 on) or by its replica id."""
    named = FETCHER_CLIENT_ID.match(header.client_id or "")
    if named:
        return int(named[1])
    try:
        replica_id = _replica_id(raw, header)
    except DecodeError:
        return None
    return replica_id if replica_id >= 0 else None


def _replica_id(raw: Raw, header: RequestHeader) -> int:
    """Up to Fetch 14 and in every ListOffsets the body begins with it."""
    if header.api_key == headers.FETCH and header.api_version >= 15:
        body = headers.request_body(raw, header)
        return decode_fetch_request(body, header.api_version).replica_id
    if header.api_key in {headers.FETCH, headers.LIST_OFFSETS}:
        return headers.request_body(raw, header).int32()
    return -1


def request_views(raw: Raw, header: RequestHeader, names: TopicNames) -> tuple[PartitionView, ...]:
    """Raises DecodeError; an api that is not a replica's has no partitions to see."""
    version = header.api_version
    body = headers.request_body(raw, header)
    if header.api_key == headers.FETCH:
        return tuple(_fetched_views(decode_fetch_request(body, version), names))
    if header.api_key == headers.LIST_OFFSETS:
        asked = decode_list_offsets_request(body, version).partitions
        return tuple(PartitionView(one.topic, one.partition) for one in asked)
    if header.api_key == headers.OFFSETS_FOR_LEADER_EPOCH:
        epochs = decode_leader_epochs_request(body, version).partitions
        return tuple(
            PartitionView(one.topic, one.partition, leader_epoch=one.leader_epoch) for one in epochs
        )
    return ()


def _fetched_views(request: FetchRequest, names: TopicNames) -> Iterable[PartitionView]:
    for one in request.partitions:
        yield PartitionView(
            topic=names.name(one.topic, one.topic_id),
            topic_id=None if one.topic_id is None else str(one.topic_id),
            partition=one.partition,
            fetch_offset=one.fetch_offset,
        )


def response_views(
    raw: Raw, header: RequestHeader, asked: tuple[PartitionView, ...], names: TopicNames
) -> tuple[PartitionView, ...]:
    """Of a Fetch answer its own partitions; of any other answer those of its request."""
    if header.api_key != headers.FETCH:
        return asked
    body = headers.response_body(raw, header.api_key, header.api_version)
    offsets = {(one.topic_id or one.topic, one.partition): one.fetch_offset for one in asked}
    answer = decode_fetch_response(body, header.api_version)
    return tuple(_answered_views(answer, offsets, names))


def _answered_views(
    answer: FetchResponse,
    offsets: dict[tuple[str | None, int], int | None],
    names: TopicNames,
) -> Iterable[PartitionView]:
    for one in answer.partitions:
        topic_id = None if one.topic_id is None else str(one.topic_id)
        diverging = one.diverging_epoch
        yield PartitionView(
            topic=names.name(one.topic, one.topic_id),
            topic_id=topic_id,
            partition=one.partition,
            fetch_offset=offsets.get((topic_id or one.topic, one.partition)),
            error=one.error,
            high_watermark=one.high_watermark,
            record_bytes=one.record_bytes,
            first_offset=one.first_offset,
            last_offset=one.last_offset,
            diverging_epoch=None if diverging is None else diverging.epoch,
        )
