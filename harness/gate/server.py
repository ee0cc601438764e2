"""The gate's own process: commands as JSON lines on stdin, replies and events on stdout.

It ends when its stdin does, so it cannot outlive the harness, and it ignores SIGINT, so that
Ctrl-C lets the harness end things in its own order.
"""

from __future__ import annotations

import asyncio
import json
import signal
import sys
import uuid
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

from highwater.harness.gate.hub import LONGEST_COMMAND_BYTES, Event, Hub
from highwater.harness.gate.messages.answers import APIS
from highwater.harness.gate.messages.declining import ANSWERED
from highwater.harness.gate.messages.schemas import Schemas
from highwater.harness.gate.proxy import Gate
from highwater.harness.gate.rules import Rule
from highwater.harness.gate.upstream import Upstream

Command = dict[str, Any]
Reply = dict[str, Any]


class Commands:
    """One method per command; each returns the fields of its reply."""

    def __init__(self, gate: Gate) -> None:
        self._gate = gate
        self._hub = gate.hub
        self._read: dict[tuple[str, ...], Schemas] = {}  # by their jars
        self._by_name: dict[str, Callable[[Command], Awaitable[Reply]]] = {
            "listen": self._listen,
            "shut": self._shut,
            "add": self._add,
            "resolve": self._resolve,
            "remove": self._remove,
            "counters": self._counters,
            "topic_id": self._topic_id,
            "reset_links": self._reset_links,
            "schemas": self._schemas,
            "readdress": self._readdress,
            "see": self._see,
            "give_up": self._give_up,
        }

    async def answer(self, command: Command) -> Reply:
        """Whatever is wrong with a command is its reply, never the end of the gate."""
        try:
            fields = await self._by_name[command["command"]](command)
        except (OSError, ValueError, TypeError, KeyError, BadZipFile) as error:
            return {"reply": command.get("id"), "error": f"{type(error).__name__}: {error}"}
        return {"reply": command.get("id"), **fields}

    async def _listen(self, command: Command) -> Reply:
        upstream = Upstream(**command["upstream"])
        return {"port": await self._gate.listen(upstream, command["host"], command["port"])}

    async def _shut(self, command: Command) -> Reply:
        self._gate.shut(command["host"], command["port"])
        return {}

    async def _add(self, command: Command) -> Reply:
        rule = Rule.from_json(command["rule"])
        for match in (rule.match, rule.after):
            if match is not None and match.topic and match.topic_id:
                self._hub.names.learn(match.topic, uuid.UUID(match.topic_id))
        if rule.action.kind == "answer":
            self._may_be_answered(rule)
        self._hub.engine.add(rule)
        return {}

    def _may_be_answered(self, rule: Rule) -> None:
        apis, stage = rule.match.apis or (), rule.match.stage
        able = APIS if stage == "request" else ANSWERED
        if stage == "either" or not apis or not set(apis) <= able:
            raise ValueError(f"no answer can be made for apis {apis} at stage {stage!r}")
        if self._hub.schemas is None:
            raise ValueError("an answer needs Kafka's descriptions of its messages first")

    async def _resolve(self, command: Command) -> Reply:
        if command["how"] not in {"pass", "drop"}:
            raise ValueError(f"{command['how']!r} is neither 'pass' nor 'drop'")
        state = self._hub.engine.state(command["rule_id"])
        return {"frames": self._hub.resolve(state, command["how"])}

    async def _remove(self, command: Command) -> Reply:
        state = self._hub.engine.state(command["rule_id"])
        standing = len(self._hub.standing(state))
        if standing:
            raise ValueError(f"{standing} frames stand by {command['rule_id']}: say pass or drop")
        self._hub.engine.retire(state)
        return {}

    async def _counters(self, command: Command) -> Reply:
        state = self._hub.engine.state(command["rule_id"])
        places = self._hub.standing(state)
        now = {"standing": len(places), "behind": sum(place.behind for place in places)}
        return {"counters": {**state.counters.to_json(), **now}}

    async def _topic_id(self, command: Command) -> Reply:
        self._hub.names.learn(command["topic"], uuid.UUID(command["topic_id"]))
        return {}

    async def _schemas(self, command: Command) -> Reply:
        self._hub.schemas = await self._described(command["jars"])
        return {}

    async def _described(self, jars: list[str]) -> Schemas:
        """By these jars, which are read once, and beside what passes the gate meanwhile."""
        known = self._read.get(tuple(jars))
        if known is None:
            known = Schemas([Path(each) for each in jars])
            await asyncio.to_thread(known.load)
            self._read[tuple(jars)] = known
        return known

    async def _see(self, command: Command) -> Reply:
        """Without jars nothing is seen from now on; all that was seen is told before the reply."""
        self._hub.warn_anew()
        if command["jars"]:
            self._hub.seen.begin(await self._described(command["jars"]))
        else:
            self._hub.seen.end()
        return {}

    async def _give_up(self, _command: Command) -> Reply:
        self._hub.seen.give_up()
        return {}

    async def _readdress(self, command: Command) -> Reply:
        if self._hub.schemas is None:
            raise ValueError("to read answers needs Kafka's descriptions of its messages first")
        self._hub.gates.update({(own, at): (ours, ear) for own, at, ours, ear in command["gates"]})
        for own, at in command["gone"]:
            self._hub.gates.pop((own, at), None)
        return {}

    async def _reset_links(self, command: Command) -> Reply:
        engine = self._hub.engine
        rule_id = command["rule_id"]
        states = engine.states.values() if rule_id is None else (engine.state(rule_id),)
        engine.put_to_sleep(states)
        return {}


async def _stdin() -> asyncio.StreamReader:
    reader = asyncio.StreamReader(limit=LONGEST_COMMAND_BYTES)
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), sys.stdin
    )
    return reader


async def _stdout() -> Callable[[Event], None]:
    """Lines are queued, not waited for: a harness that stands still must not stop the brokers."""
    transport, _ = await asyncio.get_running_loop().connect_write_pipe(
        asyncio.BaseProtocol, sys.stdout
    )

    def write(line: Event) -> None:
        transport.write(json.dumps(line, separators=(",", ":")).encode() + b"\n")

    return write


async def serve() -> None:
    """Runs until stdin ends or the command "quit" comes."""
    write = await _stdout()
    commands = await _stdin()
    hub = Hub(write)
    gate = Gate(hub)
    answering = Commands(gate)
    hub.emit("ready")
    try:
        while line := await commands.readline():
            command = json.loads(line)
            if command["command"] == "quit":
                write({"reply": command.get("id")})
                break
            write(await answering.answer(command))
    finally:
        gate.close()


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    asyncio.run(serve())
