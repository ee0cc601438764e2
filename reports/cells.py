"""The cells of compare.json as values: one scenario on one version, a few trials."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from packaging.version import InvalidVersion, Version

from highwater.harness.errors import RecordError
from highwater.reports.forms import (
    Form,
    by_name,
    is_count,
    is_number,
    is_text,
    or_nothing,
    several,
)
from highwater.reports.wilson import interval

COMPARE_SCHEMA = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """What stands above a cell: a binary, perhaps with one setting turned back."""

    kafka: str
    control: str | None = None
    backend: str = "process"

    @property
    def label(self) -> str:
        return f"{self.kafka} + {self.control}" if self.control else self.kafka

    @property
    def order(self) -> tuple[Version, str, str, str]:
        """By version, ZooKeeper's form and controls right of their own binary."""
        try:
            version = Version(self.kafka.partition("-")[0])
        except InvalidVersion:
            version = Version("99999")
        return version, self.kafka, self.backend, self.control or ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One cell of compare.json; `acked` and `anomalies` are sums over its trials."""

    scenario: str
    kafka: str
    control: str | None = None
    backend: str = "process"
    trials: int = 0
    reproduced: int = 0
    clean: int = 0
    inconclusive: int = 0
    expected: str | None = None
    as_expected: bool | None = None
    acked: int = 0
    anomalies: Mapping[str, int] = field(default_factory=dict)
    seconds: Sequence[float] = ()
    runs: Sequence[str] = ()
    measures: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # see compared
    rewritten: Mapping[str, int] = field(default_factory=dict)  # answers, by api and error
    explained: str = ""  # a page of the repository, or a ticket, that knows of what failed
    not_promised: Mapping[str, str] = field(default_factory=dict)  # claim -> where that stands
    source: str = ""  # what the scenario rests on: a KIP, a JIRA

    @property
    def column(self) -> Column:
        return Column(kafka=self.kafka, control=self.control, backend=self.backend)

    @property
    def known(self) -> str:
        """That what failed is known, in a sentence; "" where nobody says so."""
        told = f"{self.scenario} on {self.column.label} is known to fail: {self.explained}"
        return told if self.explained else ""

    @property
    def told(self) -> Sequence[tuple[str, str]]:
        """What was told of its client and not charged, in words, each with its reference."""
        words = "is told and not charged, for its client does not promise it"
        return [
            (f"{claim} in {self.scenario} on {self.column.label} {words}:", where)
            for claim, where in sorted(self.not_promised.items())
        ]

    @property
    def conclusive(self) -> int:
        return self.reproduced + self.clean

    @property
    def unexpected(self) -> bool:
        return self.expected is not None and self.as_expected is False

    @property
    def result(self) -> str:
        """One word: reproduced, clean, mixed or inconclusive."""
        if self.conclusive == 0:
            return "inconclusive"
        if self.reproduced and self.clean:
            return "mixed"
        return "reproduced" if self.reproduced else "clean"

    @property
    def interval_percent(self) -> tuple[int, int]:
        low, high = interval(self.reproduced, self.conclusive)
        return round(low * 100), round(high * 100)


def remarks(cells: Sequence[Cell]) -> list[str]:
    """What is known of their clients: that they fail, and then what they do not promise."""
    known = [cell.known for cell in cells if cell.known]
    return [*known, *(" ".join(told) for cell in cells for told in cell.told)]


def cells_under(content: Any) -> Any:
    """What stands under `cells` of a compare.json, whatever it is.

    Raises RecordError for another schema than this version's.
    """
    told = content.get("schema") if isinstance(content, Mapping) else content
    if type(told) is not int or told != COMPARE_SCHEMA:
        raise RecordError(f"expected schema {COMPARE_SCHEMA}, saw {told!r:.40}")
    return content.get("cells")


def read_cells(contents: Sequence[Mapping[str, Any]]) -> list[Cell]:
    """Cells out of JSON; fields that this version does not know are left out.

    Raises RecordError when one has no scenario or version, or contradicts itself or another one.
    """
    known = {each.name for each in fields(Cell)}
    if not isinstance(contents, list | tuple) or not all(
        isinstance(each, Mapping) for each in contents
    ):
        raise RecordError("expected a list of cells, as under `cells` of a compare.json")
    for content in contents:
        if not {"scenario", "kafka"} <= content.keys():
            raise RecordError(
                f"a cell needs at least scenario and kafka, saw only {sorted(content)}; "
                "is this the list under `cells` of a compare.json?"
            )
        wrong = [
            name for name in known & content.keys() if not FORMS.get(name, is_text)(content[name])
        ]
        if wrong:
            raise RecordError(
                f"the cell of {content['scenario']!r:.80} on {content['kafka']!r:.40} is not as we "
                f"write it: {min(wrong)} is {content[min(wrong)]!r:.200}"
            )
    cells = [
        Cell(**{key: value for key, value in content.items() if key in known})
        for content in contents
    ]
    for at, cell in enumerate(cells):
        why = _contradiction(cell, cells[:at])
        if why:
            named = f"{cell.scenario!r:.80} on {cell.column.label!r:.60}"
            raise RecordError(f"the cell of {named}: {why}")
    return cells


def _contradiction(cell: Cell, before: Sequence[Cell]) -> str:
    """Why it cannot be so, whoever wrote it."""
    shown = {"reproduced": cell.reproduced, "clean": cell.clean}
    told = cell.conclusive + cell.inconclusive
    if told != cell.trials:
        return f"{cell.trials} trials were played, and {told} showed something or nothing"
    if cell.expected not in (None, *shown):
        return f"expected reproduced or clean to be expected, saw {cell.expected!r:.40}"
    contrary = cell.conclusive - shown.get(cell.expected or "", cell.conclusive)
    if cell.expected is not None and cell.as_expected and (contrary or not cell.conclusive):
        return f"{contrary} trials were not {cell.expected}, and all is said to be as expected"
    if any((one.scenario, one.column) == (cell.scenario, cell.column) for one in before):
        return "it is there twice"
    return ""


def _is_summary(told: object) -> bool:
    """Of a measure: numbers in their order where any trial has one, and else none."""
    if not isinstance(told, Mapping):
        return False
    trials, never = told.get("trials", -1), told.get("never", -1)
    if not (is_count(trials) and is_count(never) and never <= trials):
        return False
    figures = [told.get(name) for name in ("least", "median", "most")]
    if trials == never:
        return figures == [None] * 3
    return all(map(is_number, figures)) and sorted(figures, key=float) == figures  # type: ignore[arg-type]


FORMS: Mapping[str, Form] = {
    "control": or_nothing(is_text),
    **dict.fromkeys(("trials", "reproduced", "clean", "inconclusive", "acked"), is_count),
    "expected": or_nothing(is_text),
    "explained": is_text,
    "not_promised": by_name(is_text),
    "as_expected": lambda told: told is None or isinstance(told, bool),
    **dict.fromkeys(("anomalies", "rewritten"), by_name(is_count)),
    "seconds": several(is_number),
    "runs": several(is_text),
    "measures": by_name(_is_summary),
}
