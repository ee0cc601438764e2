"""Who talks on one connection, and which request each answer belongs to."""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from highwater.harness.gate.acks import acks_of
from highwater.harness.gate.frames import (
    REPLICA_APIS,
    Frame,
    PartitionView,
    Stage,
    TopicNames,
    follower_of,
    request_views,
    response_views,
)
from highwater.harness.gate.headers import (
    API_VERSIONS,
    RequestHeader,
    encode_request,
    read_request_header,
)
from highwater.harness.gate.messages.answers import partitions_asked
from highwater.harness.gate.messages.codec import Values
from highwater.harness.gate.messages.declining import (
    ANSWERED,
    REPLACED,
    declined,
    is_unanswered,
    misled,
    read_request,
    spoilt,
)
from highwater.harness.gate.messages.schemas import Schemas
from highwater.harness.gate.messages.sparing import spared
from highwater.harness.gate.primitives import DecodeError
from highwater.harness.gate.rules import Action, Rule
from highwater.harness.gate.witness import Request, Witness

# What is damaged may never be answered, and would pile up here.
_MOST_UNANSWERED = 4096
_LARGEST_REPLICA_REQUEST_BYTES = 16 << 20
_connection_numbers = itertools.count(1)


@dataclass
class Asked:
    """A request on its way; `raw` is kept for the apis of replicas, and where we may answer it.

    `is_one_way`: nobody answers it. `answer` is the frame that its client is to have, whatever the
    broker answers; `seen` is what goes on the record of it.
    """

    header: RequestHeader
    is_one_way: bool
    raw: bytes | None = None
    answer: bytes | None = None
    seen: Request | None = None

    def views(self, names: TopicNames) -> tuple[PartitionView, ...]:
        return () if self.raw is None else request_views(self.raw, self.header, names)

    def content(self, schemas: Schemas) -> Values:
        """Raises DecodeError."""
        if self.raw is None:
            raise DecodeError("the request was not kept: it came before the rule")
        return read_request(schemas, self.raw, self.header)


class Dialogue:
    """The frames of connection number `connection` to broker `leader`, as they come.

    Begin every frame once, when its header is there; complete those whose bytes were collected.
    """

    def __init__(
        self,
        leader: int,
        names: TopicNames,
        on_identified: Callable[[], None],
        schemas: Callable[[], Schemas | None] = lambda: None,
    ) -> None:
        """`on_identified` is called once, when the first request has told who the client is."""
        self.leader = leader
        self.connection = next(_connection_numbers)
        self.follower: int | None = None
        self.client_id: str | None = None
        self.witness: Witness | None = None  # of what a client asks
        self.is_foreign = False  # its frames have a length, and nothing else that we can read
        self._names = names
        self._unanswered: deque[Asked] = deque(maxlen=_MOST_UNANSWERED)
        self._answered: Asked | None = None
        self._is_identified = False
        self._on_identified = on_identified
        self._described = schemas

    @property
    def is_answered(self) -> bool:
        return all(asked.is_one_way for asked in self._unanswered)

    def begin_request(self, head: bytes, length: int) -> Frame:
        """`head` reaches to the end of the client id at least, of Produce to its acks, if there are
        any; `length` counts the whole frame.
        """
        try:
            header = read_request_header(head)
        except DecodeError:
            return self.foreign_frame("request", length)
        if self._unanswered and self._unanswered[-1].is_one_way:
            self._unanswered.pop()  # thousands of these would have older ones forgotten
        self._unanswered.append(Asked(header, is_one_way=acks_of(head) == 0))
        self.client_id = header.client_id
        frame = Frame(
            stage="request",
            leader=self.leader,
            follower=self.follower,
            client_id=header.client_id,
            api_key=header.api_key,
            api_version=header.api_version,
            correlation_id=header.correlation_id,
            length=length,
            connection=self.connection,
        )
        if not self.wants_whole(frame):
            self._identify()
        return frame

    def _identify(self) -> None:
        if not self._is_identified:
            self._is_identified = True
            self._on_identified()

    def wants_whole(self, frame: Frame) -> bool:
        """Requests of replicas are always collected: they tell who asks, and for what."""
        if frame.stage == "response":
            return self.own_answer is not None
        if frame.api_key not in REPLICA_APIS:
            return False
        return frame.length <= _LARGEST_REPLICA_REQUEST_BYTES

    def sees(self, frame: Frame) -> bool:
        """Whether what it says goes on the record, so that it has to be collected."""
        if frame.stage == "response":
            return self._answered is not None and self._answered.seen is not None
        return self.witness is not None and self.witness.wants(frame)

    def see_request(self, raw: bytes) -> None:
        """The request that came last is there as a whole."""
        if self.witness is not None:
            asked = self._unanswered[-1]
            asked.seen = self.witness.asked(asked.header, raw)

    def complete_request(self, frame: Frame, raw: bytes, *, kept: bool) -> None:
        """`kept`: what it asks is kept until it is answered."""
        if self._unanswered and self._unanswered[-1].answer is not None:
            return  # what goes to the broker in its place is not what was asked
        if frame.api_key not in REPLICA_APIS:
            if kept and frame.api_key in ANSWERED and self._described() is not None:
                self._unanswered[-1].raw = raw
                frame.decode = partial(self._asked_views, self._unanswered[-1])
            return
        asked = self._unanswered[-1]
        asked.raw = raw
        if self.follower is None:
            self.follower = frame.follower = follower_of(raw, asked.header)
        self._identify()
        frame.decode = partial(asked.views, self._names)

    def begin_response(self, correlation_id: int, length: int) -> Frame:
        """Forgets the request that is answered, and older ones that never will be."""
        self._answered = None
        if all(asked.header.correlation_id != correlation_id for asked in self._unanswered):
            return self.foreign_frame("response", length)
        asked = self._unanswered.popleft()
        while asked.header.correlation_id != correlation_id:
            asked = self._unanswered.popleft()
        header = asked.header
        frame = Frame(
            stage="response",
            leader=self.leader,
            follower=self.follower,
            client_id=header.client_id,
            api_key=header.api_key,
            api_version=header.api_version,
            correlation_id=correlation_id,
            length=length,
            connection=self.connection,
        )
        self._answered = asked
        return frame

    def instead(self, frame: Frame, raw: bytes, rule: Rule) -> bytes | None:
        """What this rule puts in the place of the frame that came last. Raises DecodeError."""
        if frame.stage == "request":
            return self._decline(rule.action.error)
        meant = rule.match.partitions_of(frame) if rule.match.needs_body else ()
        return self._spoil(raw, rule.action, meant)

    def _decline(self, error: int) -> bytes | None:
        """Answer the request that came last with this error; None where no answer is waited for.

        What goes to the broker in its place is returned: a question that changes nothing there.
        Its answer comes in the order of all answers, and ours goes on in the place of that.
        """
        asked, schemas = self._unanswered[-1], self._schemas
        content, header = asked.content(schemas), asked.header
        if is_unanswered(header, content):
            return None
        asked.answer = declined(schemas, header, content, error)
        return encode_request(API_VERSIONS, 0, header.correlation_id, header.client_id, b"")

    def _spoil(self, raw: bytes, action: Action, meant: tuple[PartitionView, ...]) -> bytes:
        """What says this error, or who leads, in the place of the answer that came last.

        An error of the partitions that are `meant`, where any are; of all that was asked for
        otherwise.
        """
        asked, schemas, error = self._answered, self._schemas, action.error
        if asked is None:
            raise DecodeError("an answer to nothing that was seen")
        if action.leader is not None:
            return misled(schemas, asked.header, raw, action.leader)
        if asked.header.api_key in REPLACED:
            return spoilt(schemas, asked.header, raw, error)
        if meant:
            return spared(schemas, asked.header, raw, meant, error)
        return declined(schemas, asked.header, asked.content(schemas), error)

    @property
    def own_answer(self) -> bytes | None:
        """What the client is to have in the place of the answer that came last."""
        return None if self._answered is None else self._answered.answer

    @property
    def answered_header(self) -> RequestHeader | None:
        """Of the request that the last answer belongs to."""
        return None if self._answered is None else self._answered.header

    def complete_response(self, frame: Frame, raw: bytes) -> None:
        asked = self._answered
        if self.witness is not None and asked is not None and asked.seen is not None:
            self.witness.answered(asked.seen, raw)
        if asked is not None and frame.api_key in REPLICA_APIS:
            frame.decode = partial(self._answered_views, asked, raw)
        elif asked is not None and asked.raw is not None:
            frame.decode = partial(self._asked_views, asked)

    def delivered(self, frame: Frame) -> None:
        """It has been passed on."""
        asked = self._answered
        if frame.stage == "request" or self.witness is None or asked is None or asked.seen is None:
            return
        self.witness.delivered(asked.seen)

    def _asked_views(self, asked: Asked) -> tuple[PartitionView, ...]:
        """Of a request that is no replica's, or of its answer."""
        named = [
            (topic.get("Name") or topic.get("Topic"), topic.get("TopicId"), partition)
            for topic, partition in partitions_asked(asked.content(self._schemas))
        ]
        return tuple(
            PartitionView(self._names.name(topic, topic_id), partition, topic_id and str(topic_id))
            for topic, topic_id, partition in named
        )

    @property
    def _schemas(self) -> Schemas:
        schemas = self._described()
        if schemas is None:
            raise DecodeError("nobody has described Kafka's messages")
        return schemas

    def _answered_views(self, asked: Asked, raw: bytes) -> tuple[PartitionView, ...]:
        return response_views(raw, asked.header, asked.views(self._names), self._names)

    def foreign_frame(self, stage: Stage, length: int) -> Frame:
        """A frame of which nothing but its length is known."""
        return Frame(
            stage, self.leader, self.follower, self.client_id, -1, -1, -1, length, self.connection
        )
