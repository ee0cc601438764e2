"""Turns what a query found in one run into a verdict; nothing here knows Spark."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from highwater.checkers.claim import Claim
from highwater.harness.model import Answer, Verdict

REASONS_SHOWN = 5


@dataclass(slots=True)
class Found:
    """What one claim's query found in one run."""

    considered: int = 0
    anomalies: int = 0
    witnesses: Sequence[Mapping[str, Any]] = ()
    doubts: list[str] = field(default_factory=list)
    allowed: list[str] = field(default_factory=list)
    broken: str = ""  # what went wrong with the query itself

    def add(self, finding: str | None, total: int, witnesses: Sequence[str]) -> None:
        """Take in all rows of one finding (see Claim): how many, and the first of them as JSON."""
        kind, _, text = (finding or "").partition(": ")
        if kind == "allowed":
            self.allowed.append(f"{total} {text} (allowed)")
            return
        self.considered += total
        if kind == "doubt":
            self.doubts.append(f"{total} undecided, {text}")
        elif kind == "anomaly":
            self.anomalies = total
            self.witnesses = [json.loads(witness) for witness in witnesses]
        elif kind:
            self.broken = f"the checker broke: {finding!r} is not a finding"


def unknown(claim: str, reason: str) -> Verdict:
    return Verdict(claim=claim, answer=Answer.UNKNOWN, considered=0, reason=reason)


def verdict(claim: Claim, found: Found) -> Verdict:
    """A violation outranks doubts, and doubts outrank silence; silence needs something to test."""
    if found.broken:
        return unknown(claim.name, found.broken)
    doubts = sorted(found.doubts)
    if not found.considered:
        doubts = [f"nothing to judge: the record has no {claim.about}"]
    silence = Answer.UNKNOWN if doubts else Answer.HELD
    return Verdict(
        claim=claim.name,
        answer=Answer.VIOLATED if found.anomalies else silence,
        considered=found.considered,
        anomalies=found.anomalies,
        witnesses=found.witnesses,
        reason=_joined([*doubts, *sorted(found.allowed)]),
    )


def _joined(reasons: Sequence[str]) -> str:
    left = len(reasons) - REASONS_SHOWN
    return "; ".join([*reasons[:REASONS_SHOWN], *([f"and {left} more"] if left > 0 else [])])
