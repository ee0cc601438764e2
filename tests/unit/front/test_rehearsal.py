"""What a rehearsed upgrade is said to show follows from every claim that it is about."""

from __future__ import annotations

import pytest
from tests.unit.front.test_cells import REPRODUCED, result, verdict

from highwater.harness.model import Answer
from highwater.harness.versions.catalogue import find_kafka
from highwater.rehearsal import CLAIMS, answer_of, rehearsal

ASKED = rehearsal(find_kafka("3.9.1"), "4.1.1", None)
HELD, VIOLATED, UNKNOWN = Answer.HELD, Answer.VIOLATED, Answer.UNKNOWN


@pytest.mark.parametrize(
    ("answers", "other", "said"),
    [
        ((HELD, HELD), HELD, "held"),
        ((UNKNOWN, HELD), HELD, "unknown"),
        ((UNKNOWN, UNKNOWN), HELD, "unknown"),
        ((VIOLATED, UNKNOWN), HELD, "violated"),
        ((HELD, HELD), VIOLATED, "violated"),
    ],
)
def test_an_upgrade_has_lost_nothing_only_where_each_claim_was_held(
    answers: tuple[Answer, Answer], other: Answer, said: str
) -> None:
    told = [verdict(*each) for each in zip(CLAIMS, answers, strict=True)]
    (trial,) = result(
        ASKED.cell, REPRODUCED, verdicts=[*told, verdict("phantom-read", other)]
    ).trials

    answer, reason = answer_of(ASKED, trial)

    assert answer == said
    assert ("lost-write: no evidence" in reason) is (said == "unknown")
