"""The cells of compare.json as values: one scenario on one version, a few trials."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from packaging.version import InvalidVersion, Version

from highwater.harness.errors import RecordError
from highwater.reports.wilson import interval


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

    @property
    def column(self) -> Column:
        return Column(kafka=self.kafka, control=self.control, backend=self.backend)

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


def read_cells(contents: Sequence[Mapping[str, Any]]) -> list[Cell]:
    """Cells out of JSON; fields that this version does not know are left out.

    Raises RecordError when one has no scenario or version.
    """
    known = {each.name for each in fields(Cell)}
    for content in contents:
        if not {"scenario", "kafka"} <= content.keys():
            raise RecordError(
                f"a cell needs at least scenario and kafka, saw only {sorted(content)}; "
                "is this the list under `cells` of a compare.json?"
            )
        if not _are_measures(content.get("measures", {})):
            raise RecordError(
                f"the measures of {content['scenario']} on {content['kafka']} are not as we write "
                "them; expected median, least, most, trials and never of each"
            )
    return [
        Cell(**{key: value for key, value in content.items() if key in known})
        for content in contents
    ]


def _are_measures(told: object) -> bool:
    return isinstance(told, Mapping) and all(
        isinstance(each, Mapping)
        and all(isinstance(each.get(name), int) for name in ("trials", "never"))
        and {type(each.get(name)) for name in ("median", "least", "most")}
        in ({type(None)}, {int}, {float}, {int, float})
        for each in told.values()
    )
