"""Lines, clock and ids of an adapter in Python: `program.py ADAPTER`, see docs/adapters.md.

It runs where nothing of ours is installed, and on any Python from 3.8 on. The adapter's file has a
`Library`: name, version, settings, compression; `begin(told, teller)` returns its producer, with
`send(records)`, each of which it tells an outcome of, `flush()` and `close()`. One that can be a
member of a group has `member`, what such can be set to, and `join(told)`: see membership.py. One
that has transactions has `transactions`, true, and a producer as transactions.py says. `headers`
are the roles in which it has these.
"""

from __future__ import annotations

import json
import logging
import sys
import threading
import time
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

# All of them beside this file.
from lines import say, waiting, write
from membership import Member
from telling import Teller, records_of
from transactions import ID, WORDS, Steps


def flush(producer: Any) -> dict[str, str]:
    """Returns the error that the library's own flush raises, if it does; what it sends all the
    same is told later.
    """
    try:
        producer.flush()
    except Exception as error:  # noqa: BLE001 - whatever it is, an application is told it
        return {"error": type(error).__name__, "text": str(error)}
    return {}


def produce(library: Any, begin: dict[str, Any]) -> None:
    teller = Teller(say, waiting.put)
    producer = library.begin(begin, teller)
    steps = Steps(producer, teller, say)
    if ID in begin["settings"]:
        steps.register()
    say("ready")
    for line in sys.stdin:
        told = json.loads(line)
        if told["do"] == "stop":
            break
        if told["do"] == "produce":
            producer.send(teller.sending(records_of(told)))
        elif told["do"] == "transaction":
            steps.take(told["step"])
        elif told["do"] == "flush":
            failed = flush(producer)
            say("flushed", at_ns=time.monotonic_ns(), **failed)
    flush(producer)
    producer.close()


def consume(library: Any, begin: dict[str, Any]) -> None:
    member = Member(begin, say)

    def listen() -> None:
        for line in sys.stdin:
            told = json.loads(line)
            if told["do"] == "stop":
                break
            if told["do"] == "busy":
                member.busy_s = told["for_us"] / 1e6
        member.stopping.set()

    threading.Thread(target=listen, daemon=True).start()
    member.run(library.join(begin), begin["topics"])


def capabilities_of(library: Any) -> dict[str, Any]:
    member = getattr(library, "member", None)
    able = {"settings": library.settings, "compression": library.compression, "flush": True}
    able.update({each: getattr(library, each, False) for each in ("pipelines", "keeps_order")})
    if getattr(library, "transactions", False):
        able["transactions"] = WORDS
    named = [each for each in ("security", "headers") if hasattr(library, each)]
    able.update({each: getattr(library, each) for each in named})
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
            consume(library, first)
        elif first:
            produce(library, first)
        say("ended")
    finally:
        waiting.put(None)
        writer.join()


if __name__ == "__main__":
    main()
