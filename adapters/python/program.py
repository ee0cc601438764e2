"""Lines, clock and ids of an adapter in Python: `program.py ADAPTER`, see docs/adapters.md.

It runs where nothing of ours is installed, and on any Python from 3.8 on. The adapter's file has a
`Library`: name, version, settings, compression; `begin(told, teller)` returns its producer, with
`send(records)`, each of which it tells an outcome of, `flush()` and `close()`. One that can be a
member of a group has `member`, what such can be set to, and `join(told)`: see membership.py.
"""

from __future__ import annotations

import json
import logging
import queue
import sys
import threading
import time
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any, Iterator, NamedTuple  # noqa: UP035 - Python 3.8 is to read this

from membership import consume  # beside this file

lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()  # that wait to be written together


def say(event: str, **fields: Any) -> None:
    lines.put(json.dumps({"event": event, **fields}))


def write() -> None:
    """Everything that waits at once; None is the end."""
    while (line := lines.get()) is not None:
        some = [line]
        while not lines.empty() and (line := lines.get()) is not None:
            some.append(line)
        sys.stdout.write("\n".join(some) + "\n")
        sys.stdout.flush()
        if line is None:
            return


class Record(NamedTuple):
    number: int
    topic: str
    partition: int
    key: bytes | None
    value: bytes


class Teller:
    """Is told the outcome of each record, by any thread."""

    def acknowledged(self, number: int, offset: int | None) -> None:
        """None, or below 0, where the library was told none."""
        place = None if offset is None or offset < 0 else offset
        say("ok", records=[[number, place, time.monotonic_ns()]])

    def refused(self, number: int, error: Exception, *, retriable: bool = False) -> None:
        """The library's own call has not taken it."""
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
        say("error", error=name, text=str(error), records=records, **fields)


def records_of(told: dict[str, Any]) -> Iterator[Record]:
    keys = told.get("keys") or [None] * len(told["values"])
    for at, value in enumerate(told["values"]):
        key = None if keys[at] is None else keys[at].encode()
        where = (told["topic"], told["partition"])
        yield Record(told["first"] + at, *where, key, value.encode())


def produce(library: Any, begin: dict[str, Any]) -> None:
    producer = library.begin(begin, Teller())
    say("ready")
    for line in sys.stdin:
        told = json.loads(line)
        if told["do"] == "stop":
            break
        if told["do"] == "produce":
            producer.send(records_of(told))
        elif told["do"] == "flush":
            producer.flush()
            say("flushed", at_ns=time.monotonic_ns())
    producer.flush()
    producer.close()


def capabilities_of(library: Any) -> dict[str, Any]:
    member = getattr(library, "member", None)
    able = {"settings": library.settings, "compression": library.compression}
    if member is None:
        return {"roles": ["producer"], **able}
    return {"roles": ["producer", "member"], "member": member, **able}


def library_of(adapter: str) -> Any:
    sys.path.insert(0, str(Path(adapter).parent))  # for what lies beside it
    spec = spec_from_file_location("adapter", adapter)
    if spec is None or spec.loader is None:
        raise ImportError(f"expected a file of Python, saw {adapter!r}")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.Library


def main() -> None:
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING)
    writer = threading.Thread(target=write)
    writer.start()
    try:
        library = library_of(sys.argv[1])
        say(
            "hello",
            protocol=1,
            library=library.name,
            version=library.version,
            clock="monotonic",
            at_ns=time.monotonic_ns(),
            capabilities=capabilities_of(library),
        )
        first = json.loads(sys.stdin.readline() or "{}")
        if first.get("role") == "member":
            consume(library, first, say)
        elif first:
            produce(library, first)
        say("ended")
    finally:
        lines.put(None)
        writer.join()


if __name__ == "__main__":
    main()
