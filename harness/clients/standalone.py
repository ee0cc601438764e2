"""A group without members: somebody keeps positions as a consumer does that assigns itself
partitions.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from highwater.harness.errors import ENVIRONMENT, in_words
from highwater.harness.model import Outcome, TopicPartition
from highwater.harness.record.writer import RunRecord


@dataclass(frozen=True, slots=True)
class Standalone:
    """Whose commits of one partition's positions go on the record, each with its answer."""

    record: RunRecord
    group: str
    client: str
    where: TopicPartition

    def commit(self, position: int, send: Callable[[], None]) -> str | None:
        """Have it sent; returns why it was not confirmed, None where it was.

        What was refused may stand in the log of positions all the same.
        """
        began_ns, error = time.monotonic_ns(), None
        try:
            send()
        except ENVIRONMENT as raised:
            error = in_words(raised)
        outcome = Outcome.OK if error is None else Outcome.UNKNOWN
        self.settle(position, began_ns, (outcome, error))
        return error

    def settle(
        self,
        position: int,
        began_ns: int,
        ended: tuple[Outcome, str | None],
        transaction: int | None = None,
    ) -> None:
        """What has become of a commit that was asked for then, just now; by the time of
        `time.monotonic_ns`. It is `invoked` before that.
        """
        origin_ns, (outcome, told) = self.record.origin_ns, ended
        row = {
            "group": self.group, "client": self.client, "topic": self.where.topic,
            "partition": self.where.partition, "offset": position, "outcome": outcome.value,
            "error": None if outcome is Outcome.OK else told, "invoked_ns": began_ns - origin_ns,
            "completed_ns": None if outcome is Outcome.INVOKED else time.monotonic_ns() - origin_ns,
            "transaction": transaction,
        }  # fmt: skip
        self.record.row("commits", row)
