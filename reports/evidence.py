"""The evidence of each anomaly: the record, who had it when, what was logged, and why.

Bounded in number, for a run may have a hundred thousand of them; how many are left out is said.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from highwater.harness.model import Answer, Verdict
from highwater.reports.contents import RunContents
from highwater.reports.cuts import Cut, Place, cuts
from highwater.reports.reasons import Reason, reasons
from highwater.reports.samples import Period, Sample, changes, leader_periods
from highwater.reports.subjects import Subject, first_of, subjects
from highwater.reports.surroundings import Around, around
from highwater.reports.whereabouts import (
    MOST_OPERATIONS,
    Held,
    Records,
    held,
    is_gone,
    operation,
    records,
)

MOST_OF_A_CLAIM = 12
MOST_OF_A_RUN = 36


@dataclass(frozen=True, slots=True)
class Anomaly:
    subject: Subject
    sent: Sequence[str]
    read: Sequence[str]
    held: Sequence[Held]
    why: Sequence[Reason]
    moment_ns: int | None  # around which to look


@dataclass(frozen=True, slots=True)
class Episode:
    """Anomalies that became of one moment, with what stands around it."""

    around: Around | None
    anomalies: Sequence[Anomaly]


@dataclass(frozen=True, slots=True)
class ClaimEvidence:
    claim: str
    episodes: Sequence[Episode]
    shown: int
    anomalies: int  # as many as there are

    @property
    def subjects(self) -> list[Subject]:
        return [each.subject for episode in self.episodes for each in episode.anomalies]


@dataclass(frozen=True)
class Known:
    """What is asked of the record once for all anomalies."""

    contents: RunContents
    found: Records
    looks: Mapping[Place, Sequence[Sample]]
    cuts: Mapping[Place, Sequence[Cut]]
    periods: Mapping[Place, Sequence[Period]]


def evidence(contents: RunContents, run: str) -> list[ClaimEvidence]:
    """Of each claim that is violated; `run` is what the links of a run begin with."""
    chosen = list(_chosen(contents, run))
    every = [subject for _, mine in chosen for subject in mine]
    places = {each.place for each in every if each.place}
    looks = {place: changes(contents, place) for place in places}
    known = Known(
        contents,
        records(contents, every),
        looks,
        {place: cuts(contents, place) for place in places},
        {place: leader_periods(contents, looks[place]) for place in places},
    )
    return [_of_claim(verdict, mine, known) for verdict, mine in chosen]


def lines_of(every: Sequence[ClaimEvidence]) -> frozenset[int]:
    """The numbers of the events that something here leads to."""
    anomalies = [each for one in every for episode in one.episodes for each in episode.anomalies]
    named = {why.line for each in anomalies for why in each.why}
    named |= {cut.line for each in anomalies for row in each.held for cut in row.cut}
    for one in every:
        for episode in one.episodes:
            named |= (
                set() if episode.around is None else {each.line for each in episode.around.rows}
            )
    return frozenset(line for line in named if line is not None)


def _chosen(contents: RunContents, run: str) -> Iterator[tuple[Verdict, list[Subject]]]:
    room = MOST_OF_A_RUN
    violated = [each for each in contents.verdicts if each.answer is Answer.VIOLATED]
    for verdict in first_of(violated, list(contents.identity.get("claims") or ())):
        mine = subjects(run, verdict, min(room, MOST_OF_A_CLAIM))
        room -= len(mine)
        if mine:
            yield verdict, mine


def _of_claim(verdict: Verdict, mine: Sequence[Subject], known: Known) -> ClaimEvidence:
    together: dict[tuple[Place | None, int | None], list[Anomaly]] = {}
    for subject in mine:
        found = _anomaly(subject, known)
        together.setdefault((subject.place, found.moment_ns), []).append(found)
    episodes = [
        Episode(around(known.contents.events, place, moment_ns, anomalies[0].subject.id), anomalies)
        for (place, moment_ns), anomalies in together.items()
    ]
    return ClaimEvidence(verdict.claim, episodes, len(mine), verdict.anomalies)


def _anomaly(subject: Subject, known: Known) -> Anomaly:
    place = subject.place
    looks = known.looks[place] if place else ()
    cut = known.cuts[place] if place else ()
    rows = held(subject, known.found, looks, cut)
    sends = known.found.sends(subject)
    periods = known.periods[place] if place else ()
    leader = periods[-1].leader if periods else None
    why = reasons(subject, periods if is_gone(rows, leader) else (), looks, cut)
    return Anomaly(
        subject,
        _listed(sends),
        _listed(known.found.reads(subject)),
        rows,
        why,
        _moment(subject, why, sends),
    )


def _listed(operations: Sequence[Mapping[str, Any]]) -> list[str]:
    said = [operation(each) for each in operations[:MOST_OPERATIONS]]
    return [*said, "and more"] if len(operations) > MOST_OPERATIONS else said


def _moment(
    subject: Subject, why: Sequence[Reason], sends: Sequence[Mapping[str, Any]]
) -> int | None:
    """When it came about, as far as anything says."""
    told = [each.at_ns for each in why if each.at_ns is not None]
    if told:
        return told[0]
    for name in ("at_ns", "gone_ns", "last_seen_ns", "completed_ns", "invoked_ns"):
        at_ns = subject.number(name)
        if at_ns is not None:
            return at_ns
    return int(sends[0]["invoked_ns"]) if sends else None
