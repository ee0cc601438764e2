"""What an anomaly is about: a link that stays the same for the same record, and words for it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from highwater.harness.model import Verdict
from highwater.reports.cuts import Place
from highwater.reports.wording import compact, shortened, slug

Witness = Mapping[str, Any]
# What names the place of an anomaly, whatever else a claim tells of it, in the order of a link.
NAMING = (
    "topic", "partition", "offset", "value", "broker", "group", "client", "transaction", "at_ns",
)  # fmt: skip
RECORD = ("topic", "partition", "offset", "value", "broker", "group")
LONGEST_LINK = 90


@dataclass(frozen=True, slots=True)
class Subject:
    id: str
    claim: str
    witness: Witness

    @property
    def place(self) -> Place | None:
        topic, partition = self.witness.get("topic"), self.number("partition")
        return (topic, partition) if isinstance(topic, str) and partition is not None else None

    @property
    def offset(self) -> int | None:
        return self.number("offset")

    @property
    def value(self) -> int | None:
        return self.number("value")

    @property
    def words(self) -> str:
        named = [
            f"{name.replace('_', ' ')} {shortened(compact(self.witness[name]), 60)}"
            for name in self._telling()
            if self.witness.get(name) is not None
        ]
        where = f" of {self.place[0]}-{self.place[1]}" if self.place else ""
        return f"{', '.join(named) or 'anomaly'}{where}"

    def _telling(self) -> tuple[str, ...]:
        if self.value is not None or self.offset is not None:
            return ("value", "offset", "group")
        return ("broker", "group", "client", "transaction")

    @property
    def short(self) -> str:
        """For a link among others of the same claim."""
        for name in ("value", "offset", "broker", "group", "client"):
            if self.witness.get(name) is not None:
                return f"{name} {shortened(compact(self.witness[name]), 24)}"
        return "anomaly"

    def number(self, name: str) -> int | None:
        told = self.witness.get(name)
        return told if type(told) is int else None


def subjects(run: str, verdict: Verdict, most: int) -> list[Subject]:
    """The first anomalies of a claim in a run, at most `most`."""
    shown = list(verdict.witnesses)[:most]
    links = _distinct(_link(run, verdict.claim, each) for each in shown)
    return [
        Subject(link, verdict.claim, witness) for link, witness in zip(links, shown, strict=True)
    ]


def _link(run: str, claim: str, witness: Witness) -> str:
    """Of what the anomaly is about alone, whatever is judged beside it."""
    named = "-".join(
        f"{name[0]}{witness[name]}" if name != "topic" else str(witness[name])
        for name in (RECORD if witness.get("value") is not None else NAMING)
        if witness.get(name) is not None
    )
    whole = slug(named)
    if len(whole) > LONGEST_LINK:
        whole = f"{whole[:LONGEST_LINK]}-{hashlib.sha256(named.encode()).hexdigest()[:8]}"
    return f"{run}-{slug(claim)}-{whole}"


def _distinct(links: Iterator[str]) -> Iterator[str]:
    seen: dict[str, int] = {}
    for link in links:
        seen[link] = seen.get(link, 0) + 1
        yield link if seen[link] == 1 else f"{link}-again{seen[link]}"


def first_of(verdicts: Sequence[Verdict], claims: Sequence[str]) -> list[Verdict]:
    """Those with witnesses, what the play is about first."""
    told = [each for each in verdicts if each.witnesses]
    return sorted(told, key=lambda each: (each.claim not in claims, each.claim))
