"""`accept`: plays what a configuration decides, then the same with the setting changed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from highwater import console
from highwater.acceptance import Answer, Asked, Question, questions
from highwater.adopting import kafka_named
from highwater.cells import Result
from highwater.checkers.session import stop_session
from highwater.configuration import Configuration, configuration, mode_of
from highwater.harness.errors import UsageError
from highwater.harness.jvm.java import find_java
from highwater.harness.jvm.wrapping import clock_can_be_set
from highwater.harness.record.files import write_json
from highwater.harness.versions.catalogue import Kafka
from highwater.playing import Options, carried_out
from highwater.reports.acceptance import headline, sentence, write_acceptance
from highwater.scenarios.catalogue import scenarios
from highwater.workshop import directory_of

ACCEPT_SCHEMA = 1
REFUSED = re.compile(
    r"no cluster to play on: [^;]*\(exit code 1\); its last exception: "
    r"((?:Config|IllegalArgument)Exception: .*); the end of "
)
CODES = {Answer.PREVENTED: 0, Answer.PERMITTED: 1, Answer.UNKNOWN: 3}


def accept(path: Path, version: str, levels: Sequence[str], options: Options) -> int:
    """Play, show and write the page; returns the exit code.

    0: it permits none of what was played; 1: it permits a loss; 3: that cannot be said. Raises
    UsageError for a file or a Kafka with which nothing can be played.
    """
    kafka = mode_of(kafka_named(version, offline=options.offline), path)
    configured = configuration(path, kafka, levels)
    asked = questions(configured, kafka, scenarios(), options.backend)
    if not asked:
        raise UsageError(f"no scenario on Kafka {kafka.name} is decided by a setting")
    asked, left_out = _playable(asked)
    notices = [*configured.notices(), *left_out]
    for notice in notices:
        console.say(f"{path.name}: {notice}")
    find_java()
    out = directory_of(options.out, used=options.resume)
    try:
        answered = _answered(asked, options, out)
    finally:
        stop_session()
    told = {**described(configured, kafka, answered, out), "notices": notices}
    write_json(out / "accept.json", told)
    page = write_acceptance(out, told)
    _show(told, out, page, as_json=options.json)
    return CODES[Answer(told["answer"])]


def _playable(asked: Sequence[Question]) -> tuple[list[Question], list[str]]:
    """Those that this machine can play, and why not the others."""
    if clock_can_be_set():
        return list(asked), []
    left_out = [
        f"{each.scenario.name} ({each.setting}) is not played: it sets the clocks of brokers, and "
        "this machine has no libfaketime"
        for each in asked
        if each.scenario.fake_clock
    ]
    return [each for each in asked if not each.scenario.fake_clock], left_out


def _answered(asked: Sequence[Question], options: Options, out: Path) -> list[Asked]:
    """First all as configured; then, of what is permitted, the same with the setting changed."""
    results = carried_out([each.cell for each in asked], options, out)
    _require_taken(asked, results)
    answered = [Asked(*pair) for pair in zip(asked, results, strict=True)]
    permitted = [each for each in answered if each.answer is Answer.PERMITTED]
    if permitted:
        cells = [each.question.cell for each in answered]
        changed = [each.question.changed for each in permitted]
        again = carried_out([*cells, *changed], replace(options, resume=True), out)
        for each, result in zip(permitted, again[len(cells) :], strict=True):
            each.changed = result
    return answered


def _require_taken(asked: Sequence[Question], results: Sequence[Result]) -> None:
    """Raises UsageError where a broker ends at once, and says which setting it does not take."""
    reasons = (trial.played.reason for each in results for trial in each.trials)
    refused = next(filter(None, map(REFUSED.match, reasons)), None)
    if refused:
        kafka = asked[0].cell.kafka.name
        raise UsageError(f"Kafka {kafka} does not start with this file: {refused[1]}")


def described(
    configured: Configuration, kafka: Kafka, answered: Sequence[Asked], out: Path
) -> dict[str, Any]:
    """As accept.json has it."""
    answers = {each.answer for each in answered}
    worst = (Answer.PERMITTED, Answer.UNKNOWN, Answer.PREVENTED)
    return {
        "schema": ACCEPT_SCHEMA,
        "file": configured.path.name,
        "kafka": kafka.name,
        "answer": next(each for each in worst if each in answers).value,
        "settings": dict(configured.settings),
        "features": dict(configured.features),
        "notices": list(configured.notices()),
        "questions": [each.row(out) for each in answered],
    }


def _show(told: dict[str, Any], out: Path, page: Path, *, as_json: bool) -> None:
    if as_json:
        console.print_json({"out": str(out), **told})
        return
    console.out.print(headline(told), style="bold", markup=False, soft_wrap=True)
    for row in told["questions"]:
        console.out.print(sentence(row), markup=False, highlight=False, soft_wrap=True)
    console.out.print(f"the page: {page}; the evidence: {out / 'report.html'}", soft_wrap=True)
