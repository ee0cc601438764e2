"""Steps of a producer in transactions, in Python.

A library's producer has `register()`, `begin()`, `commit()` and `abort()`, which raise what its
library does, and `demanded(error)`: the name of such an error, Kafka's code or None, what its
library demands then (`retry`, `abort` or `close`), and whether the step may have been done.
"""

from __future__ import annotations

import time
from typing import Any

ID = "transactional.id"
WORDS = [ID, "transaction.timeout.ms"]


class Steps:
    def __init__(self, producer: Any, teller: Any, say: Any) -> None:
        self._producer, self._teller, self._say = producer, teller, say

    def register(self) -> None:
        """Of its transactional id; whoever had it before is fenced."""
        while True:
            try:
                self._producer.register()
            except Exception as error:
                if self._producer.demanded(error)[2] != "retry":
                    raise
                self._say("complaint", text=f"it could not register yet: {error!r:.300}")
            else:
                return

    def take(self, step: str) -> None:
        error = self._refusal(step)
        if error is not None:
            self._answer(step, error, type(error).__name__, None, "abort", False)
            return
        try:
            getattr(self._producer, step)()
        except Exception as error:  # noqa: BLE001 - whatever its library raises is its answer
            self._answer(step, error, *self._producer.demanded(error))
            return
        if step != "begin":
            self._teller.await_all()
            self._teller.refusal = None
        self._answer(step, None, None, None, None, False)

    def _refusal(self, step: str) -> Exception | None:
        """Why it cannot be committed: a call to send raised, as its library says beforehand."""
        error: Exception | None = self._teller.refusal if step == "commit" else None
        return error

    def _answer(self, step: str, error: Exception | None, *answer: Any) -> None:
        text = "" if error is None else str(error)
        told = dict(zip(("error", "code", "demands", "unconfirmed"), answer))  # noqa: B905 - for 3.8
        self._say("transaction", step=step, at_ns=time.monotonic_ns(), text=text, **told)
