"""Changes that the admin apis are asked for: how they are spelled, and what their answers say.

A request that was sent may have been carried out though no answer comes. It is made again, and what
that is told is of what the first one left: only a look at the cluster says whether it was refused.
"""

from __future__ import annotations

import math
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from highwater.harness.errors import DeadlineError, InfrastructureError, in_words
from highwater.harness.gate.headers import (
    ALTER_PARTITION_REASSIGNMENTS,
    CREATE_PARTITIONS,
    CREATE_TOPICS,
    DELETE_TOPICS,
    ELECT_LEADERS,
    INCREMENTAL_ALTER_CONFIGS,
)
from highwater.harness.gate.primitives import DecodeError, Reader, Writer
from highwater.harness.model import Altered, TopicPartition
from highwater.harness.probes.wire import TIMEOUT_S, AnswerError, Wire, may_be_sent
from highwater.harness.wait import wait_until

CREATE_TOPICS_VERSION = 7
CREATE_PARTITIONS_VERSION = 1
DELETE_TOPICS_VERSION = 3
ELECT_LEADERS_VERSION = 1
ALTER_PARTITION_REASSIGNMENTS_VERSION = 0
INCREMENTAL_ALTER_CONFIGS_VERSION = 0
PREFERRED = 0
SET, DELETE = 0, 1
# org.apache.kafka.common.config.ConfigResource.Type
KINDS = {"topic": 2, "broker": 4, "group": 32}
UNKNOWN_TOPIC_OR_PARTITION, REQUEST_TIMED_OUT, ELECTION_NOT_NEEDED = 3, 7, 84
TIMEOUT_MS = 10_000
LOOKED_S = 5.0  # what a controller has decided reaches brokers a moment later

Assignments = Sequence[Sequence[int]]


class UnknownOutcomeError(InfrastructureError):
    """A change was asked for, and may have been carried out: nobody knows."""


@dataclass(frozen=True, slots=True)
class Answer:
    codes: Sequence[tuple[int, str]]  # of all that it names, each with what is said besides
    topic_id: uuid.UUID | None = None


@dataclass(slots=True)
class Change:
    """`what` begins what is said of it; `lost` has why answers did not come to what was sent.

    `done` is the code that says of a change made again that nothing is left to do. By `ends_s` of
    time.monotonic() all of it is over: being answered, and being looked for.
    """

    what: str
    api_key: int
    version: int
    body: Writer
    read: Callable[[Reader], Answer]
    done: int | None = None
    lost: list[str] = field(default_factory=list)
    ends_s: float = math.inf

    def within(self, most_s: float) -> float:
        """How long a wait for it may last that is to last no longer than `most_s`, in seconds."""
        return max(0.0, min(most_s, self.ends_s - time.monotonic()))

    def ask(self, wire: Wire) -> Answer:
        """Raises OSError where no answer comes."""
        try:
            asked = self.api_key, self.version, bytes(self.body.buffer)
            answer = self.read(wire.ask(*asked, self.within(TIMEOUT_S)))
        except DecodeError as error:
            self.lost.append(f"it could not be read: {error}")
            raise ConnectionError(self.lost[-1]) from error
        except OSError as error:
            if may_be_sent(error):
                self.lost.append(in_words(error))
            raise
        if any(code == REQUEST_TIMED_OUT for code, _ in answer.codes):
            self.lost.append("its broker no longer waited for it to be done")
        return answer

    def settle(self, ask: Callable[[], Answer], is_made: Callable[[], bool]) -> Answer:
        """The answer, of a change that has been made; `is_made` looks whether it has.

        Raises AnswerError for what was refused, DeadlineError where it has not been sent, and
        UnknownOutcomeError where it has, and does not show.
        """
        try:
            answer = ask()
            self._accept(answer)
        except (AnswerError, DeadlineError) as error:
            if not self.lost:
                raise
            looked_s = self.within(LOOKED_S)
            if not _shows(is_made, looked_s):
                raise UnknownOutcomeError(
                    f"nobody knows whether {self.what} has taken effect: it was sent, and the "
                    f"answer was lost ({self.lost[-1]}); asked again: {error}; "
                    f"nothing was seen of it within {looked_s:.0f} s"
                ) from error
            return Answer(())
        return answer

    def _accept(self, answer: Answer) -> None:
        for code, reason in answer.codes:
            is_done = bool(self.lost) and code == self.done
            if code not in {0, ELECTION_NOT_NEEDED} and not is_done:
                raise AnswerError(self.what, code, reason)


def _shows(is_made: Callable[[], bool], looked_s: float) -> bool:
    try:
        return wait_until(is_made, "what was asked for to show", looked_s)
    except DeadlineError:
        return False


def creation(topic: str, assignments: Assignments, settings: Mapping[str, str]) -> Change:
    body = Writer(flexible=True)
    body.array((topic,), lambda name: _write_topic(body, name, assignments, settings))
    body.int32(TIMEOUT_MS)
    body.boolean(False)
    body.tags()
    chosen = ", ".join(f"{each}={value}" for each, value in settings.items())
    what = f"creating {topic}{' with ' * bool(chosen)}{chosen}"
    spelled = CREATE_TOPICS, CREATE_TOPICS_VERSION, body
    return Change(what, *spelled, _created)


def _created(answer: Reader) -> Answer:
    answer.int32()  # throttle time
    answer.unsigned_varint()  # one topic
    answer.string()
    topic_id = answer.uuid()
    code, reason = answer.int16(), answer.nullable_string()
    # While brokers speak a protocol before 2.8 to one another the id is zero.
    return Answer([(code, reason or "")], topic_id if topic_id.int else None)


def more_partitions(topic: str, first: int, assignments: Assignments) -> Change:
    body = Writer(flexible=False)
    body.int32(1)  # topic
    body.nullable_string(topic)
    body.int32(first + len(assignments))
    body.array(
        tuple(tuple(each) for each in assignments), lambda each: body.array(each, body.int32)
    )
    body.int32(TIMEOUT_MS)
    body.boolean(False)
    spelled = CREATE_PARTITIONS, CREATE_PARTITIONS_VERSION, body
    return Change(f"giving {topic} partitions", *spelled, _given)


def _given(answer: Reader) -> Answer:
    answer.int32()

    def topic() -> tuple[int, str]:
        answer.string()
        return answer.int16(), answer.nullable_string() or ""

    return Answer(answer.array(topic))


def deletion(topic: str) -> Change:
    body = Writer(flexible=False)
    body.array((topic,), body.nullable_string)
    body.int32(TIMEOUT_MS)
    spelled = DELETE_TOPICS, DELETE_TOPICS_VERSION, body
    return Change(f"deleting {topic}", *spelled, _deleted, UNKNOWN_TOPIC_OR_PARTITION)


def _deleted(answer: Reader) -> Answer:
    answer.int32()
    return Answer(answer.array(lambda: (answer.string(), (answer.int16(), ""))[1]))


def reassignment(where: TopicPartition, replicas: Sequence[int] | None) -> Change:
    """`replicas` None: what is under way is called off (KIP-455)."""
    body = Writer(flexible=True)
    body.int32(TIMEOUT_MS)
    body.array((where,), lambda each: _write_reassignment(body, each, replicas))
    body.tags()
    spelled = ALTER_PARTITION_REASSIGNMENTS, ALTER_PARTITION_REASSIGNMENTS_VERSION, body
    return Change(f"reassigning {where}", *spelled, _reassigned)


def _reassigned(answer: Reader) -> Answer:
    answer.int32()
    code, reason = answer.int16(), answer.nullable_string()
    return Answer([(code, reason or ""), *_refusals(answer)])


def election(where: TopicPartition) -> Change:
    body = Writer(flexible=False)
    body.int8(PREFERRED)
    body.int32(1)
    body.nullable_string(where.topic)
    body.array((where.partition,), body.int32)
    body.int32(TIMEOUT_MS)
    return Change(
        f"electing a leader of {where}", ELECT_LEADERS, ELECT_LEADERS_VERSION, body, _elected
    )


def _elected(answer: Reader) -> Answer:
    answer.int32()
    return Answer([(answer.int16(), ""), *_refusals(answer)])


def alteration(what: Altered, settings: Mapping[str, str | None]) -> Change:
    """`None` for what is to be as it is without a word of it (KIP-339)."""
    body = Writer(flexible=False)
    body.int32(1)
    body.int8(KINDS[what.kind])
    body.nullable_string(what.name)
    body.array(tuple(settings.items()), partial(_write_operation, body))
    body.boolean(False)
    spelled = INCREMENTAL_ALTER_CONFIGS, INCREMENTAL_ALTER_CONFIGS_VERSION, body
    return Change(f"setting {dict(settings)} of {what}", *spelled, _altered)


def _write_operation(body: Writer, setting: tuple[str, str | None]) -> None:
    name, value = setting
    body.nullable_string(name)
    body.int8(DELETE if value is None else SET)
    body.nullable_string(value)


def _altered(answer: Reader) -> Answer:
    answer.int32()

    def resource() -> tuple[int, str]:
        said = answer.int16(), answer.nullable_string() or ""
        answer.int8()
        answer.nullable_string()
        return said

    return Answer(answer.array(resource))


def _refusals(answer: Reader) -> list[tuple[int, str]]:
    """The error codes of partitions, at the end of an answer."""

    def partition() -> tuple[int, str]:
        answer.int32()
        said = answer.int16(), answer.nullable_string() or ""
        answer.tags()
        return said

    def topic() -> tuple[tuple[int, str], ...]:
        answer.string()
        codes = answer.array(partition)
        answer.tags()
        return codes

    return [code for codes in answer.array(topic) for code in codes]


def _write_reassignment(
    body: Writer, where: TopicPartition, replicas: Sequence[int] | None
) -> None:
    body.nullable_string(where.topic)
    body.array((where.partition,), lambda each: _write_partition(body, each, replicas))
    body.tags()


def _write_partition(body: Writer, partition: int, replicas: Sequence[int] | None) -> None:
    body.int32(partition)
    body.array(None if replicas is None else tuple(replicas), body.int32)
    body.tags()


def _write_topic(
    body: Writer, topic: str, assignments: Assignments, settings: Mapping[str, str]
) -> None:
    chosen = [each for each in assignments if each]
    body.nullable_string(topic)
    body.int32(-1 if chosen else len(assignments))
    body.int16(-1)  # as many replicas as are assigned, or as brokers give by default (KIP-464)
    body.array(tuple(enumerate(chosen)), lambda each: _write_partition(body, *each))
    body.array(tuple(settings.items()), partial(_write_setting, body))
    body.tags()


def _write_setting(body: Writer, setting: tuple[str, str]) -> None:
    for text in setting:
        body.nullable_string(text)
    body.tags()
