"""Members that adapters share: what was given up meanwhile is others' to commit."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from highwater.adapters.python.membership import Member

ADAPTERS = Path(__file__).parents[3] / "adapters"
ORDERS = ("orders", 0)


class Consumer:
    """Is assigned a partition, and hands out a record of it when it has lost it again."""

    def subscribe(self, _topics: list[str], member: Member) -> None:
        self._member = member

    def poll(self, _seconds: float, _most: int) -> list[tuple[Any, ...]]:
        self._member.assigned([ORDERS])
        self._member.left([ORDERS])
        self._member.stopping.set()
        return [(*ORDERS, 7, b"highwater:1", None)]

    def commit(self, positions: dict[tuple[str, int], int]) -> None:
        pytest.fail(f"nobody holds {positions}")

    def generation(self) -> None:
        """It does not tell it."""

    def close(self) -> None:
        """Nothing to close."""


@pytest.mark.parametrize("commits", ["after", "before"])
def test_a_member_in_python_does_not_commit_what_it_holds_no_more(commits: str) -> None:
    said: list[str] = []
    begin = {"at_once": 500, "processing_us": 0, "commits": commits}

    Member(begin, lambda event, **_fields: said.append(event)).run(Consumer(), ["orders"])

    assert said == ["ready", "assigned", "revoked", "polled", "processed"]


NODE = """
import { Member } from './member.mjs'
const begin = { commits: process.argv[1], processing_us: 0 }
const said = []
const member = new Member(begin, { now: () => 1, say: (event) => said.push(event), library: {} })
member.started({ commit: async () => said.push('asked'), close: async () => {} })
member.assigned([{ topic: 'orders', partition: 0 }])
member.left('lost')
await member.handed('orders', 0, [[7, Buffer.from('highwater:1'), null]])
member.assigned([{ topic: 'orders', partition: 0 }])
await member.stop()
console.log(JSON.stringify(said))
"""


@pytest.mark.skipif(shutil.which("node") is None, reason="no Node.js")
@pytest.mark.parametrize("commits", ["after", "before"])
def test_a_member_in_node_does_not_and_holds_nothing_when_it_has_ended(commits: str) -> None:
    words = ["node", "--input-type=module", "--eval", NODE, commits]
    ran = subprocess.run(words, cwd=ADAPTERS / "node", check=True, capture_output=True, text=True)

    assert json.loads(ran.stdout) == [
        "assigned", "lost", "polled", "processed", "assigned", "revoked",
    ]  # fmt: skip
