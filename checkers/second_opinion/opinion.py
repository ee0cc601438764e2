"""What a second opinion says of one claim."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from highwater.harness.model import Answer


@dataclass(frozen=True, slots=True)
class Opinion:
    """What is said of one claim: how much was considered, wrong, and undecidable."""

    considered: int = 0
    anomalies: int = 0
    doubts: int = 0

    @property
    def answer(self) -> Answer:
        if self.anomalies:
            return Answer.VIOLATED
        return Answer.UNKNOWN if self.doubts or not self.considered else Answer.HELD


def together(opinions: Iterable[Opinion]) -> Opinion:
    several = list(opinions)
    return Opinion(
        sum(each.considered for each in several),
        sum(each.anomalies for each in several),
        sum(each.doubts for each in several),
    )


def opinion_of(findings: Iterable[bool | None]) -> Opinion:
    """Of one finding per row: True is an anomaly, False is none, None a doubt."""
    found = list(findings)
    return Opinion(len(found), found.count(True), found.count(None))
