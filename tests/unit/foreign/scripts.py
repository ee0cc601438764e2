"""A small adapter that keeps to the protocol, with a file for a broker; and what can be changed."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from highwater.harness.foreign.ground import Ground
from highwater.harness.versions.catalogue import find_kafka
from highwater.harness.workloads.contents import Content

KEEPS = """
import json, os, sys, threading, time
BORN_NS = time.monotonic_ns()
MEMBER = "auto.offset.reset isolation.level session.timeout.ms max.poll.interval.ms".split()
MEMBER += ["enable.auto.commit", "auto.commit.interval.ms"]
def say(event, **fields):
    print(json.dumps({"event": event, **fields}), flush=True)
def hello():
    say("hello", protocol=1, library="literal", version="1", clock="monotonic",
        at_ns=time.monotonic_ns(), capabilities={"roles": ["producer", "member"], "member": MEMBER,
        "settings": ["acks", "retries"], "compression": [],
        "transactions": ["transactional.id", "transaction.timeout.ms"]})
def wrong(number, error):
    failed.append(number)
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
    if owner:
        return hold(rows)
    with open(sys.argv[1], "a+") as log:
        log.seek(0)
        at = sum(1 for _ in log)
        for _, record in rows:
            log.write(json.dumps(record) + "\\n")
    now_ns = time.monotonic_ns()
    if rows:
        say("ok", records=[[each[0], at + n, now_ns] for n, each in enumerate(rows)])
owner, me, pending, failed = "", str(os.getpid()), [], []
def register(name):
    with open(name, "w") as file:
        file.write(me)
    return name
def hold(rows):
    now = time.monotonic_ns()
    if rows:
        say("ok", records=[[each[0], len(pending) + n, now] for n, each in enumerate(rows)])
    pending.extend(record for _, record in rows)
def answer(step, error=None, demands=None):
    told = {"error": error, "text": "", "code": None, "demands": demands}
    told["unconfirmed"] = demands == "retry"
    say("transaction", step=step, at_ns=time.monotonic_ns(), **told)
def transact(step):
    if open(owner).read() != me:
        return answer(step, "Fenced", "close")
    if step == "commit" and failed:
        return answer(step, "Failed", "abort")
    if step == "commit":
        with open(sys.argv[1], "a") as log:
            log.writelines(json.dumps(each) + "\\n" for each in pending)
    pending.clear()
    failed.clear()
    answer(step)
def keep(kept, end):
    with open(kept, "w") as file:
        file.write(str(end))
def commit(kept, end):
    offsets = [["conformance", 0, end]]
    say("commit", at_ns=time.monotonic_ns(), offsets=offsets)
    keep(kept, end)
    say("committed", at_ns=time.monotonic_ns(), offsets=offsets, error=None, code=None)
def listen():
    for line in sys.stdin:
        if '"stop"' in line:
            return told.update(stop=True)
        told["busy_s"] = json.loads(line)["for_us"] / 1e6
    told["stop"] = True
def turn(begin, kept, at):
    with open(sys.argv[1]) as log:
        some = [json.loads(line) for line in log][at:][:begin["at_once"]]
    busy_s = told.pop("busy_s", 0.0)
    if not some:
        time.sleep(busy_s or 0.01)
        return at
    records = [[at + n, value, key] for n, (key, value) in enumerate(some)]
    end = at + len(some)
    say("polled", at_ns=time.monotonic_ns(), topic="conformance", partition=0, records=records)
    if begin["commits"] == "before":
        commit(kept, end)
    time.sleep(begin["processing_us"] * len(some) / 1e6 + busy_s)
    say("processed", at_ns=time.monotonic_ns(), offsets=[["conformance", 0, at, end]])
    if begin["commits"] == "after":
        commit(kept, end)
    if begin["settings"].get("enable.auto.commit"):
        keep(kept, end)
    return end
told = {}
def member(begin):
    say("ready", role="member")
    where = {"partitions": [["conformance", 0]], "generation": 1}
    say("assigned", at_ns=time.monotonic_ns(), **where)
    kept = sys.argv[1] + "." + begin["group"]
    at = int(open(kept).read()) if os.path.exists(kept) else 0
    threading.Thread(target=listen, daemon=True).start()
    while "stop" not in told:
        at = turn(begin, kept, at)
    say("revoked", at_ns=time.monotonic_ns(), **where)
hello()
line = sys.stdin.readline()
begin = json.loads(line or "{}")
if begin.get("role") == "member":
    member(begin)
elif line:
    if "transactional.id" in begin["settings"]:
        owner = register(sys.argv[1] + "." + begin["settings"]["transactional.id"])
    say("ready")
    for line in sys.stdin:
        told = json.loads(line)
        if told["do"] == "stop":
            break
        if told["do"] == "produce":
            send(told)
        if told["do"] == "transaction":
            transact(told["step"])
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

    def committed(group: str) -> int | None:
        kept = log.with_name(f"{log.name}.{group}")
        return int(kept.read_text()) if kept.exists() else None

    return Ground(find_kafka("4.1.1"), "127.0.0.1:1", "conformance", read, committed)
