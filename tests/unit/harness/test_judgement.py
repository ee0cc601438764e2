"""What a trial showed, by its verdicts."""

from __future__ import annotations

import itertools

import pytest

from highwater.harness.judgement import judgement
from highwater.harness.model import Answer, Ending, Verdict

REPRODUCED, CLEAN, INCONCLUSIVE = Ending.REPRODUCED, Ending.CLEAN, Ending.INCONCLUSIVE
HELD, VIOLATED, UNKNOWN = Answer.HELD, Answer.VIOLATED, Answer.UNKNOWN


def verdict(claim: str, answer: Answer) -> Verdict:
    return Verdict(claim=claim, answer=answer, considered=5)


@pytest.mark.parametrize(
    ("needed", "other", "shown"),
    [
        (HELD, UNKNOWN, CLEAN),
        (HELD, HELD, CLEAN),
        (UNKNOWN, HELD, INCONCLUSIVE),
        (HELD, VIOLATED, REPRODUCED),
        (UNKNOWN, VIOLATED, REPRODUCED),
    ],
)
def test_of_what_must_not_be_violated_some_need_no_evidence(
    needed: Answer, other: Answer, shown: Ending
) -> None:
    said = [verdict("lost-write", needed), verdict("accepted-again", other)]
    claims = ("lost-write", "accepted-again")

    assert judgement(claims, said, needs=("lost-write",)).ending is shown
    assert judgement(claims, said, needs=()).ending is (REPRODUCED if other is VIOLATED else CLEAN)


@pytest.mark.parametrize("answers", [*itertools.product([*Answer, None], repeat=2)], ids=str)
@pytest.mark.parametrize("unfinished", ["", "no quorum"])
def test_a_trial_shows_what_its_claims_say_and_never_passes_for_want_of_evidence(
    answers: tuple[Answer | None, Answer | None], unfinished: str
) -> None:
    said = [
        verdict(name, answer)
        for name, answer in zip(("lost-write", "duplicate"), answers, strict=True)
        if answer is not None
    ]
    others = [verdict("phantom-read", VIOLATED), verdict("corrupt-value", UNKNOWN)]

    shown = judgement(("lost-write", "duplicate"), [*said, *others], unfinished).ending

    if unfinished:
        assert shown is INCONCLUSIVE
    elif VIOLATED in answers:
        assert shown is REPRODUCED
    elif answers == (HELD, HELD):
        assert shown is CLEAN
    else:
        assert shown is INCONCLUSIVE


@pytest.mark.parametrize(
    ("answers", "shown"),
    [
        ([HELD, UNKNOWN], CLEAN),
        ([HELD, UNKNOWN, VIOLATED], REPRODUCED),
        ([UNKNOWN, UNKNOWN], INCONCLUSIVE),
        ([], INCONCLUSIVE),
    ],
)
def test_a_record_that_names_no_claim_is_judged_by_all_of_them(
    answers: list[Answer], shown: Ending
) -> None:
    verdicts = [verdict(f"claim-{number}", answer) for number, answer in enumerate(answers)]

    assert judgement((), verdicts).ending is shown


def test_why_nothing_is_shown_names_each_claim_without_an_answer() -> None:
    unknown = Verdict(claim="duplicate", answer=UNKNOWN, considered=0, reason="nothing was read")

    reason = judgement(("lost-write", "duplicate"), [unknown]).reason

    assert reason == "lost-write: no verdict; duplicate: nothing was read"
