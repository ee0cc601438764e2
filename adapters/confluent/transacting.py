"""A load in transactions: each has so many records, over all partitions."""

from __future__ import annotations

import itertools

from highwater.adapters.pace import TICK_S, Due, Teller, portions
from highwater.adapters.spread import Spread
from highwater.harness.errors import InfrastructureError
from highwater.harness.workloads.transactions import TransactionalProducer


class InTransactions:
    """One transaction after the other, of `records` each; every `abort_every`-th is aborted.

    Where Kafka demands that a transaction be aborted it is, and the next one begins; a producer
    that can do nothing more is replaced, as an application would do.
    """

    def __init__(
        self,
        producer: TransactionalProducer,
        spread: Spread,
        teller: Teller,
        *,
        records: int,
        abort_every: int | None,
    ) -> None:
        self._producer = producer
        self._spread = spread
        self._teller = teller
        self._records = records
        self._abort_every = abort_every

    def send(self, due: Due) -> None:
        """Until told to stop, which is heeded between two transactions, or earlier in one."""
        for number in itertools.count(1):
            if self._teller.is_stopping:
                return
            try:
                self._transact(
                    due, aborts=bool(self._abort_every and not number % self._abort_every)
                )
            except InfrastructureError as error:
                if self._teller.has_to_yield():
                    raise  # whoever began anew would fence the one that has taken over
                self._teller.complain(f"it begins anew, for it could not go on: {error}")
                self._producer.renew()
            self._teller.look()

    def _transact(self, due: Due, *, aborts: bool) -> None:
        self._producer.begin()
        if not self._fill(due):
            self._producer.abort()
        elif aborts:
            self._producer.land()
            self._producer.abort()
        else:
            self._producer.settle()

    def _fill(self, due: Due) -> bool:
        """Send the records of one transaction; False: one was refused, so that it cannot stand."""
        for some in portions(
            self._records, len(self._spread), due, lambda: self._teller.is_stopping
        ):
            if some:
                try:
                    self._producer.hand_over(self._spread.next(), some, due.take(some))
                except InfrastructureError:
                    return False
            self._producer.poll(0 if some else TICK_S)
            self._teller.look()
        return True
