"""Turns what a claim found in one run into a verdict."""

from __future__ import annotations

from collections.abc import Sequence

from highwater.checkers.claim import Claim
from highwater.checkers.findings import Findings, Witness
from highwater.checkers.rows import as_recorded
from highwater.harness.model import Answer, Verdict

REASONS_SHOWN = 5


def unknown(claim: str, reason: str) -> Verdict:
    return Verdict(claim=claim, answer=Answer.UNKNOWN, considered=0, reason=reason)


def verdict(claim: Claim, found: Findings) -> Verdict:
    """A violation outranks doubts, and doubts outrank silence; silence needs something to test."""
    if found.broken:
        return unknown(claim.name, found.broken)
    doubts = sorted(f"{count} undecided, {why}" for why, count in found.doubts.items())
    allowed = sorted(f"{count} {what} (allowed)" for what, count in found.allowed.items())
    if not found.considered:
        doubts = [f"nothing to judge: the record has no {claim.about}"]
    silence = Answer.UNKNOWN if doubts else Answer.HELD
    return Verdict(
        claim=claim.name,
        answer=Answer.VIOLATED if found.anomalies else silence,
        considered=found.considered,
        anomalies=found.anomalies,
        witnesses=[_as_recorded(witness) for witness in found.witnesses],
        reason=_joined([*doubts, *allowed, *filter(None, [found.remark])]),
    )


def _as_recorded(witness: Witness) -> Witness:
    return {
        name: as_recorded(told) if isinstance(told, int) else told for name, told in witness.items()
    }


def _joined(reasons: Sequence[str]) -> str:
    left = len(reasons) - REASONS_SHOWN
    return "; ".join([*reasons[:REASONS_SHOWN], *([f"and {left} more"] if left > 0 else [])])
