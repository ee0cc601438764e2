"""The adapter of platformatic, with a library of ours in the place of its own."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

ADAPTERS = Path(__file__).parents[3] / "adapters"
# Its consumer cannot join again as soon as it has begun, which an EventEmitter says by an event.
LIBRARY = """
import { EventEmitter } from 'node:events'
export const FetchIsolationLevels = {}, ProduceAcks = {}
export class Producer {}
export class Consumer extends EventEmitter {
  async consume() {
    setImmediate(() => this.emit('error', new Error('Connection closed')))
    return (async function* () { await new Promise(() => {}) })()
  }
  async close() {}
}
"""
SETTINGS = {
    "session.timeout.ms": 6000, "isolation.level": "none", "auto.offset.reset": "earliest",
}  # fmt: skip
BEGIN = {
    "do": "begin", "protocol": 1, "role": "member", "client": "billing-1", "group": "billing",
    "bootstrap": "127.0.0.1:1", "topics": ["orders"], "commits": "after", "processing_us": 0,
    "at_once": 500, "settings": SETTINGS,
}  # fmt: skip


@pytest.mark.skipif(shutil.which("node") is None, reason="no Node.js")
def test_a_member_that_cannot_join_again_says_so_and_goes_on(tmp_path: Path) -> None:
    shutil.copytree(ADAPTERS / "node", tmp_path / "node")
    shutil.copytree(ADAPTERS / "platformatic", tmp_path / "platformatic")
    package = tmp_path / "platformatic" / "node_modules" / "@platformatic" / "kafka"
    (package / "dist").mkdir(parents=True)
    (package / "dist" / "index.mjs").write_text(LIBRARY)
    (package / "package.json").write_text('{"version": "1", "exports": "./dist/index.mjs"}')

    with subprocess.Popen(
        ["node", tmp_path / "platformatic" / "adapter.mjs"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=os.environ,
    ) as adapter:  # fmt: skip
        assert adapter.stdin is not None
        assert adapter.stdout is not None
        adapter.stdin.write(json.dumps(BEGIN) + "\n")
        adapter.stdin.flush()
        said = [json.loads(adapter.stdout.readline()) for _ in range(3)]
        adapter.stdin.write('{"do": "stop"}\n')
        adapter.stdin.flush()
        last = json.loads(adapter.stdout.readline())

    assert [each["event"] for each in (*said, last)] == ["hello", "ready", "complaint", "ended"]
    assert said[2]["text"] == "Error: Connection closed"
