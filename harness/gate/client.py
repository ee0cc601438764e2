"""GateProcess: starts the gate, tells it rules, and waits for what it reports."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import IO, Any

from highwater.harness.endings import end_all
from highwater.harness.errors import DeadlineError, InfrastructureError, UsageError
from highwater.harness.gate.handle import RuleHandle
from highwater.harness.gate.hub import LONGEST_COMMAND_BYTES, Event
from highwater.harness.gate.messages.addresses import Address
from highwater.harness.gate.rows import Rows
from highwater.harness.gate.rules import Rule
from highwater.harness.gate.upstream import Upstream
from highwater.harness.lifetime import Lifetime
from highwater.harness.patience import SLICE_S, left_s

Predicate = Callable[[Event], bool]

_REPLY_TIMEOUT_S = 10.0
_START_TIMEOUT_S = 60.0
_EXIT_TIMEOUT_S = 5.0
_EVENTS_SHOWN = 5
_STDERR_TAIL_BYTES = 2000


class GateProcess(Lifetime):
    """A gate in a process of its own, for the length of a `with`; safe to use from many threads.

    `on_event` hears every event, in order, from the thread that reads them, so it must not ask the
    gate anything; what it raises comes out of the next call made here. `process_group` is handed
    to Popen. An event's "seq" is its index among all events.
    """

    def __init__(
        self,
        *,
        on_event: Callable[[Event], None] | None = None,
        process_group: int | None = None,
    ) -> None:
        super().__init__()
        self.on_event = on_event
        self.rows = Rows(self._ask)
        self._process_group = process_group
        self._process: subprocess.Popen[bytes] | None = None
        self._stderr: IO[bytes] | None = None
        self._reader: threading.Thread | None = None
        self._changed = threading.Condition()
        self._events: list[Event] = []
        self._replies: dict[int, Event] = {}
        self._command_ids = itertools.count(1)
        self._rule_ids = itertools.count(1)
        self._callback_error: Exception | None = None
        self._has_ended = False
        self._last_words = ""

    def _begin(self) -> None:
        stderr = tempfile.TemporaryFile()  # noqa: SIM115 - it ends with us
        self._stderr = self._ending.enter_context(stderr)
        self._process = subprocess.Popen(
            [sys.executable, "-m", "highwater.harness.gate"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._stderr,
            env=os.environ.copy(),
            process_group=self._process_group,
        )
        self._reader = threading.Thread(target=self._read, name="gate-events", daemon=True)
        self._reader.start()
        self._ending.callback(self._stop, self._process)
        self.wait_event(
            lambda event: event["event"] == "ready", "the gate to start", _START_TIMEOUT_S
        )

    def _stop(self, process: subprocess.Popen[bytes]) -> None:
        """Ends the gate by ending its stdin."""
        if process.stdin is not None:
            with suppress(BrokenPipeError):
                process.stdin.close()
        try:
            process.wait(_EXIT_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        if self._reader is not None and self._reader is not threading.current_thread():
            self._reader.join(_EXIT_TIMEOUT_S)
        if process.stdout is not None:
            process.stdout.close()

    @property
    def pid(self) -> int:
        return self._running().pid

    def require_alive(self) -> None:
        """Raises InfrastructureError if the gate has died, and what `on_event` has raised."""
        with self._changed:
            self._require_alive("it was asked to end")

    def listen(self, upstream: Upstream, port: int = 0, *, host: str = "127.0.0.1") -> int:
        """Opens a port in front of a node and returns it; port 0 takes a free one."""
        reply = self._ask("listen", upstream=asdict(upstream), host=host, port=port)
        self.rows.is_between |= upstream.clients
        opened: int = reply["port"]
        return opened

    def shut(self, host: str, port: int) -> None:
        """Closes a port again: who connects is refused, and who had is cut off at once."""
        self._ask("shut", host=host, port=port)

    def add(self, rule: Rule) -> RuleHandle:
        """The rule is in force when this returns; it gets an id unless it has one."""
        named = rule if rule.rule_id else rule.named(f"rule-{next(self._rule_ids)}")
        since = self.mark()
        try:
            self._ask("add", rule=named.to_json())
        except BaseException as error:  # it may be in force all the same, and nobody has a handle
            end_all([partial(self.resolve, named.rule_id, "drop")], error)
            raise
        return RuleHandle(self, named, since)

    def describe(self, jars: Sequence[Path]) -> None:
        """These jars of kafka-clients describe the messages that rules with `answer` make."""
        self._ask("schemas", jars=[str(each) for each in jars])

    def readdress(self, gates: Mapping[Address, Address], gone: Sequence[Address] = ()) -> None:
        """From now on clients are told where the gate stands for a broker, by its own address.

        It stands no more for those that are `gone`. Needs `describe` first. Of a broker that the
        gate does not stand for a "warning" tells.
        """
        told = [[*own, *ours] for own, ours in gates.items()]
        self._ask("readdress", gates=told, gone=[[*each] for each in gone])

    def resolve(self, rule_id: str, how: str) -> int:
        """Retires a rule; "pass" or "drop" is what happens to its frames. Returns how many."""
        frames: int = self._ask("resolve", rule_id=rule_id, how=how)["frames"]
        return frames

    def remove(self, rule_id: str) -> None:
        """Retires a rule; refused with InfrastructureError while frames stand by it."""
        self._ask("remove", rule_id=rule_id)

    def counters(self, rule_id: str) -> dict[str, int]:
        """Readable at any time, also after the rule has gone."""
        counters: dict[str, int] = self._ask("counters", rule_id=rule_id)["counters"]
        return counters

    def topic_id(self, topic: str, topic_id: uuid.UUID | str) -> None:
        """Tells the gate the name of a topic id, for Fetch 13 and newer."""
        self._ask("topic_id", topic=topic, topic_id=str(topic_id))

    def reset_links(self, rule_id: str | None = None) -> None:
        """Lets a rule with `after`, or all of them, wait for it anew on every link."""
        self._ask("reset_links", rule_id=rule_id)

    def mark(self) -> int:
        """The number of events so far: what comes later has this index or a higher one."""
        with self._changed:
            return len(self._events)

    def events(self, since: int = 0) -> tuple[Event, ...]:
        with self._changed:
            return tuple(self._events[since:])

    def wait_event(
        self, predicate: Predicate, what: str, timeout_s: float, *, since: int = 0
    ) -> Event:
        """The first event from index `since` on for which the predicate holds.

        Raises DeadlineError with the last events, InfrastructureError if the gate has died.
        """
        deadline_s = time.monotonic() + timeout_s
        with self._changed:
            seen = since
            while True:
                for event in self._events[seen:]:
                    if predicate(event):
                        return event
                seen = max(seen, len(self._events))
                self._require_alive(what)
                still_s = left_s(deadline_s - time.monotonic())
                if still_s <= 0:
                    last = "; ".join(map(json.dumps, self._events[-_EVENTS_SHOWN:]))
                    raise DeadlineError(f"waited {timeout_s:.1f} s for {what}; last: {last}")
                self._changed.wait(min(still_s, SLICE_S))

    def _ask(self, name: str, **fields: Any) -> Event:
        with self._changed:
            self._require_alive(name)
            command_id = next(self._command_ids)
            self._send({"id": command_id, "command": name, **fields})
            deadline_s = time.monotonic() + left_s(_REPLY_TIMEOUT_S)
            while command_id not in self._replies:
                self._require_alive(name)
                still_s = deadline_s - time.monotonic()
                if still_s <= 0:
                    raise DeadlineError(
                        f"waited {_REPLY_TIMEOUT_S} s for the gate to answer {name}"
                    )
                self._changed.wait(min(still_s, SLICE_S))
            reply = self._replies.pop(command_id)
        if "error" in reply:
            raise InfrastructureError(f"the gate refused {name} {fields}: {reply['error']}")
        return reply

    def _send(self, command: Event) -> None:
        """Raises UsageError for more than the gate reads at once."""
        line = json.dumps(command).encode()
        if len(line) > LONGEST_COMMAND_BYTES:
            raise UsageError(
                f"{command['command']} is {len(line)} bytes long; the gate takes at most "
                f"{LONGEST_COMMAND_BYTES}"
            )
        stdin = self._running().stdin
        if stdin is None:
            raise InfrastructureError("the gate has no stdin")
        with suppress(BrokenPipeError):  # its end shows in the reader, with the reason
            stdin.write(line + b"\n")
            stdin.flush()

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            raise InfrastructureError("the gate has not been started: use it in a with statement")
        return self._process

    def _require_alive(self, what: str) -> None:
        if self._callback_error is not None:
            raise self._callback_error
        if not self._has_ended:
            return
        raise InfrastructureError(
            f"the gate died (exit {self._exit_code()}) before {what}{self._last_words}; "
            f"its stderr ends: {self._stderr_tail()}"
        )

    def _exit_code(self) -> int:
        """Of a gate that is heard no more; one that has not ended by itself is killed."""
        process = self._running()
        try:
            return process.wait(left_s(_EXIT_TIMEOUT_S))
        except subprocess.TimeoutExpired:
            process.kill()
            return process.wait()

    def _stderr_tail(self) -> str:
        if self._stderr is None or self._stderr.closed:
            return "(closed)"
        end = self._stderr.seek(0, 2)
        self._stderr.seek(max(0, end - _STDERR_TAIL_BYTES))
        return self._stderr.read().decode(errors="replace").strip() or "(empty)"

    def _read(self) -> None:
        """Take line after line; whatever ends that, a line that was cut short too, is the end."""
        line = b""
        try:
            for line in self._running().stdout or ():
                self._take(json.loads(line))
        except (ValueError, LookupError, OSError) as error:
            self._last_words = f", its last line {line[-80:]!r} could not be read ({error})"
        finally:
            with self._changed:
                self._has_ended = True
                self._changed.notify_all()

    def _take(self, message: Event) -> None:
        try:
            if "rows" in message:
                self.rows.hear(message["rows"])
            elif "unread" in message:
                self.rows.hear_unread(*message["unread"])
            elif "event" in message and self.on_event is not None:
                self.on_event(message)
        except Exception as error:  # noqa: BLE001 - the thread must live; the next call raises it
            self._callback_error = error
        with self._changed:
            if "event" in message:
                self._events.append(message)
            elif not message.keys() & {"rows", "unread"}:
                self._replies[message["reply"]] = message
            self._changed.notify_all()
