"""The judge's answers on records of the model."""

from __future__ import annotations

from collections.abc import Sequence

from highwater.checkers import catalogue, tasks
from highwater.checkers import judge as judging
from highwater.checkers.inputs import look_at
from highwater.harness.model import Answer, Verdict
from highwater.harness.record.reader import StoredRun

CLAIMS = catalogue.claims()


def judged_here(run: StoredRun) -> dict[str, Verdict]:
    """As a task of Spark's judges a small run, but in this process."""
    return {each.claim: each for each in judgement_here(run).verdicts}


def judgement_here(run: StoredRun) -> judging.Judgement:
    one = look_at(run)
    judged = tasks.judge_whole(one.pieces, CLAIMS)
    judging._explain(run, judged)
    return judging._judgement(one, CLAIMS, judged)


def judged_by_spark(
    runs: Sequence[StoredRun], *, in_parts: bool = False
) -> list[dict[str, Verdict]]:
    """All of them in one job; `in_parts` as if each had more rows than fit into memory."""
    small = judging.WHOLE_ROWS
    try:
        if in_parts:
            judging.WHOLE_ROWS = -1
        said = judging.judge(runs)
    finally:
        judging.WHOLE_ROWS = small
    return [{one.claim: one for one in said[run.path]} for run in runs]


def answers(verdicts: dict[str, Verdict]) -> dict[str, Answer]:
    return {name: one.answer for name, one in verdicts.items()}
