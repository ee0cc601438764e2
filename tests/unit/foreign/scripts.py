"""A small adapter that keeps to the protocol, with a file for a broker; and what can be changed."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from highwater.harness.foreign.conformance_of_headers import NAME
from highwater.harness.foreign.ground import Ground, Headed
from highwater.harness.gate.traffic import BATCHES
from highwater.harness.versions.catalogue import find_kafka
from highwater.harness.workloads.contents import Content

KEEPS = """
import json, os, sys, threading, time
BORN_NS = time.monotonic_ns()
MEMBER = "auto.offset.reset isolation.level session.timeout.ms max.poll.interval.ms".split()
MEMBER += ["enable.auto.commit", "auto.commit.interval.ms"]
SETTINGS = "acks retries enable.idempotence compression.type delivery.timeout.ms".split()
def say(event, **fields):
    print(json.dumps({"event": event, **fields}), flush=True)
def hello():
    say("hello", protocol=1, library="literal", version="1", clock="monotonic",
        at_ns=time.monotonic_ns(), capabilities={"roles": ["producer", "member"], "member": MEMBER,
        "settings": SETTINGS, "compression": ["gzip"],
        "transactions": ["transactional.id", "transaction.timeout.ms"],
        "headers": ["producer", "member"]})
def wrong(number, error):
    failed.append(number)
    say("error", error=error, text="no", code=None, retriable=False, refused=True,
        records=[[number, time.monotonic_ns()]])
def seen(table, **row):
    with open(sys.argv[1] + ".rows", "a") as rows:
        rows.write(json.dumps([table, {"asked_ns": time.monotonic_ns(), **row}]) + "\\n")
def ordered(api):
    try:
        with open(sys.argv[1] + ".gate") as file:
            order = json.load(file)
    except OSError:
        order = {}
    return order if order.get("api") == api else {}
def stand(most_s):
    open(sys.argv[1] + ".stands", "w").close()
    until_s = time.monotonic() + most_s
    while os.path.exists(sys.argv[1] + ".gate") and time.monotonic() < until_s:
        time.sleep(0.01)
def ask_batch(told):
    settings = begin["settings"]
    who = 7 if settings["enable.idempotence"] else -1
    how = {"acks": settings["acks"], "producer_id": who, "codec": settings["compression.type"]}
    where = {"topic": told["topic"], "partition": told["partition"]}
    at_ns = time.monotonic_ns()
    seen("batches", **where, **how, base_offset=told["first"], answered_ns=at_ns)
def spread(told):
    order = ordered(0)
    code = order.get("error")
    for _ in range(1 + begin["settings"]["retries"] * (code == 19)):
        ask_batch(told)
    if order.get("holds"):
        stand(0.5)
    elif code is None:
        ends = [[told["first"] + n, n, time.monotonic_ns()] for n in range(len(told["values"]))]
        return say("ok", records=ends)
    say("error", error="Failed", text="no", code=code, retriable=False, refused=False,
        records=[[told["first"], time.monotonic_ns()]])
def send_headed(told):
    with open(sys.argv[1] + ".headed", "a") as log:
        for header in told.get("headers") or [None] * len(told["values"]):
            log.write(json.dumps(header if header is None else header.encode().hex()) + "\\n")
    ends = [[told["first"] + n, n, time.monotonic_ns()] for n in range(len(told["values"]))]
    say("ok", records=ends)
def text(header):
    return header if header is None else bytes.fromhex(header).decode("utf-8", "replace")
def member_headed(begin):
    say("ready")
    where = {"partitions": [["conformance-headed", 0]], "generation": 1}
    dealt_ns = time.monotonic_ns()
    say("assigned", at_ns=dealt_ns, **where)
    with open(sys.argv[1] + ".headed") as log:
        records = [[at, "v", None, text(json.loads(line))] for at, line in enumerate(log)]
    where["topic"] = "conformance-headed"
    say("polled", at_ns=time.monotonic_ns(), partition=0, records=records, **where)
    sys.stdin.readline()
def send(told):
    if told.get("topic") == "conformance-spread":
        return spread(told)
    if told.get("topic") == "conformance-headed":
        return send_headed(told)
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
def ask(kept, end):
    order = ordered(8)
    code = order.get("error")
    where = {"group": begin["group"], "generation": 1, "topic": "conformance", "partition": 0}
    seen("commit_requests", **where, offset=end, error_code=code or 0)
    if code is None:
        keep(kept, end)
    if order.get("holds"):
        stand(60)
    return code
def commit(kept, end):
    offsets = [["conformance", 0, end]]
    say("commit", at_ns=time.monotonic_ns(), offsets=offsets)
    code = ask(kept, end)
    error = code and "Refused"
    say("committed", at_ns=time.monotonic_ns(), offsets=offsets, error=error, code=code)
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
        ask(kept, end)
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
if begin.get("headers"):
    member_headed(begin)
elif begin.get("role") == "member":
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


class Files:
    """What stands between that adapter and its file: it asks them what becomes of a request."""

    def __init__(self, log: Path) -> None:
        self._rows, self._stands, self._order = (
            log.with_name(f"{log.name}.{each}") for each in ("rows", "stands", "gate")
        )

    def seen(self, table: str, since_ns: int = 0) -> list[dict[str, Any]]:
        lines = self._rows.read_text().splitlines(keepends=True) if self._rows.exists() else []
        told = [json.loads(line) for line in lines if line.endswith("\n")]
        return [row for name, row in told if name == table and row["asked_ns"] >= since_ns]

    @contextmanager
    def answering(self, api: int, error: int, *, done: bool) -> Iterator[None]:
        with self._ordering({"api": api, "error": error, "done": done}):
            yield

    @contextmanager
    def holding(self, api: int) -> Iterator[Files]:
        self._stands.unlink(missing_ok=True)
        with self._ordering({"api": api, "holds": True}):
            yield self

    @contextmanager
    def _ordering(self, order: dict[str, Any]) -> Iterator[None]:
        written = self._order.with_suffix(".written")
        written.write_text(json.dumps(order))
        written.rename(self._order)
        try:
            yield
        finally:
            self.pass_on()

    def stands(self) -> bool:
        return self._stands.exists()

    def pass_on(self) -> None:
        self._order.unlink(missing_ok=True)


def ground(log: Path) -> Ground:
    def read() -> list[Content]:
        rows = map(json.loads, log.read_text().splitlines())
        return [(None if key is None else key.encode(), value.encode()) for key, value in rows]

    def committed(group: str) -> int | None:
        kept = log.with_name(f"{log.name}.{group}")
        return int(kept.read_text()) if kept.exists() else None

    gate = Files(log)

    def codecs(partition: int, first: int) -> frozenset[str]:
        rows = [row for row in gate.seen(BATCHES) if row["base_offset"] >= first]
        return frozenset(row["codec"] for row in rows if row["partition"] == partition)

    kept = log.with_name(f"{log.name}.headed")

    def headers(name: str) -> list[bytes | None]:
        lines = kept.read_text().splitlines() if kept.exists() else []
        return [None if told is None else bytes.fromhex(told) for told in map(json.loads, lines)]

    def put(records: Sequence[Sequence[tuple[str, bytes]]]) -> None:
        with kept.open("a") as file:
            for told in (dict(each).get(NAME) for each in records):
                file.write(json.dumps(told if told is None else told.hex()) + "\n")

    kafka, spread = find_kafka("4.1.1"), "conformance-spread"
    headed = Headed("conformance-headed", headers, put)
    where = kafka, "127.0.0.1:1", "conformance"
    return Ground(*where, read, committed, spread, codecs, gate, headed)
