"""Sees what clients ask brokers and are answered, and tells it in rows: see traffic.py.

A row is told when its answer has been passed on, or can come no more. Rows are told together, some
times a second: a line for each would cost more than all the rest.

Whatever goes wrong here ends here: it is said and counted, and traffic goes on as without us.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any

from highwater.harness.errors import in_words
from highwater.harness.gate import traffic
from highwater.harness.gate.frames import Frame, TopicNames
from highwater.harness.gate.headers import RequestHeader
from highwater.harness.gate.messages.declining import is_unanswered, read_answer, read_request
from highwater.harness.gate.messages.schemas import Schemas
from highwater.harness.gate.traffic import Place, Row

_LONGEST_FRAME_BYTES = 16 << 20  # a longer one passes unseen, and unhindered
_MOST_ELEMENTS = 10_000  # of a message: to read more would have all connections wait
_MOST_ROWS = 1_000
_TOLD_S = 0.1
_MOST_SAID = 20  # reasons; what is unseen for others after these is only counted
_ANSWERED_NS = 1  # where it stands in a row


class Seen:
    """Rows of all connections of a gate, on their way to the harness."""

    def __init__(self, tell: Callable[[dict[str, Any]], None], warn: Callable[[str], None]) -> None:
        """`tell` is given a line, `warn` what could not be seen."""
        self.schemas: Schemas | None = None  # nothing is seen without
        self.witnesses: set[Witness] = set()
        self._warn = warn
        self._tell = tell
        self._said: set[str] = set()
        self._unseen: Counter[str] = Counter()  # by what it is
        self._rows: dict[str, list[Row]] = {}
        self._count = 0
        self._timer: asyncio.TimerHandle | None = None

    def begin(self, schemas: Schemas) -> None:
        """From now on; what is left from before is nobody's any more."""
        for witness in self.witnesses:
            witness.forget()
        self._rows, self._count = {}, 0
        self._said.clear()
        self._unseen.clear()
        self.schemas = schemas

    def end(self) -> None:
        """Tell all that is there, and how much was not seen since it began."""
        self.give_up()
        if self._unseen:
            told = ", ".join(f"{what}: {count}" for what, count in sorted(self._unseen.items()))
            self._warn(f"not recorded of what clients asked, in all: {told}")
        self._said.clear()
        self._unseen.clear()
        self.schemas = None

    def miss(self, what: str, why: str, count: int = 1) -> None:
        """Something is not told: it is counted, and said unless that was said before."""
        self._unseen[what] += count
        text = f"{what} passes unseen: {why}"
        if text not in self._said and len(self._said) < _MOST_SAID:
            self._said.add(text)
            self._warn(text)

    @contextmanager
    def harmless(self, what: str, count: int = 1) -> Generator[None]:
        """Whatever is raised meanwhile has no other consequence than that this is not told."""
        try:
            yield
        except Exception as error:  # noqa: BLE001 - else it would end a connection of a client's
            self.miss(what, in_words(error), count)

    def add(self, table: str, rows: list[Row]) -> None:
        if self.schemas is None:
            return
        self._rows.setdefault(table, []).extend(rows)
        self._count += len(rows)
        if self._count >= _MOST_ROWS:
            self.flush()
        elif self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(_TOLD_S, self.flush)

    def flush(self) -> None:
        """Tell all that is there."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._count:
            rows, self._rows, self._count = self._rows, {}, 0
            for table, some in rows.items():
                self._tell_rows(table, some)

    def _tell_rows(self, table: str, some: list[Row]) -> None:
        is_told = False
        with self.harmless(f"a row of {table}", len(some)):
            self._tell({"rows": {table: some}})
            is_told = True
        if not is_told:
            for api_key in (key for key, (name, _) in traffic.TABLES.items() if name == table):
                self.tell_unread(api_key, None)

    def tell_unread(self, api_key: int, client: str | None) -> None:
        """There was a request of which no row is told; None: nobody knows whose."""
        with self.harmless("a request that was not read"):
            self._tell({"unread": [api_key, client]})

    def give_up(self) -> None:
        """Tell what has no answer too, as what has none."""
        for witness in tuple(self.witnesses):
            witness.give_up()
        self.flush()


class Request:
    """What one asks, and by now has been told."""

    __slots__ = ("header", "is_one_way", "rows")

    def __init__(
        self, header: RequestHeader, rows: list[tuple[Place, Row]], *, is_one_way: bool
    ) -> None:
        self.header, self.rows, self.is_one_way = header, rows, is_one_way


class Witness:
    """Of one connection of a client."""

    def __init__(self, seen: Seen, names: TopicNames, broker: int) -> None:
        self._seen, self._names, self._broker = seen, names, broker
        self._open: dict[Request, None] = {}  # in the order in which they came
        seen.witnesses.add(self)

    def wants(self, frame: Frame) -> bool:
        """Whether it has to see the whole of a request."""
        if self._seen.schemas is None or frame.api_key not in traffic.APIS:
            return False
        if frame.length > _LONGEST_FRAME_BYTES:
            self._seen.miss(_request(frame.api_key), "it has more than 16 MiB")
            self._seen.tell_unread(frame.api_key, None)
            return False
        return True

    def asked(self, header: RequestHeader, raw: bytes) -> Request | None:
        """A request has come in whole; None: nothing of it is told."""
        schemas, now_ns = self._seen.schemas, time.monotonic_ns()
        if schemas is None or header.api_key not in traffic.APIS:
            return None
        with self._seen.harmless(_request(header.api_key)):
            request = self._read(schemas, header, raw, now_ns)
            self._open[request] = None
            if request.is_one_way:
                self._tell(request)
            return request
        self._seen.tell_unread(header.api_key, header.client_id)
        return None

    def _read(self, schemas: Schemas, header: RequestHeader, raw: bytes, at_ns: int) -> Request:
        nothing = [None] * traffic.TABLES[header.api_key][1]
        first = [at_ns, None, self._broker, header.client_id]
        content = read_request(schemas, raw, header, _MOST_ELEMENTS)
        told = traffic.asked(header.api_key, content, self._names)
        rows = [(place, [*first, *row, *nothing]) for place, row in told]
        return Request(header, rows, is_one_way=is_unanswered(header, content))

    def answered(self, request: Request, raw: bytes) -> None:
        """Its answer has come in whole, or is replaced by this one."""
        schemas, api_key = self._seen.schemas, request.header.api_key
        if schemas is None:
            return
        with self._seen.harmless(f"an answer to api {api_key}"):
            _, content = read_answer(schemas, request.header, raw, _MOST_ELEMENTS)
            told = traffic.answered(api_key, content)
            width = traffic.TABLES[api_key][1]
            for place, row in request.rows:
                row[-width:] = told.get(place, [None] * width)

    def delivered(self, request: Request) -> None:
        """Its answer has been passed on."""
        now_ns = time.monotonic_ns()
        for _, row in request.rows:
            row[_ANSWERED_NS] = now_ns
        self._tell(request)

    def _tell(self, request: Request) -> None:
        """Once, whatever comes of it later."""
        if request in self._open:
            del self._open[request]
            table, _ = traffic.TABLES[request.header.api_key]
            self._seen.add(table, [row for _, row in request.rows])

    def give_up(self) -> None:
        """Nothing more is waited for of what is open."""
        for request in tuple(self._open):
            self._tell(request)

    def forget(self) -> None:
        """Of what is open nothing is told."""
        self._open.clear()

    def close(self) -> None:
        """The connection is over."""
        self.give_up()
        self._seen.witnesses.discard(self)


def _request(api_key: int) -> str:
    return f"a request of api {api_key}"
