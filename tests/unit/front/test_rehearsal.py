"""What a rehearsed upgrade is said to show follows from every claim that it is about."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.front.test_cells import REPRODUCED, result, verdict

from highwater.configuration import configuration
from highwater.harness.model import Answer
from highwater.harness.versions.catalogue import find_kafka
from highwater.rehearsal import CLAIMS, answer_of, rehearsal
from highwater.rehearsing import notices_of

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


def test_a_cluster_of_three_is_rehearsed_with_one_away_and_that_is_said(tmp_path: Path) -> None:
    path, kafka = tmp_path / "server.properties", find_kafka("2.8.2")
    path.write_text("min.insync.replicas=3\n")
    configured = configuration(path, kafka)

    (said,) = [each for each in notices_of(configured, kafka) if "min.insync" in each]

    assert "min.insync.replicas=3 is played as 2" in said
    asked = rehearsal(kafka, "3.9.1", configured)
    assert asked.cell.scenario.topic_settings == {"min.insync.replicas": "2"}
    path.write_text("min.insync.replicas=2\n")
    assert not any("min.insync" in each for each in notices_of(configuration(path, kafka), kafka))
