"""Judges frames by the rules, in the order in which the rules were added.

Synchronous and without any I/O. The proxy asks `judge` when a frame has come, tells `delivered`
when it has gone on, and asks again when a hold is over: only rules that have not looked at that
frame yet look at it then, so a later hold still holds what an earlier one passed.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Literal

from highwater.harness.gate.frames import Frame
from highwater.harness.gate.rules import Rule

Outcome = Literal["pass", "hold", "drop", "cut", "wait", "answer"]


@dataclass
class Counters:
    """`matched` counts frames that matched while the rule was awake on their link.

    `unreadable` counts frames that the rule could not judge: a body that does not decode, or a
    topic id whose name the gate has not been told.
    """

    matched: int = 0
    held: int = 0
    passed: int = 0
    dropped: int = 0
    delayed: int = 0
    cut: int = 0
    answered: int = 0
    unreadable: int = 0

    def to_json(self) -> dict[str, int]:
        return asdict(self)


@dataclass(eq=False)
class RuleState:
    """A rule with what it has done so far."""

    rule: Rule
    active: bool = True
    awake_links: set[tuple[int | str | None, int]] = field(default_factory=set)
    counters: Counters = field(default_factory=Counters)

    def is_awake(self, frame: Frame) -> bool:
        return self.rule.after is None or frame.link in self.awake_links


@dataclass(eq=False)
class Passage:
    """One frame on its way through the gate, with the rules that have looked at it."""

    frame: Frame
    judged: set[int] = field(default_factory=set)
    fired: list[RuleState] = field(default_factory=list)


@dataclass(frozen=True)
class Judgement:
    """`rule` decided; `wait_s` is set for "wait" only."""

    outcome: Outcome
    rule: RuleState | None = None
    wait_s: float = 0.0


class RuleEngine:
    """All rules of one gate, past ones included."""

    def __init__(self) -> None:
        self.states: dict[str, RuleState] = {}
        self._active: list[RuleState] = []

    def add(self, rule: Rule) -> RuleState:
        if not rule.rule_id or rule.rule_id in self.states:
            raise ValueError(f"rule id {rule.rule_id!r} is empty or taken")
        state = RuleState(rule)
        self.states[rule.rule_id] = state
        self._active.append(state)
        return state

    def state(self, rule_id: str) -> RuleState:
        try:
            return self.states[rule_id]
        except KeyError:
            raise ValueError(f"no rule {rule_id!r}; known: {sorted(self.states)}") from None

    def retire(self, state: RuleState) -> None:
        """From now on the rule looks at no frame; its counters stay readable."""
        state.active = False
        if state in self._active:
            self._active.remove(state)

    def put_to_sleep(self, states: Iterable[RuleState]) -> None:
        """Rules with an `after` wait for it anew on every link."""
        for state in states:
            state.awake_links.clear()

    def is_interested(self, frame: Frame) -> bool:
        """Whether any rule could care, so that the whole frame has to be collected."""
        if frame.stage == "request" and self.keeps(frame):
            return True
        return any(
            state.rule.match.may_mean(frame)
            or (state.rule.after is not None and state.rule.after.may_mean(frame))
            or _may_answer(state.rule, frame)
            for state in self._active
        )

    def keeps(self, frame: Frame) -> bool:
        """Whether a rule needs what it asks: to answer it, or to know which partitions it names."""
        return any(
            _may_answer(state.rule, frame)
            or (state.rule.match.needs_body and state.rule.match.may_mean_exchange(frame))
            for state in self._active
        )

    def stalls(self, passage: Passage) -> RuleState | None:
        """The next rule that has reading stop within this frame, of which no more than the header
        is there; call again when that is over.
        """
        for state in self._active:
            if state.rule.action.kind != "stall" or id(state) in passage.judged:
                continue
            passage.judged.add(id(state))
            if self._fires(state, passage.frame):
                passage.fired.append(state)
                state.counters.held += 1
                return state
        return None

    def judge(self, passage: Passage) -> Judgement:
        """What to do with the frame now; call again after a hold or a wait is over."""
        for state in tuple(self._active):
            if id(state) in passage.judged or state.rule.action.kind == "stall":
                continue
            passage.judged.add(id(state))
            if not self._fires(state, passage.frame):
                continue
            passage.fired.append(state)
            judgement = self._act(state, passage.frame)
            if judgement is not None:
                return judgement
        return Judgement("pass")

    def _fires(self, state: RuleState, frame: Frame) -> bool:
        rule, counters = state.rule, state.counters
        matches = rule.match.matches(frame)
        if not matches and rule.match.needs_body and _is_unreadable(rule, frame):
            counters.unreadable += 1
        if not matches or not state.is_awake(frame):
            return False
        counters.matched += 1
        return rule.trigger.fires(counters.matched)

    def _act(self, state: RuleState, frame: Frame) -> Judgement | None:
        counters, action = state.counters, state.rule.action
        match action.kind:
            case "hold":
                counters.held += 1
                return Judgement("hold", state)
            case "drop":
                counters.dropped += 1
                return Judgement("drop", state)
            case "cut":
                counters.cut += 1
                return Judgement("cut", state)
            case "delay" | "limit":
                counters.delayed += 1
                return Judgement("wait", state, action.wait_s(frame.length))
            case "answer":
                return Judgement("answer", state)
            case "watch" | "stall":
                return None

    def delivered(self, passage: Passage) -> tuple[RuleState, ...]:
        """Counts the frame as passed on and wakes rules that waited for it; returns these."""
        for state in passage.fired:
            state.counters.passed += 1
        frame = passage.frame
        woken = tuple(state for state in self._active if _is_woken_by(state, frame))
        for state in woken:
            state.awake_links.add(frame.link)
        return woken


def _may_answer(rule: Rule, frame: Frame) -> bool:
    """Whether a rule could answer it, or replace its answer."""
    return rule.action.kind == "answer" and rule.match.may_mean_exchange(frame)


def _is_woken_by(state: RuleState, frame: Frame) -> bool:
    after = state.rule.after
    return after is not None and frame.link not in state.awake_links and after.matches(frame)


def _is_unreadable(rule: Rule, frame: Frame) -> bool:
    if not rule.match.may_mean(frame):
        return False
    if frame.unreadable:
        return True
    return rule.match.topic is not None and any(view.topic is None for view in frame.partitions)
