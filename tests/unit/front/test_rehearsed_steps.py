"""What is said of the steps of a rehearsal, of trials that were cut short and of many losses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa

from highwater.cells import Result, Trial
from highwater.harness.measurements import LAGS, MEASURES, REBALANCES, RECOVERIES
from highwater.harness.model import Answer, Ending, Verdict
from highwater.harness.record.writer import RunRecord, write_measures
from highwater.harness.trial import Played
from highwater.harness.versions.catalogue import find_kafka
from highwater.rehearsal import CLAIMS, described, rehearsal
from highwater.reports.rehearsal import headline, step_words

ASKED = rehearsal(find_kafka("3.9.1"), "4.1.1", None)
COUNTS = {"acked": 11, "failed": 0, "unknown": 0, "handed": 0}
HELD = Verdict(claim="lost-write", answer=Answer.HELD, considered=5)


def trial(path: Path, *said: Verdict, complete: bool = True) -> Trial:
    """In which eleven records were acknowledged in each topic."""
    with RunRecord(path, {"topic": "t"}) as record:
        record.end({"complete": complete, "reason": "", "seconds": 0.0})
    topics = ["t", *(f"t-{step}" for step in (*ASKED.steps[1:], "load"))]
    rows = [{"client": "one", "topic": each, **COUNTS} for each in topics]
    empty = [each.empty_table() for each in (RECOVERIES, REBALANCES, LAGS)]
    write_measures(path, pa.Table.from_pylist(rows, MEASURES), *empty)
    others = [Verdict(claim=each, answer=Answer.HELD, considered=5) for each in CLAIMS]
    verdicts = {each.claim: each for each in (*others, *said)}
    is_violated = any(each.answer is Answer.VIOLATED for each in said)
    return Trial(
        played=Played(path, complete, "" if complete else "no quorum", 2.0, complete),
        verdicts=[*verdicts.values()],
        ending=(Ending.REPRODUCED if is_violated else Ending.CLEAN)
        if complete
        else Ending.INCONCLUSIVE,
        acked=11,
    )


def lost(count: int, *witnesses: dict[str, Any]) -> Verdict:
    return Verdict(
        claim="lost-write",
        answer=Answer.VIOLATED,
        considered=99,
        anomalies=count,
        witnesses=witnesses,
    )


def told(*trials: Trial) -> dict[str, Any]:
    return described(ASKED, Result(ASKED.cell, [*trials]))


def test_a_loss_in_a_trial_that_was_cut_short_is_not_forgotten_for_one_that_was_not(
    tmp_path: Path,
) -> None:
    short = trial(tmp_path / "1", lost(1, {"topic": "t"}), complete=False)
    nothing = trial(tmp_path / "2", HELD, complete=False)
    whole = trial(tmp_path / "3", HELD)

    assert told(short, whole)["answer"] == "violated"
    assert told(nothing, whole)["answer"] == "held"
    assert told(nothing)["answer"] == "unknown"


def test_of_more_losses_than_are_named_no_step_is_said_to_have_lost_none(tmp_path: Path) -> None:
    """The first hundred stand in a verdict: the load may have had all of these."""
    hundred = [{"topic": "t-load"}] * 100

    found = told(trial(tmp_path / "1", lost(140, *hundred)))

    words = {row["step"]: step_words(row) for row in found["steps"]}
    assert words["load"].startswith("at least 100 of 11 acknowledged records were lost")
    assert words["protocol"] == (
        "nobody can tell what became of 11 acknowledged records: not all that violates "
        "lost-write is told one by one"
    )
    assert headline(found).endswith("violated lost-write at: load")


def test_of_all_losses_that_are_named_each_step_has_its_own(tmp_path: Path) -> None:
    found = told(trial(tmp_path / "1", lost(2, {"topic": "t"}, {"topic": "t"})))

    words = {row["step"]: step_words(row) for row in found["steps"]}
    assert words["before"].startswith("2 of 11 acknowledged records were lost")
    assert words["load"] == "none of 11 acknowledged records was lost"
    assert headline(found).endswith("at: before; not at: binaries, protocol, load")


def test_what_no_step_is_named_for_is_not_said_to_be_at_one(tmp_path: Path) -> None:
    stuck = Verdict(
        claim="stuck-broker",
        answer=Answer.VIOLATED,
        considered=3,
        anomalies=1,
        witnesses=[{"broker": 1}],
    )

    said = headline(told(trial(tmp_path / "1", stuck)))

    assert said == "The upgrade from 3.9.1 to 4.1.1 violated stuck-broker"
