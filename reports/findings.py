"""The checkers' answers as table rows, and their counterexamples as tables of any shape."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from highwater.harness.model import Answer, Verdict
from highwater.reports.wording import compact, seconds

MOST_WITNESSES = 20
SYMBOLS = {Answer.HELD: "✓", Answer.VIOLATED: "✕", Answer.UNKNOWN: "?"}


@dataclass(frozen=True, slots=True)
class Finding:
    verdict: Verdict
    symbol: str
    role: str  # what the scenario says of this claim
    is_surprise: bool  # violated, and nobody said that it would be
    shared: Sequence[tuple[str, str]]  # names, and what all witnesses say there
    columns: Sequence[str]
    witnesses: Sequence[Sequence[str]]
    left_out: str


def findings(verdicts: Sequence[Verdict], identity: Mapping[str, Any]) -> list[Finding]:
    """Violations first, then what is unknown, then what held."""
    order = {Answer.VIOLATED: 0, Answer.UNKNOWN: 1, Answer.HELD: 2}
    return [
        _finding(verdict, identity)
        for verdict in sorted(verdicts, key=lambda each: order[each.answer])
    ]


def _finding(verdict: Verdict, identity: Mapping[str, Any]) -> Finding:
    claims = identity.get("claims") or ()
    tolerated = identity.get("tolerates") or {}
    role = ""
    if "test" in identity:
        role = _asked_of_a_test(verdict.claim, identity)
    elif verdict.claim in claims:
        role = "what this scenario is about"
    elif verdict.claim in tolerated:
        role = f"tolerated: {tolerated[verdict.claim]}"
    shown = list(verdict.witnesses)[:MOST_WITNESSES]
    shared, columns = _columns(shown)
    return Finding(
        verdict,
        SYMBOLS[verdict.answer],
        role,
        verdict.answer is Answer.VIOLATED and not role and "test" not in identity,
        [(_named(column), _value(column, shown[0].get(column))) for column in shared],
        [_named(column) for column in columns],
        [[_value(column, witness.get(column)) for column in columns] for witness in shown],
        _left_out(verdict, len(shown)),
    )


def _asked_of_a_test(claim: str, identity: Mapping[str, Any]) -> str:
    if claim in (identity.get("needs_evidence_for") or ()):
        return "must hold, with evidence"
    return "" if claim in (identity.get("claims") or ()) else "not asked by this test"


def _columns(witnesses: Sequence[Mapping[str, Any]]) -> tuple[list[str], list[str]]:
    """Those in which all of several witnesses have the same value, and the others."""
    names = list(dict.fromkeys(key for witness in witnesses for key in witness))
    values = {name: {compact(witness.get(name)) for witness in witnesses} for name in names}
    shared = [name for name in names if len(witnesses) > 1 and len(values[name]) == 1]
    return shared, [name for name in names if name not in shared]


def _named(column: str) -> str:
    return column.removesuffix("_ns").replace("_", " ")


def _value(column: str, value: Any) -> str:
    """Times of the record are nanoseconds since its start; a reader thinks in seconds."""
    if column.endswith("_ns") and isinstance(value, int):
        return f"{seconds(value)} s"
    return compact(value)


def _left_out(verdict: Verdict, shown: int) -> str:
    if verdict.anomalies <= shown:
        return ""
    return f"{shown} of {verdict.anomalies:,} shown."
