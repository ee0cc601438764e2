"""What a consumer is handed at once, sorted by partition: thousands of records as two columns."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from confluent_kafka import KafkaError, Message

from highwater.harness.workloads.examining import Examined, examine_all
from highwater.harness.workloads.keys import Numbers, hashes_of
from highwater.harness.workloads.pattern import Markings, examined

Key = tuple[str, int]  # topic and partition, as the client library names them
ABORTED = "ABORTED"  # what a commit is answered whose transaction was, by what a member says
NO_OFFSET = "a record without an offset"


@dataclass(frozen=True, slots=True)
class Records:
    """Of one partition, in the order in which they were handed out."""

    offsets: list[int] = field(default_factory=list)
    contents: list[bytes] = field(default_factory=list)
    keys: list[bytes | None] = field(default_factory=list)
    marks: list[bytes] = field(default_factory=list)  # where their topic has a pattern

    @property
    def position(self) -> int:
        """At which the next one is looked for."""
        return self.offsets[-1] + 1

    def examined(self) -> Examined:
        return examined(self.marks, self.contents) if self.marks else examine_all(self.contents)

    def key_hashes(self) -> Numbers:
        return hashes_of(self.keys)

    def spans(self) -> list[tuple[int, int]]:
        """Offsets that follow upon each other: the first ones, and one past the last."""
        offsets = np.array(self.offsets)
        breaks = np.flatnonzero(np.diff(offsets) != 1) + 1
        firsts = offsets[np.concatenate(([0], breaks))]
        ends = offsets[np.concatenate((breaks, [len(offsets)])) - 1] + 1
        return list(zip(firsts.tolist(), ends.tolist(), strict=True))


@dataclass(frozen=True, slots=True)
class Handed:
    """All that came at once."""

    records: dict[Key, Records] = field(default_factory=lambda: defaultdict(Records))
    ends: dict[Key, int] = field(default_factory=dict)  # met behind the last of the records
    odd: list[Message] = field(default_factory=list)  # errors, and records without an offset


def sorted_out(messages: Sequence[Message], markings: Markings) -> Handed:
    """Records, ends of partitions, and whatever is neither."""
    handed = Handed()
    records, ends = handed.records, handed.ends
    for message in messages:
        error, offset = message.error(), message.offset()
        key = (message.topic() or "", message.partition() or 0)
        if error is None and offset is not None:
            here = records[key]
            here.offsets.append(offset)
            here.contents.append(message.value() or b"")
            here.keys.append(message.key())
            if markings and (marking := markings.get(key[0])) is not None:
                here.marks.append(marking.mark_of(message))
            if ends:
                ends.pop(key, None)
        elif error is None or error.code() != KafkaError._PARTITION_EOF:  # noqa: SLF001 - its name
            handed.odd.append(message)
        elif offset is not None:
            ends[key] = offset
    return handed


def sorted_ends(messages: Sequence[Message]) -> dict[Key, int]:
    """The ends of partitions among them, whatever else comes behind."""
    return {
        (message.topic() or "", message.partition() or 0): offset
        for message in messages
        if (error := message.error()) is not None
        and error.code() == KafkaError._PARTITION_EOF  # noqa: SLF001 - its name
        and (offset := message.offset()) is not None
    }
