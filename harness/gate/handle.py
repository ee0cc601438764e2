"""RuleHandle: what one can ask and tell about one rule of a running gate."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Protocol

from highwater.harness.errors import DeadlineError
from highwater.harness.gate.hub import Event
from highwater.harness.gate.rules import Rule


class Reporter(Protocol):
    """The part of a running gate that a handle speaks to."""

    def resolve(self, rule_id: str, how: str) -> int: ...

    def remove(self, rule_id: str) -> None: ...

    def counters(self, rule_id: str) -> dict[str, int]: ...

    def events(self, since: int = 0) -> tuple[Event, ...]: ...

    def mark(self) -> int: ...

    def wait_event(
        self, predicate: Callable[[Event], bool], what: str, timeout_s: float, *, since: int = 0
    ) -> Event: ...


def _is_same_frame(event: Event, other: Event) -> bool:
    return all(other.get(key) == event[key] for key in ("rule", "connection", "correlation_id"))


class RuleHandle:
    """A rule in force, until `pass_on`, `drop` or `remove`; waits look back to its beginning."""

    def __init__(self, gate: Reporter, rule: Rule, since: int) -> None:
        self._gate = gate
        self.rule = rule
        self._since = since

    @property
    def rule_id(self) -> str:
        return self.rule.rule_id

    def wait(
        self,
        event: str,
        timeout_s: float = 10.0,
        *,
        follower: int | None = None,
        since: int | None = None,
    ) -> Event:
        """The first event of this name by this rule; `since` is a mark of the gate's.

        Raises DeadlineError with the rule's counters and last events.
        """

        def is_it(seen: Event) -> bool:
            return (
                seen.get("rule") == self.rule_id
                and seen["event"] == event
                and follower in {None, seen["follower"]}
            )

        by = "" if follower is None else f" from follower {follower}"
        what = f'"{event}" of {self.rule_id}{by}'
        begin = self._since if since is None else since
        try:
            return self._gate.wait_event(is_it, what, timeout_s, since=begin)
        except DeadlineError as error:
            raise DeadlineError(f"{error}; counters {self.counters()}; {self.rule}") from None

    def standing(
        self, timeout_s: float = 10.0, *, follower: int | None = None, since: int | None = None
    ) -> Event:
        """Waits until a frame stands at the gate for this rule, and still does.

        A frame whose connection has been closed meanwhile no longer stands.
        """
        deadline_s = time.monotonic() + timeout_s
        while True:
            left_s = deadline_s - time.monotonic()
            event = self.wait("standing", left_s, follower=follower, since=since)
            later = self._gate.events(event["seq"] + 1)
            if not any(_is_same_frame(event, one) for one in later):
                return event
            since = event["seq"] + 1

    def seen(
        self, timeout_s: float = 10.0, *, follower: int | None = None, since: int | None = None
    ) -> Event:
        """Waits until a frame that this rule watches has gone on to its destination."""
        return self.wait("seen", timeout_s, follower=follower, since=since)

    def pass_on(self) -> int:
        """Delivers what stands, lets everything else through; returns how many frames stood."""
        return self._gate.resolve(self.rule_id, "pass")

    def drop(self) -> int:
        """Discards what stands and closes its connections; returns how many frames stood.

        Delivering late would hand over the very high watermark that was withheld.
        """
        return self._gate.resolve(self.rule_id, "drop")

    def remove(self) -> None:
        """Retires a rule by which no frame stands; refused otherwise."""
        self._gate.remove(self.rule_id)

    def counters(self) -> dict[str, int]:
        return self._gate.counters(self.rule_id)

    def events(self) -> tuple[Event, ...]:
        mine = self._gate.events(self._since)
        return tuple(event for event in mine if event.get("rule") == self.rule_id)
