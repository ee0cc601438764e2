"""Records that an adapter in Python sends, and their outcomes as it tells them."""

from __future__ import annotations

import threading
import time
from typing import Any, Iterable, Iterator, List, NamedTuple, Optional  # noqa: UP035 - for Python 3.8


class Record(NamedTuple):
    number: int
    topic: str
    partition: int
    key: bytes | None
    value: bytes
    headers: list[tuple[str, bytes]] | None = None  # one, where records are known by it


class Teller:
    """Is told the outcome of each record, by any thread."""

    def __init__(self, say: Any, acknowledge: Any) -> None:
        self._say = say
        self._acknowledge = acknowledge  # what is told so shares a line with those beside it
        self._open = 0  # records without an outcome
        self._changed = threading.Condition()
        self.refusal: Optional[Exception] = None  # noqa: UP045 - the first one since it was cleared

    def sending(self, records: Iterable[Record]) -> List[Record]:  # noqa: UP006
        """These are about to be handed to the library."""
        some = list(records)
        with self._changed:
            self._open += len(some)
        return some

    def await_all(self) -> None:
        """Wait until each record has an outcome."""
        with self._changed:
            self._changed.wait_for(lambda: self._open == 0)

    def acknowledged(self, number: int, offset: int | None) -> None:
        """None, or below 0, where the library was told none."""
        place = None if offset is None or offset < 0 else offset
        self._acknowledge((number, place, time.monotonic_ns()))
        self._ended()

    def refused(self, number: int, error: Exception, *, retriable: bool = False) -> None:
        """The library's own call has not taken it."""
        self.refusal = self.refusal or error
        fields = {"code": None, "retriable": retriable, "refused": True}
        self._tell(number, type(error).__name__, error, fields)

    def failed(
        self,
        number: int,
        error: Exception,
        *,
        code: int | None,
        retriable: bool,
        name: str = "",
    ) -> None:
        """`code` is Kafka's, of a broker's answer; `name` the library's, if not the type's."""
        fields = {"code": code, "retriable": retriable, "refused": False}
        self._tell(number, name or type(error).__name__, error, fields)

    def _tell(self, number: int, name: str, error: Exception, fields: dict[str, Any]) -> None:
        records = [[number, time.monotonic_ns()]]
        self._say("error", error=name, text=str(error), records=records, **fields)
        self._ended()

    def _ended(self) -> None:
        with self._changed:
            self._open -= 1
            if self._open == 0:
                self._changed.notify_all()


def records_of(told: dict[str, Any]) -> Iterator[Record]:
    keys = told.get("keys") or [None] * len(told["values"])
    headers, where = told.get("headers"), (told["topic"], told["partition"])
    for at, value in enumerate(told["values"]):
        key = None if keys[at] is None else keys[at].encode()
        named = None if headers is None else [(told["header"], headers[at].encode())]
        yield Record(told["first"] + at, *where, key, value.encode(), named)
