"""An adapter with no library: it says that what it is told to send is acknowledged, at once.

`python -m tests.bench.answering together` says what became of one line's records in a line, and
`each` in a line for each of them. What a load comes to with it is what the protocol lets through.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

ABLE = {
    "roles": ["producer"],
    "settings": ["acks", "enable.idempotence", "linger.ms", "delivery.timeout.ms"],
    "compression": [],
}
TOGETHER, EACH = "together", "each"


def line(event: str, **fields: Any) -> str:
    return json.dumps({"event": event, **fields}, separators=(",", ":")) + "\n"


def outcomes(told: dict[str, Any], first_offset: int, how: str) -> str:
    at_ns, first = time.monotonic_ns(), told["first"]
    records = [[first + at, first_offset + at, at_ns] for at in range(len(told["values"]))]
    if how == EACH:
        return "".join(line("ok", records=[each]) for each in records)
    return line("ok", records=records)


def main() -> None:
    def say(text: str) -> None:
        sys.stdout.write(text)
        sys.stdout.flush()

    words: dict[str, Any] = {"protocol": 1, "library": "none", "version": "1"}
    words |= {"clock": "monotonic", "at_ns": time.monotonic_ns(), "capabilities": ABLE}
    say(line("hello", **words))
    sent = 0
    for text in sys.stdin:
        told = json.loads(text)
        if told["do"] == "stop":
            break
        if told["do"] == "begin":
            say(line("ready"))
        elif told["do"] == "flush":
            say(line("flushed", at_ns=time.monotonic_ns()))
        else:
            say(outcomes(told, sent, sys.argv[1]))
            sent += len(told["values"])
    say(line("ended"))


if __name__ == "__main__":
    main()
