"""A load in transactions: each has so many records, over all partitions."""

from __future__ import annotations

import itertools
import time
from collections.abc import Sequence

from highwater.adapters.confluent.pace import AT_ONCE, TICK_S, Due, Teller
from highwater.harness.errors import InfrastructureError
from highwater.harness.model import TopicPartition
from highwater.harness.workloads.transactions import TransactionalProducer


class InTransactions:
    """One transaction after the other, of `records` each; every `abort_every`-th is aborted.

    Where Kafka demands that a transaction be aborted it is, and the next one begins.
    """

    def __init__(
        self,
        producer: TransactionalProducer,
        wheres: Sequence[TopicPartition],
        teller: Teller,
        *,
        records: int,
        abort_every: int | None,
    ) -> None:
        self._producer = producer
        self._wheres = itertools.cycle(wheres)
        self._share = min(AT_ONCE, -(-records // len(wheres)))  # of one partition
        self._teller = teller
        self._records = records
        self._abort_every = abort_every

    def send(self, due: Due) -> None:
        """Until told to stop, which is heeded between two transactions, or earlier in one."""
        for number in itertools.count(1):
            if self._teller.is_stopping:
                return
            self._producer.begin()
            is_refused = not self._fill(due)
            if not is_refused and self._abort_every and number % self._abort_every == 0:
                self._producer.abort()
            else:
                self._producer.settle()
            self._teller.look()

    def _fill(self, due: Due) -> bool:
        """Send the records of one transaction; False: one was refused, so that it cannot stand."""
        left = self._records
        while left and not self._teller.is_stopping:
            some = min(left, self._share, due.by(time.monotonic()))
            if some > 0:
                try:
                    self._producer.hand_over(next(self._wheres), some, due.take(some))
                except InfrastructureError:
                    return False
                left -= some
            self._producer.poll(0 if some > 0 else TICK_S)
            self._teller.look()
        return True
