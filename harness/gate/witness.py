"""Sees what clients ask brokers and are answered, and tells it in rows: see traffic.py.

A row is told when its answer has been passed on, or can come no more. Rows are told together, some
times a second: a line for each would cost more than all the rest.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any

from highwater.harness.gate import traffic
from highwater.harness.gate.frames import Frame, TopicNames
from highwater.harness.gate.headers import RequestHeader
from highwater.harness.gate.messages.declining import is_unanswered, read_answer, read_request
from highwater.harness.gate.messages.schemas import Schemas
from highwater.harness.gate.primitives import DecodeError
from highwater.harness.gate.traffic import Row

_LONGEST_FRAME_BYTES = 16 << 20  # a longer one passes unseen, and unhindered
_MOST_ROWS = 1_000
_TOLD_S = 0.1
_ANSWERED_NS = 1  # where it stands in a row


class Seen:
    """Rows of all connections of a gate, on their way to the harness."""

    def __init__(self, tell: Callable[[dict[str, Any]], None], warn: Callable[[str], None]) -> None:
        """`tell` is given a line, `warn` what could not be seen."""
        self.schemas: Schemas | None = None  # nothing is seen without
        self.witnesses: set[Witness] = set()
        self.warn = warn
        self._tell = tell
        self._rows: dict[str, list[Row]] = {}
        self._count = 0
        self._timer: asyncio.TimerHandle | None = None

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
            self._tell({"rows": rows})

    def give_up(self) -> None:
        """Tell what has no answer too, as what has none."""
        for witness in tuple(self.witnesses):
            witness.give_up()
        self.flush()


class _Open:
    """A request whose answer has not been passed on."""

    __slots__ = ("api_key", "header", "rows")

    def __init__(self, header: RequestHeader, rows: list[Row]) -> None:
        self.header, self.rows = header, rows
        self.api_key = header.api_key


class Witness:
    """Of one connection of a client."""

    def __init__(self, seen: Seen, names: TopicNames, broker: int) -> None:
        self._seen, self._names, self._broker = seen, names, broker
        self._open: dict[int, _Open] = {}  # by correlation id
        seen.witnesses.add(self)

    def wants(self, frame: Frame) -> bool:
        """Whether it has to see the whole frame."""
        if frame.stage == "response":
            return frame.correlation_id in self._open
        if self._seen.schemas is None or frame.api_key not in traffic.APIS:
            return False
        if frame.length > _LONGEST_FRAME_BYTES:
            self._seen.warn(f"a request of {frame.length} bytes passes unseen: it is too long")
            return False
        return True

    def asked(self, header: RequestHeader, raw: bytes) -> None:
        """A request has come in whole."""
        schemas, api_key = self._seen.schemas, header.api_key
        if schemas is None or api_key not in traffic.APIS:
            return
        now_ns = time.monotonic_ns()
        table, width = traffic.TABLES[api_key]
        try:
            content = read_request(schemas, raw, header)
            told = list(traffic.asked(api_key, content, self._names))
        except DecodeError as reason:
            self._seen.warn(f"a request of api {api_key} passes unseen: {reason}")
            return
        nothing = [None] * width
        rows = [[now_ns, None, self._broker, header.client_id, *row, *nothing] for row in told]
        if is_unanswered(header, content):
            self._seen.add(table, rows)
        else:
            self._open[header.correlation_id] = _Open(header, rows)

    def answered(self, correlation_id: int, raw: bytes) -> None:
        """Its answer has come in whole, or is replaced by this one."""
        schemas, open_ = self._seen.schemas, self._open.get(correlation_id)
        if open_ is None or schemas is None:
            return
        try:
            _, content = read_answer(schemas, open_.header, raw)
        except DecodeError as reason:
            self._seen.warn(f"an answer to api {open_.api_key} passes unseen: {reason}")
            return
        told = traffic.answered(open_.api_key, content, self._names)
        width = traffic.TABLES[open_.api_key][1]
        for row in open_.rows:
            row[-width:] = told(row)

    def delivered(self, correlation_id: int) -> None:
        """Its answer has been passed on."""
        open_ = self._open.pop(correlation_id, None)
        if open_ is None:
            return
        now_ns = time.monotonic_ns()
        for row in open_.rows:
            row[_ANSWERED_NS] = now_ns
        self._seen.add(traffic.TABLES[open_.api_key][0], open_.rows)

    def give_up(self) -> None:
        """Nothing more is waited for of what is open."""
        for open_ in self._open.values():
            self._seen.add(traffic.TABLES[open_.api_key][0], open_.rows)
        self._open.clear()

    def close(self) -> None:
        """The connection is over."""
        self.give_up()
        self._seen.witnesses.discard(self)
