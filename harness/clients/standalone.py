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
        self._keep(position, began_ns, error)
        return error

    def _keep(self, position: int, began_ns: int, error: str | None) -> None:
        origin_ns = self.record.origin_ns
        outcome = Outcome.OK if error is None else Outcome.UNKNOWN
        row = {
            "group": self.group, "client": self.client, "topic": self.where.topic,
            "partition": self.where.partition, "offset": position, "outcome": outcome.value,
            "error": error, "invoked_ns": began_ns - origin_ns,
            "completed_ns": time.monotonic_ns() - origin_ns, "transaction": None,
        }  # fmt: skip
        self.record.row("commits", row)
