"""The log end offset and high watermark of any replica, leader or not, on any version.

None of these questions changes anything in the broker: a fetch with a replica id of zero or more
would count as a follower's and move the leader's state, so it is never asked.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from highwater.harness.gate.describe_topic_partitions import (
    DESCRIBE_VERSION,
    decode_describe_response,
    encode_describe_request,
)
from highwater.harness.gate.fetch_request import (
    FetchedPartition,
    FetchRequest,
    encode_fetch_request,
)
from highwater.harness.gate.fetch_response import (
    AnsweredPartition,
    decode_fetch_response,
)
from highwater.harness.gate.headers import (
    DESCRIBE_TOPIC_PARTITIONS,
    FETCH,
    LIST_OFFSETS,
    METADATA,
)
from highwater.harness.gate.list_offsets import (
    DEBUGGING_REPLICA,
    EARLIEST,
    LATEST,
    STABLE_VERSION,
    AskedOffset,
    ListOffsetsRequest,
    decode_list_offsets_response,
    encode_list_offsets_request,
)
from highwater.harness.gate.metadata import (
    KnownPartition,
    Metadata,
    decode_metadata_response,
    encode_metadata_request,
)
from highwater.harness.model import ReplicaState, TopicPartition
from highwater.harness.probes.many import (
    CONSUMER,
    OFFSET_OUT_OF_RANGE,
    Key,
    Wheres,
    fetch_question,
    key,
    listings,
    marks_in,
    offsets_question,
    replica_states,
    told,
)
from highwater.harness.probes.positions import commit_position, group_position
from highwater.harness.probes.shares import share_members
from highwater.harness.probes.unchanged import KEPT, Derived, Unchanged
from highwater.harness.probes.wire import AnswerError, Wire
from highwater.harness.versions.catalogue import Kafka

LEADS_BUT_NOT_YET = frozenset({5, 78})  # LEADER_NOT_AVAILABLE up to v4, OFFSET_NOT_AVAILABLE


class ReplicaProbe:
    """Questions to one broker about its own replicas.

    Each raises OSError when the broker does not answer, and AnswerError (a LookupError) when it
    answers with an error code.
    """

    def __init__(self, kafka: Kafka, wire: Wire) -> None:
        self._kafka = kafka
        self._wire = wire
        self._listings: Unchanged[dict[Key, int]] = Unchanged()
        self._fetches: Unchanged[tuple[dict[Key, int], frozenset[Key]]] = Unchanged()
        self._described: Unchanged[tuple[tuple[KnownPartition, ...], int | None]] = Unchanged()
        self._metadata: Unchanged[Metadata] = Unchanged()
        # Of many partitions that are asked for again and again, in the same bytes.
        self._asks_offsets = Derived(offsets_question, KEPT)
        self._asks_marks = Derived(fetch_question, KEPT)
        self._of_ends, self._of_marks = Derived(told), Derived(told)
        self._states = Derived(replica_states)

    def now_asks(self, kafka: Kafka) -> None:
        """The broker is of another release from now on."""
        self._kafka = kafka

    def log_end_offset(self, where: TopicPartition) -> int:
        """The offset that the next record of this replica would get."""
        return self._offset(where, DEBUGGING_REPLICA, LATEST)

    def log_start_offset(self, where: TopicPartition) -> int:
        return self._offset(where, DEBUGGING_REPLICA, EARLIEST)

    def log_start_offsets(self, wheres: Sequence[TopicPartition]) -> dict[TopicPartition, int]:
        """Of these replicas, without those of which the broker does not tell it now."""
        starts = self._offsets(wheres, EARLIEST)
        return {where: starts[key(where)] for where in wheres if key(where) in starts}

    def leads(self, where: TopicPartition) -> bool:
        """Whether the broker itself believes, and acts on, that it leads the partition.

        From 2.2 on a leader whose high watermark has not reached the start of its epoch says so
        (KIP-207) instead of telling an offset; a broker that does not lead says something else.
        """
        try:
            self._offset(where, CONSUMER, LATEST)
        except AnswerError as error:
            return error.code in LEADS_BUT_NOT_YET
        return True

    def high_watermark(self, where: TopicPartition) -> int:
        """The replica's own high watermark, as it is in its broker's memory."""
        try:
            return self._fetch(where, offset=0, max_bytes=1).high_watermark
        except AnswerError as error:
            if error.code != OFFSET_OUT_OF_RANGE:
                raise
        start = self.log_start_offset(where)  # what was below it has been deleted
        return self._fetch(where, start, max_bytes=1).high_watermark

    def committed(self, where: TopicPartition, offset: int) -> memoryview:
        """Batches from `offset` on, as far as this replica, leader or not, calls them committed.

        As the broker has stored them: the first one may begin earlier, the last one be cut short.
        Before 2.4 the answer has no record of the current format in it.
        """
        return self._fetch(where, offset, max_bytes=1 << 20).records

    def states(self, broker: int, wheres: Sequence[TopicPartition]) -> tuple[ReplicaState, ...]:
        """The offsets of each of these replicas, None for what the broker does not tell now.

        Three questions, however many there are; two more where some logs begin above offset 0.
        """
        wheres = tuple(wheres)
        try:
            ends = self._offsets(wheres, LATEST)
        except OSError:
            return tuple(ReplicaState(broker, None, None) for _ in wheres)
        try:
            marks = self._high_watermarks(self._of_ends(ends, wheres))
        except OSError:
            marks = {}
        try:
            stable = self._last_stable(self._of_marks(marks, wheres))
        except OSError:
            stable = {}
        return self._states((ends, marks, stable), broker, wheres)

    def last_stable_offsets(self, wheres: Sequence[TopicPartition]) -> dict[TopicPartition, int]:
        """Of those of these partitions that the broker leads; none before 0.11."""
        stable = self._last_stable(wheres)
        return {where: stable[key(where)] for where in wheres if key(where) in stable}

    def _last_stable(self, wheres: Sequence[TopicPartition]) -> dict[Key, int]:
        if not (wheres and self._kafka.knows_idempotence):
            return {}
        body = self._asks_offsets(CONSUMER, LATEST, STABLE_VERSION, tuple(wheres))
        return self._listed(body, STABLE_VERSION)

    def group_position(self, group: str, where: TopicPartition) -> int | None:
        """What a group has committed, as this broker, its coordinator, has it; None for nothing."""
        return group_position(self._wire, group, where)

    def commit_position(
        self, group: str, where: TopicPartition, offset: int, *, kept_s: int
    ) -> None:
        """Of a group without members, whose coordinator this broker is; to be kept so long."""
        commit_position(self._wire, group, where, offset, kept_s=kept_s)

    def share_members(self, group: str) -> dict[str, frozenset[tuple[str, int]]]:
        """Who are members of a share group, by client id, as this broker, its coordinator, says."""
        return share_members(self._wire, group)

    def metadata(self, *topics: str) -> Metadata:
        """What this broker believes about the cluster."""
        version = self._kafka.metadata_version
        asked = METADATA, version, encode_metadata_request(topics, version)
        decode = partial(decode_metadata_response, version=version)
        return self._metadata.read(asked, self._wire.ask(*asked), decode)

    def partitions(self, topic: str) -> tuple[KnownPartition, ...]:
        """The same of one topic, and who else may be elected where the version tells it."""
        if not self._kafka.tells_eligible_leaders:
            return self.metadata(topic).partitions
        found, first = self._describe(topic, 0)
        while first is not None:  # a broker answers with so many partitions at a time
            more, first = self._describe(topic, first)
            found += more
        return found

    def _describe(self, topic: str, first: int) -> tuple[tuple[KnownPartition, ...], int | None]:
        asked = DESCRIBE_TOPIC_PARTITIONS, DESCRIBE_VERSION, encode_describe_request(topic, first)
        return self._described.read(asked, self._wire.ask(*asked), decode_describe_response)

    def close(self) -> None:
        self._wire.close()

    def _fetch(self, where: TopicPartition, offset: int, max_bytes: int) -> AnsweredPartition:
        asked = FetchedPartition(where.topic, None, where.partition, offset, max_bytes)
        version, replica_id = self._fetches_as()
        body = encode_fetch_request(FetchRequest(replica_id, (asked,)), version)
        (partition,) = decode_fetch_response(
            self._wire.ask(FETCH, version, body), version
        ).partitions
        if partition.error:
            raise AnswerError(f"a fetch of {where} from offset {offset}", partition.error)
        return partition

    def _fetches_as(self) -> tuple[int, int]:
        """In which version, and as whom."""
        return (11, CONSUMER) if self._kafka.followers_answer_consumers else (2, DEBUGGING_REPLICA)

    def _high_watermarks(self, wheres: Wheres) -> dict[Key, int]:
        marks, beyond = self._fetched(wheres, (0,) * len(wheres))
        if not beyond:
            return marks
        # What was below their starts has been deleted.
        starts = self._offsets([each for each in wheres if key(each) in beyond], EARLIEST)
        again = told(starts, wheres)
        return marks | self._fetched(again, tuple(starts[key(where)] for where in again))[0]

    def _fetched(
        self, wheres: Wheres, offsets: tuple[int, ...]
    ) -> tuple[dict[Key, int], frozenset[Key]]:
        """High watermarks, and whose logs begin above the offset that was asked for."""
        if not wheres:
            return {}, frozenset()
        version, replica_id = self._fetches_as()
        question = FETCH, version, self._asks_marks(version, replica_id, offsets, wheres)
        answer = self._wire.ask(*question)
        return self._fetches.read(question, answer, partial(marks_in, version=version))

    def _offsets(self, wheres: Sequence[TopicPartition], timestamp: int) -> dict[Key, int]:
        """Of the replicas that are here; each tells its own, whoever leads."""
        version = self._kafka.list_offsets_version
        body = self._asks_offsets(DEBUGGING_REPLICA, timestamp, version, tuple(wheres))
        return self._listed(body, version)

    def _listed(self, body: bytes, version: int) -> dict[Key, int]:
        """Without what the broker answers with an error."""
        question = LIST_OFFSETS, version, body
        decode = partial(listings, version=version)
        return self._listings.read(question, self._wire.ask(*question), decode)

    def _offset(self, where: TopicPartition, replica_id: int, timestamp: int) -> int:
        version = self._kafka.list_offsets_version
        asked = AskedOffset(where.topic, where.partition, timestamp)
        body = encode_list_offsets_request(ListOffsetsRequest(replica_id, (asked,)), version)
        answer = self._wire.ask(LIST_OFFSETS, version, body)
        (listed,) = decode_list_offsets_response(answer, version)
        if listed.error or not listed.offsets:
            raise AnswerError(f"an offset of {where}", listed.error)
        return listed.offsets[0]
