"""What adapters in Node share, of a library that cannot begin: it ends when it is told to."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

SHARED = Path(__file__).parents[3] / "adapters" / "node"
LIBRARY = """
import { run } from './talk.mjs'
const begin = () => %s
await run({ name: 'none', version: '1', settings: ['acks'], compression: [], begin, join: begin })
"""
BEGIN = '{"do": "begin", "protocol": 1, "role": "%s"}\n'
STOP = '{"do": "stop"}\n'
ROLES = pytest.mark.parametrize("role", ["producer", "member"])


@pytest.mark.skipif(shutil.which("node") is None, reason="no Node.js")
@ROLES
@pytest.mark.parametrize("then", [STOP, ""])
def test_who_is_answered_by_nobody_ends_when_it_is_told_to(role: str, then: str) -> None:
    never = "new Promise((resolve) => setTimeout(resolve, 3_600_000))"

    assert _events(never, BEGIN % role + then) == ["hello", "ended"]


@pytest.mark.skipif(shutil.which("node") is None, reason="no Node.js")
@ROLES
def test_who_cannot_begin_says_so_and_waits_to_be_told_to_stop(role: str) -> None:
    refused = "Promise.reject(new Error('refused'))"

    assert _events(refused, BEGIN % role + STOP) == ["hello", "fatal", "ended"]


def _events(begins: str, told: str) -> list[str]:
    words = ["node", "--input-type=module", "--eval", LIBRARY % begins]
    ran = subprocess.run(
        words, cwd=SHARED, input=told, check=True, capture_output=True, text=True, timeout=60
    )
    return [json.loads(line)["event"] for line in ran.stdout.splitlines()]
