"""What a scenario did, as a schedule: read from the record of its play.

Requests, faults, elections and what was seen before the next step are known. Loads, groups,
transactions and other partitions are not, and are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from itertools import groupby
from pathlib import Path
from typing import Any

from highwater.exploration.injections import WHERE, Await, FailOver, Heal, Inject
from highwater.exploration.moves import Lead, Prefer, Send
from highwater.exploration.steps import FEATURES, SETTING, Move, Schedule, Step, Taken
from highwater.harness.errors import UsageError
from highwater.harness.model import Scenario, TopicPartition
from highwater.harness.record.reader import open_run

Event = Mapping[str, Any]
ELECTION = re.compile(r"preferred leader election: (\d+) shall lead (\S+)")
PREFERENCE = re.compile(r"replicas of (\S+) in order of preference: \((\d+),")
REQUEST = re.compile(r"one request to broker \d+: (\d+) records with acks=(\S+)")
AS_PLAYED = ("settings", "topic_settings", FEATURES)
THE_END = "healing everything that is still open"


def executed(run: Path, scenario: Scenario) -> Schedule:
    """The steps in the record of a run of this scenario; raises RecordError without a record."""
    kept = open_run(run)
    where = TopicPartition(kept.identity["topic"])
    steps = [Taken(Step(move)) for move in _told_once(_moves(kept.events(), where))]
    defaults = {each.name: each.default for each in fields(Scenario)}
    told = {name: getattr(scenario, name) for name in SETTING}
    # As it was played: a control has changed some of it.
    told |= {name: kept.identity[name] for name in AS_PLAYED if name in kept.identity}
    return Schedule(
        kafka=kept.identity["kafka"],
        steps=steps,
        claims=scenario.claims,
        origin={"scenario": scenario.name, "control": kept.identity["control"]},
        setting={
            name: value for name, value in told.items() if value not in (defaults.get(name, {}), {})
        },
    )


def _told_once(moves: Iterator[Move]) -> Iterator[Move]:
    """What was seen twice is waited for once; what was done twice is done twice."""
    for move, several in groupby(moves):
        yield from [move] if isinstance(move, Await) else several


def _moves(events: Sequence[Event], where: TopicPartition) -> Iterator[Move]:
    for event in events:
        if event["kind"] == "step" and event["text"] == THE_END:
            return
        try:
            yield from _moves_of(event, where)
        except UsageError:  # a fault made of others, or aimed at a role
            continue


def _moves_of(event: Event, where: TopicPartition) -> Iterator[Move]:
    kind, text = event["kind"], event["text"]
    if kind == "fault" and event["phase"] in {"opened", "closed"}:
        told = event["fault"].replace(repr(where), WHERE)
        yield (Inject if event["phase"] == "opened" else Heal)(told)
    elif kind == "send":
        yield Send(event["records"], event["acks"])
    elif kind == "metadata" and "controller" in event:
        yield FailOver()
    elif kind == "precondition" and event["met"]:
        yield from _seen(event["observed"])
    elif elected := ELECTION.match(text):
        yield from [Lead(int(elected[1]))] if elected[2] == str(where) else []
    elif preferred := PREFERENCE.match(text):
        yield from [Prefer(int(preferred[2]))] if preferred[1] == str(where) else []
    elif asked := REQUEST.match(text):
        yield Send(int(asked[1]), asked[2])


def _seen(observed: Mapping[str, Any]) -> Iterator[Await]:
    ends, marks = observed.get("log_end_offsets"), observed.get("high_watermarks")
    if isinstance(ends, dict) and isinstance(marks, dict) and "leader" in observed:
        yield Await(observed["leader"], _told(ends), _told(marks))


def _told(offsets: Mapping[str, int | None]) -> str:
    known = {broker: offset for broker, offset in offsets.items() if offset is not None}
    return " ".join(f"{broker}:{offset}" for broker, offset in known.items())
