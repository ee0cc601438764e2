"""Members that adapters share: what was given up meanwhile is others' to commit."""

from __future__ import annotations

import asyncio
import json
import shutil
import subprocess
import sys
import threading
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, NamedTuple

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
        return [(*ORDERS, 7, b"highwater:1", None, None)]

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


class Keeping(Consumer):
    """Hands out a record of a partition that it keeps, once."""

    def poll(self, _seconds: float, _most: int) -> list[tuple[Any, ...]]:
        self._member.assigned([ORDERS])
        self._member.stopping.set()
        return [(*ORDERS, 7, b"highwater:1", None, None)]


def test_a_member_in_python_leaves_commits_to_its_library_where_it_is_told_to() -> None:
    said: list[str] = []
    begin = {"at_once": 500, "processing_us": 0, "commits": "auto"}

    Member(begin, lambda event, **_fields: said.append(event)).run(Keeping(), ["orders"])

    assert said == ["ready", "assigned", "polled", "processed"]


class Busy(Consumer):
    """Hands out nothing, and rests for as long as it is told."""

    def __init__(self) -> None:
        self.rested: list[float] = []

    def poll(self, _seconds: float, _most: int) -> list[tuple[Any, ...]]:
        self._member.busy_s = 0.0 if self.rested else 8.0
        if self.rested:
            self._member.stopping.set()
        return []

    def rest(self, seconds: float) -> None:
        self.rested.append(seconds)


def test_a_member_in_python_is_busy_once_for_as_long_as_it_is_told() -> None:
    begin = {"at_once": 500, "processing_us": 100, "commits": "after"}
    consumer = Busy()

    Member(begin, lambda _event, **_fields: None).run(consumer, ["orders"])

    assert consumer.rested == [8.0]


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


REACHED = """
import { Member } from './member.mjs'
const said = []
const say = (event, { offsets }) => offsets && said.push(...offsets)
const member = new Member({ commits: 'after' }, { now: () => 1, say, library: {} })
member.assigned([{ topic: 'orders', partition: 0 }])
for (const offset of [undefined, 5, 5, null])
  member.reached([{ topic: 'orders', partition: 0, offset }])
console.log(JSON.stringify(said))
"""


@pytest.mark.skipif(shutil.which("node") is None, reason="no Node.js")
def test_a_position_that_a_library_does_not_know_is_not_told() -> None:
    words = ["node", "--input-type=module", "--eval", REACHED]
    ran = subprocess.run(words, cwd=ADAPTERS / "node", check=True, capture_output=True, text=True)

    assert json.loads(ran.stdout) == [["orders", 0, 5]]


BUSY = """
import { Member } from './member.mjs'
const begin = { commits: 'after', processing_us: 1000 }
const member = new Member(begin, { now: () => 1, say: () => {}, library: {} })
const since = performance.now()
member.busyMs = 300
await member.handed('orders', 0, [[7, null, null]])
const busy = performance.now() - since
console.log(JSON.stringify([busy >= 300, member.busyMs]))
"""


@pytest.mark.skipif(shutil.which("node") is None, reason="no Node.js")
def test_a_member_in_node_is_busy_once_for_as_long_as_it_is_told() -> None:
    words = ["node", "--input-type=module", "--eval", BUSY]
    ran = subprocess.run(words, cwd=ADAPTERS / "node", check=True, capture_output=True, text=True)

    assert json.loads(ran.stdout) == [True, 0]


STOPPED = """
import { Member } from './member.mjs'
const begin = { commits: 'after', processing_us: 20000 }
const said = []
const member = new Member(begin, { now: () => 1, say: (event) => said.push(event), library: {} })
member.started({ commit: async () => said.push('asked'), close: async () => {} })
member.assigned([{ topic: 'orders', partition: 0 }])
const first = member.handed('orders', 0, [[7, Buffer.from('highwater:1'), null]])
const stopped = member.stop()
await member.handed('orders', 0, [[8, Buffer.from('highwater:2'), null]])
member.reached([{ topic: 'orders', partition: 0, offset: 9 }])
await Promise.all([first, stopped])
console.log(JSON.stringify(said))
"""


@pytest.mark.skipif(shutil.which("node") is None, reason="no Node.js")
def test_a_member_in_node_ends_what_it_processes_and_commits_it_before_it_stops() -> None:
    words = ["node", "--input-type=module", "--eval", STOPPED]
    ran = subprocess.run(words, cwd=ADAPTERS / "node", check=True, capture_output=True, text=True)

    assert json.loads(ran.stdout) == [
        "assigned", "polled", "processed", "commit", "asked", "committed", "revoked",
    ]  # fmt: skip


class Place(NamedTuple):
    topic: str
    partition: int


class Rebalanced:
    """As aiokafka's consumer does: whoever waits for it lets it take away what it handed out."""

    told_to_stop: threading.Event

    def __init__(self, **_settings: Any) -> None:
        self.committed: dict[Place, int] = {}
        self._member: Any = None
        self._tasks: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        """It has nobody to connect to."""

    def subscribe(self, _topics: list[str], listener: Any) -> None:
        self._listener = listener

    async def getmany(self, **_limits: int) -> dict[Place, list[Any]]:
        if self._tasks:
            await self._tasks[0]
            self.told_to_stop.set()
            return {}
        await self._listener.on_partitions_assigned([Place(*ORDERS)])
        self._tasks.append(asyncio.create_task(self._take_away()))
        record = SimpleNamespace(
            topic="orders", partition=0, offset=7, value=b"highwater:1", key=None, headers=()
        )
        return {Place(*ORDERS): [record]}

    async def _take_away(self) -> None:
        for _ in range(5):  # by then the record is processed
            await asyncio.sleep(0)
        await self._listener.on_partitions_revoked([Place(*ORDERS)])

    async def commit(self, offsets: dict[Place, int]) -> None:
        self.committed.update(offsets)

    def assignment(self) -> list[Place]:
        return []

    async def stop(self) -> None:
        """Nothing to stop."""


def member_of_aiokafka(monkeypatch: pytest.MonkeyPatch) -> Any:
    library, errors = ModuleType("aiokafka"), ModuleType("aiokafka.errors")
    vars(library).update(
        AIOKafkaConsumer=Rebalanced, ConsumerRebalanceListener=object, TopicPartition=Place
    )
    vars(errors).update(BrokerResponseError=KeyError, IllegalStateError=ValueError)
    monkeypatch.setitem(sys.modules, "aiokafka", library)
    monkeypatch.setitem(sys.modules, "aiokafka.errors", errors)
    monkeypatch.syspath_prepend(str(ADAPTERS / "python"))
    spec = spec_from_file_location("member_of_aiokafka", ADAPTERS / "aiokafka" / "member.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_member_of_aiokafka_ends_what_it_processes_before_it_is_taken_away(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    said: list[str] = []
    begin = {"at_once": 500, "processing_us": 1000, "commits": "after", "settings": {}}
    begin["settings"] = {"session.timeout.ms": 6000}
    told = {**begin, "bootstrap": "nowhere:9", "client": "billing-1", "group": "billing"}
    consumer = member_of_aiokafka(monkeypatch).Consumer(told)
    member = Member(begin, lambda event, **_fields: said.append(event))
    monkeypatch.setattr(Rebalanced, "told_to_stop", member.stopping, raising=False)

    member.run(consumer, ["orders"])
    consumer._loop.close()  # in a program of its own the process ends

    assert said == ["ready", "assigned", "polled", "processed", "commit", "committed", "revoked"]
