"""Each rule of the protocol, in its code and in its schema, has an adapter that breaks it."""

from __future__ import annotations

import ast
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.unit.foreign.breaks import BREAKS
from tests.unit.foreign.conformance_rules import RULES
from tests.unit.foreign.test_lines import RIGHT, SCHEMA

from highwater.harness.foreign.lines import EVENTS, MEMBER, PRODUCER
from highwater.harness.foreign.membership import MEMBERS
from highwater.harness.foreign.rules import ROLES
from highwater.harness.foreign.talk import Talk

pytestmark = pytest.mark.on_demand(together="tests/unit/foreign/test_every_rule_is_broken.py")

FOREIGN = Path(__file__).parents[3] / "harness" / "foreign"
Line = Mapping[str, Any]


def literal(told: ast.expr) -> str:
    """The longest part of a text that is the same whenever it is told."""
    parts = told.values if isinstance(told, ast.JoinedStr) else [told]
    texts = [each.value for each in parts if isinstance(each, ast.Constant)]
    return max((text for text in texts if isinstance(text, str)), key=len, default="")


def calls(name: str) -> Iterator[ast.Call]:
    for path in sorted(FOREIGN.glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == name:
                yield node


# Who waits for more from an adapter that has said its last as it may: no rule about the adapter.
NO_RULE = "it to "
# What is told at a place that has a name for it.
NAMED = {"": "hello first"}


def expectations() -> list[str]:
    """What was expected, by each place in the code that takes a rule for broken."""
    found = [literal(call.args[0]) for call in calls("BreachError")]
    found += [f"that of {literal(call.args[2])}" for call in calls("_require_after")]
    return [NAMED.get(each, each) for each in found if each != NO_RULE]


def test_each_place_that_takes_a_rule_for_broken_is_reached_by_an_adapter() -> None:
    """By what is seen of the adapters of test_conformance, which proves that it is."""
    whys = [re.sub(r"\\(.)", r"\1", why) for _, _, _, why in BREAKS.values()]
    wanted = expectations()

    assert len(wanted) > 25
    assert [each for each, count in Counter(wanted).items() if count > 1] == []
    assert [each for each in wanted if not any(each in why for why in whys)] == []


def test_each_rule_that_adapters_are_held_to_is_broken_by_one() -> None:
    assert {rule for _, _, rule, _ in BREAKS.values()} == {*range(RULES)}


SAYS = """printf '%s\\n' "$0"; cat >/dev/null; printf '%s\\n' "$@" """
EXAMPLES: Mapping[str, Line] = {line["event"]: line for line in reversed(RIGHT)}
COMES_AFTER = {
    "revoked": ["assigned"],
    "lost": ["assigned"],
    "polled": ["assigned"],
    "processed": ["assigned", "polled"],
    "committed": ["commit"],
}
STRANGE = {"strange": 1}
AGES_NS = 10**18  # more than a machine has ever been up


def example(event: str) -> Line:
    partitions = {"partitions": [["orders", 0]]} if event in COMES_AFTER else {}
    return {**EXAMPLES[event], **partitions}


def heard_of(line: Line, role: str = "", before: Iterable[str] | None = None) -> str:
    """What is heard of an adapter that says this, after what has to come before; "": it may."""
    event = line["event"]
    if before is None:
        before = ("ready", *COMES_AFTER.get(event, ()))
    said = [EXAMPLES[each] for each in before if each != event]
    said += [] if event == "hello" else [line]
    said += [] if event == "ended" else [EXAMPLES["ended"]]
    role = role or ROLES.get(event, PRODUCER)
    hello = line if event == "hello" else {**EXAMPLES["hello"], "at_ns": 0}
    words = [json.dumps(each) for each in (hello, *said)]
    with Talk(["/bin/sh", "-c", SAYS, *words], lambda _event: None) as talk:
        talk.rules.send(range(7, 9), 0)
        for told in ({"do": "flush"}, {"do": "transaction", "step": "begin"}):
            talk.say(told)
        talk.say({"do": "begin", "role": role, "topics": ["orders"]})
        talk.close()
        talk.await_(lambda: talk.is_over, "end", 60)
        return "" if talk.wrong is None else str(talk.wrong)


@pytest.mark.parametrize("event", EVENTS)
def test_each_line_may_be_said_by_an_adapter_that_says_it_when_it_may(event: str) -> None:
    assert heard_of(example(event)) == ""


def fields() -> list[tuple[str, str]]:
    """Every field of every line that an adapter says, by the schema."""
    lines = SCHEMA["$defs"]["said"]["oneOf"]
    named = [(line["properties"]["event"]["const"], line["required"]) for line in lines]
    assert {event for event, _ in named} == {*EVENTS}
    return [(event, field) for event, required in named for field in required if field != "event"]


@pytest.mark.parametrize(("event", "field"), fields())
def test_an_adapter_is_caught_that_leaves_out_a_field_or_fills_it_with_something_else(
    event: str, field: str
) -> None:
    line = example(event)
    less = {name: value for name, value in line.items() if name != field}

    assert f"expected {event} with {field}: " in heard_of(less)
    assert f"expected {field} of {event} to be " in heard_of({**line, field: STRANGE})


def times() -> list[str]:
    """Lines that have a time, of their own or of each record."""
    own = [event for event, field in fields() if field == "at_ns"]
    return [*own, *({event for event, field in fields() if field == "records"} - {*own})]


def at(line: Line, at_ns: int) -> Line:
    if line["event"] == "hello":
        return {**line, "at_ns": at_ns, "clock": "monotonic"}  # one of its own may read anything
    if "at_ns" in line:
        return {**line, "at_ns": at_ns}
    return {**line, "records": [[*each[:-1], at_ns] for each in line["records"]]}


@pytest.mark.parametrize("event", times())
@pytest.mark.parametrize(
    ("at_ns", "why"), [(AGES_NS, "after its line was read"), (-AGES_NS, "before it was asked for")]
)
def test_an_adapter_is_caught_whose_time_cannot_be(event: str, at_ns: int, why: str) -> None:
    wrong = heard_of(at(example(event), at_ns))

    assert "an at_ns between what it tells of and now" in wrong
    assert why in wrong


@pytest.mark.parametrize("event", ROLES)
def test_an_adapter_is_caught_that_says_what_is_for_another_role(event: str) -> None:
    (other,) = {PRODUCER, MEMBER} - {ROLES[event]}

    assert f"{event} of a {ROLES[event]} only" in heard_of(example(event), other, ["ready"])


@pytest.mark.parametrize("event", MEMBERS)
def test_a_member_is_caught_that_says_something_before_it_is_ready(event: str) -> None:
    assert "ready before " in heard_of(example(event), before=())
