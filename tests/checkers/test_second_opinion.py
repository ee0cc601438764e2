"""Spark and plain loops say the same of every record, whatever is in it."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from tests.checkers import (
    test_client_claims,
    test_committed_truncation,
    test_epoch_claims,
    test_group_claims,
    test_jepsen_histories,
    test_poll_claims,
    test_reader_claims,
    test_replica_claims,
)
from tests.checkers.chance import history, identity
from tests.checkers.chance_rows import send
from tests.checkers.conftest import HISTORIES, Row

from highwater.checkers.catalogue import claims
from highwater.checkers.judge import judge
from highwater.checkers.second_opinion.opinions import OPINIONS, disagreements
from highwater.harness.model import Answer, Verdict
from highwater.harness.record.reader import StoredRun
from highwater.violations import in_words

pytestmark = pytest.mark.spark

WriteRun = Callable[[Path, Sequence[Row]], StoredRun]
RUNS = 300
LITERAL = (  # they fill HISTORIES
    test_client_claims,
    test_epoch_claims,
    test_group_claims,
    test_jepsen_histories,
    test_poll_claims,
    test_reader_claims,
    test_committed_truncation,
    test_replica_claims,
)


def test_there_is_a_second_opinion_on_every_claim() -> None:
    assert set(OPINIONS) == {claim.name for claim in claims()}


def test_both_agree_on_every_literal_history(
    verdicts: dict[str, dict[str, Verdict]], write_run: WriteRun, tmp_path: Path
) -> None:
    assert len(HISTORIES) > 50, LITERAL
    for name, (_, rows) in HISTORIES.items():
        run = write_run(tmp_path / name, rows)
        assert disagreements(run, list(verdicts[name].values())) == [], name


def test_a_disagreement_is_told(write_run: WriteRun, tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", [send(random.Random(1))])
    wrong = Verdict(claim="phantom-read", answer=Answer.HELD, considered=7)

    (line,) = disagreements(run, [wrong])

    assert line == "phantom-read: HELD, 0 of 7; the second opinion: UNKNOWN, 0 of 0"


@pytest.mark.on_demand
@pytest.mark.parametrize("seed", range(1, 12))
def test_both_agree_on_histories_of_chance(seed: int, write_run: WriteRun, tmp_path: Path) -> None:
    chance = random.Random(seed)
    runs = [
        write_run(tmp_path / str(number), history(chance), **identity(chance))
        for number in range(RUNS)
    ]

    said = judge(runs)

    found = {run.name: disagreements(run, said[run.path]) for run in runs}
    assert {name: lines for name, lines in found.items() if lines} == {}
    answers = {(one.claim, one.answer) for verdicts in said.values() for one in verdicts}
    assert {claim for claim, answer in answers if answer is Answer.VIOLATED} == set(OPINIONS)
    for one in itertools.chain.from_iterable(said.values()):
        for witness in one.witnesses:
            assert not in_words(one.claim, witness).startswith("topic ")  # a sentence, and not that
