"""What is said of a configuration, and how the command ends, follow from what was played."""

from __future__ import annotations

import json
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest
from tests.unit.front.test_cells import CLEAN, INCONCLUSIVE, REPRODUCED, result, verdict

from highwater.acceptance import Asked, Question, answer_of, questions
from highwater.accepting import CODES, _require_taken, described
from highwater.backends import Backend
from highwater.cells import Result
from highwater.configuration import Configuration, configuration
from highwater.harness.errors import UsageError
from highwater.harness.model import Answer as Said
from highwater.harness.model import Ending
from highwater.harness.versions.catalogue import find_kafka
from highwater.reports.acceptance import headline, sentence, write_acceptance
from highwater.scenarios.catalogue import scenarios

SCHEMA = Path(__file__).parents[3] / "docs" / "schemas" / "accept.schema.json"
KAFKA = find_kafka("4.1.1")


def configured(directory: Path) -> Configuration:
    path = directory / "server.properties"
    path.write_text("min.insync.replicas=1\nlog.dirs=/d\n")
    return configuration(path, KAFKA)


def of_one(directory: Path) -> Question:
    return next(
        each
        for each in questions(configured(directory), KAFKA, scenarios(), Backend())
        if each.scenario.name == "isr-of-one"
    )


def played(question: Question, ending: Ending, *, changed: bool = False) -> Result:
    cell = question.changed if changed else question.cell
    said = [verdict("lost-write", Said.VIOLATED)] if ending is Ending.REPRODUCED else []
    return result(cell, ending, verdicts=said)


@pytest.mark.parametrize(
    ("ending", "answer", "code", "words"),
    [
        (REPRODUCED, "permitted", 1, "permits a loss in 1 of 1 scenario: min.insync.replicas"),
        (CLEAN, "prevented", 0, "permits none of the failures of 1 scenario that settings decide"),
        (INCONCLUSIVE, "unknown", 3, "is not proven; of 1 nothing can be said"),
    ],
)
def test_the_answer_is_what_was_played(
    tmp_path: Path, ending: Ending, answer: str, code: int, words: str
) -> None:
    question = of_one(tmp_path)
    asked = Asked(question, played(question, ending))
    if ending is REPRODUCED:
        asked.changed = played(question, CLEAN, changed=True)
    (trial,) = asked.configured.trials
    out = trial.played.path.parent

    told = described(configured(tmp_path), KAFKA, [asked], out)

    assert (told["answer"], CODES[asked.answer]) == (answer, code)
    assert headline(told) == f"server.properties on Kafka 4.1.1 {words}"
    jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text())).validate(told)
    (row,) = told["questions"]
    assert ("change it: min.insync.replicas=2" in sentence(row)) is (ending is REPRODUCED)
    page = write_acceptance(tmp_path, told).read_text()
    assert "min.insync.replicas=1 (server.properties)" in page
    assert "set aside" in page


@pytest.mark.parametrize(
    ("endings", "answer"),
    [
        ([CLEAN, CLEAN], "prevented"),
        ([INCONCLUSIVE, CLEAN, CLEAN], "prevented"),
        ([INCONCLUSIVE, CLEAN], "unknown"),
        ([CLEAN, INCONCLUSIVE, INCONCLUSIVE], "unknown"),
        ([CLEAN, CLEAN, REPRODUCED], "permitted"),
    ],
)
def test_what_is_played_again_stands_in_for_what_proved_nothing(
    tmp_path: Path, endings: list[Ending], answer: str
) -> None:
    """Two trials were asked for, and there are `--reruns`."""
    shown = result(of_one(tmp_path).cell, *endings)
    shown.asked = 2

    assert answer_of(shown) == answer


def test_what_a_play_that_proves_nothing_was_acknowledged_is_not_called_kept(
    tmp_path: Path,
) -> None:
    shown = result(of_one(tmp_path).cell, CLEAN, INCONCLUSIVE, CLEAN)

    said = sentence(Asked(of_one(tmp_path), shown).row(shown.trials[0].played.path.parent))

    assert "acknowledged records was lost" not in said
    assert "nothing came about in 2 plays, and nothing can be said after 1 more" in said


def test_why_nothing_can_be_said_is_said(tmp_path: Path) -> None:
    question = of_one(tmp_path)
    doubt = replace(verdict("lost-write", Said.UNKNOWN), reason="1 undecided\n    at a.B")
    shown = result(question.cell, CLEAN, verdicts=[doubt])
    shown.trials[:] = [replace(each, ending=INCONCLUSIVE) for each in shown.trials]

    row = Asked(question, shown).row(shown.trials[0].played.path.parent)

    assert row["configured"]["reasons"] == ["lost-write: 1 undecided\n    at a.B"]
    assert sentence(row).endswith("nothing can be said after 1 play: lost-write: 1 undecided")


@pytest.mark.parametrize(
    ("reason", "refused"),
    [
        ("ConfigException: Invalid value a; b for configuration c: no INT", True),
        ("IllegalArgumentException: requirement failed: d must be e", True),
        ("OutOfMemoryError: Java heap space", False),
    ],
)
def test_what_kafka_does_not_start_with_is_an_error_of_the_file(
    tmp_path: Path, reason: str, *, refused: bool
) -> None:
    question = of_one(tmp_path)
    shown = result(question.cell, INCONCLUSIVE)
    gone = "no cluster to play on: broker-1 ended by itself (exit code 1)"
    ended = f"{gone}; its last exception: {reason}; the end of /l:"
    shown.trials[:] = [
        replace(each, played=replace(each.played, reason=ended)) for each in shown.trials
    ]

    with nullcontext() if not refused else pytest.raises(UsageError) as raised:
        _require_taken([question], [shown])

    for each in (137, -9, None):  # killed
        killed = ended.replace("exit code 1", f"exit code {each}")
        shown.trials[:] = [
            replace(one, played=replace(one.played, reason=killed)) for one in shown.trials
        ]
        _require_taken([question], [shown])
    if raised is not None:
        assert str(raised.value) == f"Kafka 4.1.1 does not start with this file: {reason}"
