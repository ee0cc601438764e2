"""An adapter of ours, whose lines are changed on their way, is caught by what the gate has seen."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from highwater.harness.foreign.programs import command_of
from highwater.harness.versions.catalogue import find_kafka

pytestmark = [pytest.mark.cluster, pytest.mark.on_demand]

LIAR = """
import json, subprocess, sys, threading, time
inner = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
own = {}
def hear():
    for line in sys.stdin:
        told = json.loads(line)
        own.update(told if told["do"] == "begin" else {})
        if "acks" in told.get("settings", {}) and "transactional.id" not in told["settings"]:
            told["settings"] = {"acks": "1", "delivery.timeout.ms": 6000}
        inner.stdin.write(json.dumps(told).encode() + b"\\n")
        inner.stdin.flush()
    inner.stdin.close()
threading.Thread(target=hear, daemon=True).start()
kept = []
for line in inner.stdout:
    said = json.loads(line)
    event, commits = said["event"], own.get("commits")
    if event == "hello":
        said["capabilities"]["compression"] = ["gzip"]
    if event == "error":
        said.update(refused=True, code=19)
    if event == "commit" and commits == "before":
        print(json.dumps(said), flush=True)
        said.update(event="committed", at_ns=time.monotonic_ns(), error=None, code=None)
    elif event == "committed" and commits == "before":
        continue
    elif event == "commit" and commits == "after":
        kept.append(said)
        continue
    elif event == "committed" and commits == "after":
        print(json.dumps(kept.pop(0)), flush=True)
        said.update(error=None, code=None)
    print(json.dumps(said), flush=True)
sys.exit(inner.wait())
"""
CAUGHT = {
    "is set as it is told: acks, idempotence, compression, and where to": "expected acks=all",
    "does not call refused what a broker has appended": "expected refused to be false",
    "does not call refused what has had no answer in time": "expected refused to be false",
    "sends a record once where it is told not to try again": "expected one attempt",
    "as a member: commits what it has processed, before it ends at the latest": "to say 'commit'",
    "as a member: commits before it processes, where it is told to": "expected no committed before",
    "as a member: tells that a commit was refused": "expected the error of a commit",
}


def test_what_an_adapter_says_against_what_its_broker_was_asked_is_caught(tmp_path: Path) -> None:
    liar = tmp_path / "liar.py"
    liar.write_text(LIAR)
    words = [sys.executable, str(liar), *command_of("confluent-kafka", find_kafka("4.1.1"))]
    line = [sys.executable, "-m", "highwater.cli", "adapter", "check", "--json", *words]

    done = subprocess.run(line, capture_output=True, text=True, check=False, timeout=400)

    wrong = {each["rule"]: each["wrong"] for each in json.loads(done.stdout) if each["wrong"]}
    assert {*wrong} == {*CAUGHT}
    assert [why for rule, why in CAUGHT.items() if why not in wrong[rule]] == []
    assert done.returncode == 1
