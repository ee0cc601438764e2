"""A small adapter that keeps to the protocol, with a file for a broker; and what can be changed."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from highwater.harness.foreign.conformance import Ground
from highwater.harness.versions.catalogue import find_kafka
from highwater.harness.workloads.contents import Content

KEEPS = """
import json, sys, time
def say(event, **fields):
    print(json.dumps({"event": event, **fields}), flush=True)
def hello():
    say("hello", protocol=1, library="literal", version="1", clock="monotonic",
        at_ns=time.monotonic_ns(), capabilities={"roles": ["producer"],
        "settings": ["acks", "retries"], "compression": []})
def wrong(number, error):
    say("error", error=error, text="no", code=None, retriable=False, refused=True,
        records=[[number, time.monotonic_ns()]])
def send(told):
    keys = told.get("keys") or [None] * len(told["values"])
    rows = []
    for number, (key, value) in enumerate(zip(keys, told["values"]), told["first"]):
        if told["partition"] > 0:
            wrong(number, "UnknownPartition")
        elif len(value) > 1_000_000:
            wrong(number, "TooLarge")
        else:
            rows.append((number, [key, value]))
    with open(sys.argv[1], "a+") as log:
        log.seek(0)
        at = sum(1 for _ in log)
        for _, record in rows:
            log.write(json.dumps(record) + "\\n")
    now_ns = time.monotonic_ns()
    if rows:
        say("ok", records=[[each[0], at + n, now_ns] for n, each in enumerate(rows)])
hello()
line = sys.stdin.readline()
if line:
    begin = json.loads(line)
    say("ready")
    for line in sys.stdin:
        told = json.loads(line)
        if told["do"] == "stop":
            break
        if told["do"] == "produce":
            send(told)
        if told["do"] == "flush":
            say("flushed", at_ns=time.monotonic_ns())
say("ended")
"""


def command(program: str, log: Path) -> list[str]:
    return [sys.executable, "-c", program, str(log)]


def changed(old: str, new: str) -> str:
    """The same program but for this."""
    assert KEEPS.count(old) == 1
    return KEEPS.replace(old, new)


def ground(log: Path) -> Ground:
    def read() -> list[Content]:
        rows = map(json.loads, log.read_text().splitlines())
        return [(None if key is None else key.encode(), value.encode()) for key, value in rows]

    return Ground(find_kafka("4.1.1"), "127.0.0.1:1", "conformance", read)
