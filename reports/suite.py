"""suite.json as values: the chaos tests of one pytest session, and what became of them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from highwater.harness.errors import RecordError, in_words
from highwater.reports.forms import MOST, Form, by_name, is_count, is_number, or_nothing, several
from highwater.reports.rewritten import sentences
from highwater.reports.wording import counted

ORDER = ("failed", "inconclusive", "error", "passed", "skipped")
SYMBOLS = {"passed": "✓", "failed": "✕", "inconclusive": "?", "error": "!", "skipped": "−"}  # noqa: RUF001 - a minus, as wide as the others


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteTest:
    """One test of the suite; docs/ledger.md says what the fields are."""

    test: str
    outcome: str
    pytest: Sequence[str] = ()
    reason: str = ""
    text: str = ""
    violated: Sequence[Mapping[str, Any]] = ()
    kafka: str | None = None
    trial: int | None = None
    backend: str = "process"
    seconds: float = 0.0
    command: str = ""
    run: str | None = None
    reruns: Sequence[str] = ()
    worker: str | None = None
    measures: Mapping[str, float | None] | None = None
    rewritten: Mapping[str, int] = field(default_factory=dict)  # answers, by api and error
    arguments: Mapping[str, Any] = field(default_factory=dict)  # that it was given, by name

    @property
    def symbol(self) -> str:
        return SYMBOLS[self.outcome]

    @property
    def is_bad(self) -> bool:
        return self.outcome not in {"passed", "skipped"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite:
    tests: Sequence[SuiteTest]
    pytest: Mapping[str, int] = field(default_factory=dict)  # its summary, of these tests
    not_run: Sequence[str] = ()
    reach: Sequence[str] = ()  # sentences on what an attached cluster lacks

    @property
    def finding(self) -> str:
        """The whole suite in a sentence."""
        kafkas = list(dict.fromkeys(each.kafka for each in self.tests if each.kafka))
        where = f" on Kafka {', '.join(kafkas)}" if kafkas else ""
        return f"{counted(len(self.tests), 'test')}{where}: {self.counts}."

    @property
    def counts(self) -> str:
        numbers = {word: self.count(word) for word in ORDER}
        return ", ".join(f"{number} {word}" for word, number in numbers.items() if number)

    @property
    def expectation(self) -> str:
        """What pytest said of the same tests."""
        said = ", ".join(f"{number} {word}" for word, number in self.pytest.items())
        among = " Inconclusive tests are among those that failed." * bool(
            self.count("inconclusive")
        )
        return f"pytest counted: {said}.{among}"

    @property
    def rewritten(self) -> list[str]:
        """A sentence for each test in which brokers were made to lie."""
        return [
            f"{test.test}: {'; '.join(sentences(test.rewritten))}"
            for test in self.tests
            if test.rewritten
        ]

    @property
    def all_passed(self) -> bool | None:
        """None where nothing was played."""
        if any(each.is_bad for each in self.tests):
            return False
        return True if self.count("passed") else None

    def count(self, outcome: str) -> int:
        return sum(each.outcome == outcome for each in self.tests)


def suite_in(directory: Path) -> Mapping[str, Any]:
    """The content of its suite.json, of which `read_suite` makes a suite.

    Raises RecordError, which names the file, for what cannot be read or is no suite.
    """
    stored = directory / "suite.json"
    try:
        content: Mapping[str, Any] = json.loads(stored.read_text(encoding="utf-8"))
        read_suite(content)
    except (ValueError, OSError, RecursionError, RecordError) as error:
        raise RecordError(f"{stored} cannot be read: {in_words(error)}") from error
    return content


def read_suite(content: Mapping[str, Any]) -> Suite:
    """A suite out of JSON; fields that this version does not know are left out.

    Raises RecordError for what is no suite.
    """
    if not isinstance(content, Mapping) or not {"tests"} <= content.keys():
        raise RecordError("this is no suite.json as we write it: expected `tests` in it")
    _refuse("the session", content, OF_SUITE)
    for row in content["tests"]:
        _refuse(f"the test {row.get('test')!r:.120}", row, OF_TEST)
    known = {each.name for each in fields(SuiteTest)}
    try:
        tests = [
            SuiteTest(**{name: row[name] for name in known & row.keys() if row[name] is not None})
            for row in content["tests"]
        ]
    except TypeError as error:
        raise RecordError(f"this is no suite.json as we write it: {error}") from error
    return Suite(
        tests=tests,
        pytest=content.get("pytest", {}),
        not_run=content.get("not_run", ()),
        reach=content.get("attached", {}).get("said", ()),
    )


def _refuse(whose: str, told: Mapping[str, Any], forms: Mapping[str, Form]) -> None:
    """Raises RecordError for what is not as we write it, and could not be drawn."""
    for name, fits in forms.items():
        if name in told and not fits(told[name]):
            raise RecordError(
                f"suite.json, {whose}: {name} is {told[name]!r:.120}, and not as we write it"
            )


def _is_text(told: object) -> bool:
    """Of any number of lines."""
    return isinstance(told, str)


def _is_argument(told: object) -> bool:
    """A text, a truth value, or a number of which a curve can be drawn."""
    return isinstance(told, str | bool) or (isinstance(told, int | float) and -MOST <= told <= MOST)


def _is_violation(told: object) -> bool:
    if not isinstance(told, Mapping) or not {*COUNTED, "claim"} <= told.keys():
        return False
    texts = all(isinstance(told.get(name, ""), str) for name in TOLD)
    return texts and all(is_count(told[name]) for name in COUNTED)


COUNTED, TOLD = ("anomalies", "considered"), ("claim", "meaning", "about", "witness", "likely")
OF_SUITE: Mapping[str, Form] = {
    "tests": several(lambda row: isinstance(row, Mapping)),
    "pytest": by_name(is_count),
    "not_run": several(_is_text),
    "attached": lambda told: isinstance(told, Mapping) and several(_is_text)(told.get("said", ())),
}
OF_TEST: Mapping[str, Form] = {
    **dict.fromkeys(("test", "reason", "text", "command"), _is_text),
    **dict.fromkeys(("kafka", "backend", "run", "worker"), or_nothing(_is_text)),
    **dict.fromkeys(("pytest", "reruns"), several(_is_text)),
    "outcome": lambda told: told in ORDER,
    "violated": several(_is_violation),
    "trial": or_nothing(is_count),
    "seconds": is_number,
    "rewritten": by_name(is_count),
    "arguments": by_name(_is_argument),
    "measures": or_nothing(by_name(or_nothing(is_number))),
}
