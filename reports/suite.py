"""suite.json as values: the chaos tests of one pytest session, and what became of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from highwater.harness.errors import RecordError
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
    def all_passed(self) -> bool | None:
        """None where nothing was played."""
        if any(each.is_bad for each in self.tests):
            return False
        return True if self.count("passed") else None

    def count(self, outcome: str) -> int:
        return sum(each.outcome == outcome for each in self.tests)


def read_suite(content: Mapping[str, Any]) -> Suite:
    """A suite out of JSON; fields that this version does not know are left out.

    Raises RecordError for what is no suite.
    """
    known = {each.name for each in fields(SuiteTest)}
    try:
        tests = [
            SuiteTest(**{name: value for name, value in row.items() if name in known})
            for row in content["tests"]
        ]
    except (KeyError, TypeError, AttributeError) as error:
        raise RecordError(f"this is no suite.json as we write it: {error!r}") from error
    strange = sorted({each.outcome for each in tests} - {*ORDER})
    if strange:
        raise RecordError(f"suite.json: expected outcomes {', '.join(ORDER)}, saw {strange}")
    return Suite(tests=tests, pytest=content.get("pytest", {}), not_run=content.get("not_run", ()))
