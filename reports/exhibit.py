"""One run as the page shows it: who it is, what it showed, and the evidence."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from highwater.harness.model import Answer, Ending
from highwater.harness.record.reader import StoredRun
from highwater.reports.axis import TimeAxis, time_axis
from highwater.reports.contents import RunContents, load
from highwater.reports.cuts import cuts
from highwater.reports.evidence import ClaimEvidence, evidence, lines_of
from highwater.reports.findings import Finding, findings
from highwater.reports.grid import Grid, grid
from highwater.reports.holdings import all_holdings
from highwater.reports.moments import EventTable, Row, event_table
from highwater.reports.plays import Moment, moments
from highwater.reports.producers import Producers, producers
from highwater.reports.rates import Achieved, achieved
from highwater.reports.rewritten import rewritten_of, sentences
from highwater.reports.samples import changes, leader_periods
from highwater.reports.schedules import Schedule, command_again, schedule_of
from highwater.reports.scrub import Scrub, scrub
from highwater.reports.sequence import Sequences, sequence
from highwater.reports.story import Story, story
from highwater.reports.timeline import Timeline, timeline
from highwater.reports.trials import judged, relative_path
from highwater.reports.watermarks import Chart, chart
from highwater.reports.wording import compact, slug

MOST_PARTITIONS = 4
MOST_LOG_LINES = 8
SYMBOLS = {Ending.REPRODUCED: "✕", Ending.CLEAN: "✓", Ending.INCONCLUSIVE: "?"}
FACTS = (
    "kafka", "releases", "control", "mode", "backend", "expected", "source", "started_at", "tool"
)  # fmt: skip
# Shape the time axis: the gate's ordinary traffic and metadata polls would flatten everything.
BACKGROUND = frozenset({"metadata", "read"})


@dataclass(frozen=True)
class Exhibit:
    """The part of a run that is always on the page, however many runs there are."""

    id: str
    path: str
    identity: Mapping[str, Any]
    name: str  # of what was played
    word: str  # what it showed, or what its test came to
    symbol: str
    reason: str  # why it is inconclusive, "" otherwise
    title: str
    story: Sequence[str]  # paragraphs, as the play tells them
    command: str
    schedule: Schedule | None  # that it replayed
    facts: Sequence[tuple[str, str]]
    settings: Sequence[tuple[str, str, str]]  # where, key, value
    findings: Sequence[Finding]
    others: Sequence[tuple[str, Sequence[str]]]  # in brief: an answer, and claims that have it
    problems: Sequence[str]
    left_out: Sequence[str]  # of a large record
    rewritten: Sequence[str]  # a sentence for each kind of answer that the gate replaced
    server_logs: Sequence[tuple[str, str]]  # broker, relative path
    charts: Charts | None  # None: left out for size


@dataclass(frozen=True)
class Charts:
    timeline: Timeline
    watermarks: Sequence[Chart]
    grids: Sequence[Grid]
    log_lines: Sequence[Row]  # the brokers' own words
    log_lines_left_out: int
    events: EventTable
    partitions_left_out: int
    achieved: Achieved
    evidence: Mapping[str, ClaimEvidence]  # by claim
    story: Story
    sequence: Sequences | None
    scrub: Scrub | None
    moments: Sequence[Moment]  # to lay another run beside it
    producers: Producers  # whose id or epoch has changed


def exhibit(run: StoredRun, directory: Path, *, brief: bool) -> Exhibit:
    contents = load(run, brief=brief)
    identity = contents.identity
    path = relative_path(run.path, directory)
    judgement = judged(identity, contents.verdicts)
    found = findings(contents.verdicts, identity)
    problems = [*contents.problems]
    return Exhibit(
        id=f"run-{slug(path)}",
        path=path,
        identity=identity,
        name=_name(identity),
        word=judgement.ending.value,
        symbol=SYMBOLS[judgement.ending],
        reason=judgement.reason,
        title=str(identity.get("title") or ""),
        story=() if brief else _story(identity),
        command=command_again(run.path, path, identity),
        schedule=None if brief else schedule_of(run.path, identity, problems),
        facts=[(key.replace("_", " "), compact(identity[key])) for key in FACTS
               if identity.get(key) is not None],
        settings=() if brief else _settings(identity),
        findings=[each for each in found if not brief or _matters(each)],
        others=_others([each for each in found if brief and not _matters(each)]),
        problems=problems,
        left_out=contents.left_out,
        rewritten=list(sentences(rewritten_of(identity, lambda: contents.events))),
        server_logs=_server_logs(run.path, path),
        charts=None if brief else charts(contents, f"run-{slug(path)}"),
    )  # fmt: skip


def _matters(finding: Finding) -> bool:
    """Whether it is about what was played, or should not be."""
    return bool(finding.role) or finding.verdict.answer is Answer.VIOLATED


def _others(found: Sequence[Finding]) -> list[tuple[str, Sequence[str]]]:
    claims: dict[str, list[str]] = {}
    for each in found:
        claims.setdefault(each.verdict.answer.value, []).append(each.verdict.claim)
    return list(claims.items())


def charts(contents: RunContents, run: str) -> Charts:
    """`run` is what the links of this run begin with."""
    holdings = all_holdings(contents)
    ranked = sorted(holdings, key=lambda each: -len(each.lost()))
    places = [each.where for each in ranked] or contents.partitions("replica_states")
    axis = _axis(contents, places[:MOST_PARTITIONS])
    main = changes(contents, places[0]) if places else []
    drawn = [chart(contents, axis, place) for place in places[:MOST_PARTITIONS]]
    proof = evidence(contents, run)
    table = event_table(contents.events, lines_of(proof))
    place = places[0] if places else None
    cut = cuts(contents, place) if place else []
    lines = [row for row in table.rows if row.kind == "log"]
    told = story(contents, place, cut, axis)
    grids = [grid(each) for each in ranked[:MOST_PARTITIONS]]
    return Charts(
        timeline(contents, axis, leader_periods(contents, main)),
        [each for each in drawn if each],
        grids,
        lines[:MOST_LOG_LINES],
        max(0, len(lines) - MOST_LOG_LINES),
        table,
        max(0, len(places) - MOST_PARTITIONS),
        achieved(contents),
        {each.claim: each for each in proof},
        told,
        sequence(contents, place, cut),
        scrub(main, grids[0] if ranked else None, told.sentences, axis),
        moments(contents, place, cut),
        producers(contents),
    )


def _axis(contents: RunContents, places: Iterable[tuple[str, int]]) -> TimeAxis:
    happened = [
        int(event["at_ns"])
        for event in contents.events
        if event.get("kind") not in BACKGROUND and event.get("event") not in ("passed", "seen")
    ]
    looked = [sample.at_ns for place in places for sample in changes(contents, place)]
    return time_axis([*happened, *looked, contents.end_ns])


def _name(identity: Mapping[str, Any]) -> str:
    """Another tool's record need not say what was played."""
    scenario, kafka = identity.get("scenario", "a run"), identity.get("kafka", "unknown")
    return str(identity.get("test") or f"{scenario} on Kafka {kafka}")


def _story(identity: Mapping[str, Any]) -> list[str]:
    """The paragraphs of the play's docstring, without the title that it starts with."""
    text = inspect.cleandoc(str(identity.get("story") or ""))
    paragraphs = [" ".join(each.split()) for each in text.split("\n\n") if each.strip()]
    return [each for each in paragraphs if each != identity.get("title")]


def _settings(identity: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    topics = identity.get("topics") or {"topic": identity.get("topic_settings")}
    one = len(topics) == 1
    layers = {"broker": identity.get("settings")}
    layers |= {"topic" if one else f"topic {name}": own for name, own in topics.items()}
    return [
        (where, str(key), compact(value))
        for where, own in layers.items()
        for key, value in (own or {}).items()
    ]


def _server_logs(run: Path, relative: str) -> list[tuple[str, str]]:
    logs = sorted((run / "brokers").glob("*/server.log"))
    return [(log.parent.name, f"{relative}/brokers/{log.parent.name}/server.log") for log in logs]
