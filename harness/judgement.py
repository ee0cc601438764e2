"""What a trial showed, by its verdicts: the one place that the table, the page and JUnit ask."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from highwater.harness.model import Answer, Ending, Verdict


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a trial showed; `reason` says why it is inconclusive, and is "" otherwise."""

    ending: Ending
    reason: str = ""


def judgement(
    claims: Sequence[str],
    verdicts: Sequence[Verdict],
    unfinished: str = "",
    needs: Sequence[str] | None = None,
) -> Judgement:
    """What a trial about `claims` showed: never clean without evidence for each of them, or for
    those that it `needs`, where it says which of them these are, as a chaos test does.

    `unfinished` says why the play did not complete, and is "" for one that did. A record that names
    no claims, another tool's for example, is judged as `highwater check` does: any violated claim
    is shown, and it is clean when none is violated and some claim held.
    """
    if unfinished:
        return Judgement(Ending.INCONCLUSIVE, unfinished)
    if not verdicts:
        return Judgement(Ending.INCONCLUSIVE, "not judged: there is no verdict beside the record")
    asked = [each for each in verdicts if each.claim in claims or not claims]
    if any(each.answer is Answer.VIOLATED for each in asked):
        return Judgement(Ending.REPRODUCED)
    doubts = undecided(claims if needs is None else needs, verdicts)
    if doubts:
        return Judgement(Ending.INCONCLUSIVE, "; ".join(doubts))
    if not any(each.answer is Answer.HELD for each in asked):
        return Judgement(Ending.INCONCLUSIVE, "there is no evidence for any claim")
    return Judgement(Ending.CLEAN)


def undecided(claims: Sequence[str], verdicts: Sequence[Verdict]) -> list[str]:
    """Which of these claims have no answer, each with the reason."""
    answers = {each.claim: each for each in verdicts}
    return [
        f"{claim}: {answers[claim].reason or 'no evidence' if claim in answers else 'no verdict'}"
        for claim in claims
        if claim not in answers or answers[claim].answer is Answer.UNKNOWN
    ]
