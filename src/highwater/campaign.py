"""Plays a table of cells, has each run judged while the next ones play, writes the results."""

from __future__ import annotations

import itertools
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from highwater.cells import Cell, Result, Trial, acked_records, sharing
from highwater.checkers.judge import judge_beside
from highwater.checkers.session import start_session
from highwater.circumstances import circumstances
from highwater.clusters import Clusters
from highwater.exploration.executed import executed
from highwater.exploration.files import write_schedule
from highwater.exploration.scenarios import SCHEDULE, SOURCE
from highwater.harness.background import Background
from highwater.harness.errors import ENVIRONMENT, Interrupted, UsageError, in_words
from highwater.harness.judgement import judgement
from highwater.harness.jvm.runtime import Runtime
from highwater.harness.kafka_cluster import KafkaCluster
from highwater.harness.model import Verdict
from highwater.harness.patience import is_interrupted
from highwater.harness.record.files import write_json
from highwater.harness.record.reader import StoredRun, open_run
from highwater.harness.trial import Played, not_played, play_once, played_before
from highwater.identity import of_cell
from highwater.measured import measured_of
from highwater.metrics import write_metrics
from highwater.reports.cells import COMPARE_SCHEMA
from highwater.reports.junit import write_junit
from highwater.reports.page import write_report
from highwater.reports.summary import write_summary

Turn = tuple[Cell, int]  # a cell, and which of its trials
Planned = tuple[Cell, Played]
PLAYED_WITH = ("kafka", "settings", "broker_settings", "topic_settings", "features", "upgrades_to")
BATCH_RUNS = 40  # judged at once: what a judgement costs depends little on how many runs it has


@dataclass(frozen=True, kw_only=True)
class Campaign:
    """What is to be done, and where the results go."""

    cells: Sequence[Cell]
    trials: int
    reruns: int = 0  # of a cell, for trials that were cut short or whose preconditions were not met
    out: Path  # run directories, compare.json, report.html, junit.xml, summary.md, metrics.txt
    workshop: Path  # where clusters live meanwhile
    runtimes: Mapping[str, Runtime]  # by the Kafka's name
    shard: tuple[int, int] = (1, 1)  # the first of one: everything
    announce: Callable[[str], None] = field(default=lambda _text: None)  # what happens now
    warned: Callable[[str], None] = field(default=lambda _text: None)  # what is to be seen to
    advanced: Callable[[Cell, Played], None] = field(default=lambda _cell, _played: None)


def carry_out(campaign: Campaign) -> list[Result]:
    """Play, judge and report; returns the cells in the order they were asked for.

    What `out` already holds is not played again, unless it was inconclusive and a cell may have
    `reruns`, which are further trials: what went wrong stays on the record. Raises UsageError where
    that was played with other settings. The judge works on what
    has been played while the next cluster plays, its Spark session starts while the first cluster
    boots, and every further cluster boots during the last trial before it. A shard plays its part
    and leaves the report to the run that finds everything played.
    """
    _refuse_other_settings(campaign)
    if missing(campaign):
        start_session()
    results = {id(cell): Result(cell, asked=campaign.trials) for cell in campaign.cells}
    started = Clusters(campaign.workshop, campaign.runtimes, campaign.announce, campaign.warned)
    with (
        started as clusters,
        closing(Background("judge")) as bench,  # who is interrupted does not wait for it
    ):
        for done in [bench.submit(_judge, each, results) for each in _batches(campaign, clusters)]:
            done.result()
    ordered = [results[id(cell)] for cell in campaign.cells]
    for result in ordered:
        result.trials.sort(key=lambda trial: int(trial.played.path.name))
    if campaign.shard[1] == 1:
        campaign.announce("writing the report")
        write_results(campaign.out, ordered)
    return ordered


def _batches(campaign: Campaign, clusters: Clusters) -> Iterator[list[Planned]]:
    """What is to be judged, in parts, as soon as it has been played."""
    waiting = [] if campaign.shard[1] > 1 else recorded(campaign)
    while left := missing(campaign):  # once, but for what is to be played again
        for group, following in itertools.pairwise([*left, []]):
            waiting += _play_group(campaign, clusters, group, following)
            if len(waiting) >= BATCH_RUNS:
                yield waiting
                waiting = []
    campaign.announce("judging the last runs")
    yield waiting


def recorded(campaign: Campaign) -> list[Planned]:
    """What has been played by an earlier campaign into the same directory."""
    return [
        (cell, played)
        for cell in campaign.cells
        for played in _played(campaign, cell).values()
        if played is not None
    ]


def missing(campaign: Campaign) -> list[list[Turn]]:
    """What is left to play, by cluster; of a shard, its share of the clusters."""
    groups = [
        [
            (cell, number)
            for cell in group
            for number, played in _played(campaign, cell).items()
            if played is None
        ]
        for group in _share(campaign)
    ]
    return [group for group in groups if group]


def _share(campaign: Campaign) -> list[Sequence[Cell]]:
    """A shard's clusters: each goes to the one that has the fewest cells so far."""
    place, shards = campaign.shard
    dealt: list[list[Sequence[Cell]]] = [[] for _ in range(shards)]
    for group in sharing(campaign.cells):
        min(dealt, key=lambda mine: sum(map(len, mine))).append(group)
    return dealt[place - 1]


def _played(campaign: Campaign, cell: Cell) -> dict[int, Played | None]:
    """Every trial that a cell is to have, as far as is known now, and how it went."""
    asked = range(1, campaign.trials + campaign.reruns + 1)
    played = {number: played_before(_place(campaign, cell, number)) for number in asked}
    again = sum(each is not None and not each.complete for each in played.values())
    wanted = campaign.trials + min(again, campaign.reruns)
    return {number: each for number, each in played.items() if number <= wanted or each is not None}


def _refuse_other_settings(campaign: Campaign) -> None:
    """Raises UsageError where `out` has a trial of another configuration in the place of ours."""
    for cell in campaign.cells:
        for number, played in _played(campaign, cell).items():
            if played is None:
                continue
            wanted, told = of_cell(cell, number).described({}), open_run(played.path).identity
            # What is played by a scenario is code, and may be mended; a schedule is what it says.
            is_schedule = SOURCE in (told.get("source"), wanted["source"])
            for name in (*PLAYED_WITH, *(("story",) if is_schedule else ())):
                if name in told and told[name] != wanted.get(name):
                    before, now = _apart(told[name], wanted.get(name))
                    raise UsageError(
                        f"{played.path} was played with other {name}: {before!r:.200}, not "
                        f"{now!r:.200}; choose another --out"
                    )


def _apart(one: object, other: object) -> tuple[object, object]:
    """Of two mappings what is not the same in both."""
    if not isinstance(one, Mapping) or not isinstance(other, Mapping):
        return one, other
    names = [each for each in {**one, **other} if one.get(each) != other.get(each)]
    return {each: one.get(each) for each in names}, {each: other.get(each) for each in names}


def _place(campaign: Campaign, cell: Cell, number: int) -> Path:
    return campaign.out / "runs" / cell.scenario.name / cell.column / str(number)


def _play_group(
    campaign: Campaign, clusters: Clusters, plan: Sequence[Turn], following: Sequence[Turn] | None
) -> list[Planned]:
    """All trials of cells that share their settings, on one cluster while it stays usable."""
    played: list[Planned] = []
    cluster: KafkaCluster | None = None
    for place, (cell, number) in enumerate(plan):
        try:
            cluster = cluster or _cluster_for(cell, clusters, campaign)
            identity = of_cell(cell, number).described(cluster.identity)
        except UsageError:
            raise
        except ENVIRONMENT as error:
            return [*played, *_not_played(campaign, plan[place:], error)]
        if following and (cell, number) == plan[-1]:
            clusters.prepare_next(following[0][0])
        campaign.announce(f"{cell.column}: {cell.scenario.name}, trial {number}")
        result = play_once(cell.scenario, cluster, _cleared(campaign, cell, number), identity)
        _keep_schedule(cell, result)
        played.append((cell, result))
        campaign.advanced(cell, result)
        if is_interrupted():
            raise Interrupted
        if not result.cluster_usable:
            cluster = None
    return played


def _cluster_for(cell: Cell, clusters: Clusters, campaign: Campaign) -> KafkaCluster:
    """Another one is started where the first does not come up: all trials of a group hang on it."""
    try:
        return clusters.take(cell)
    except UsageError:
        raise
    except ENVIRONMENT as error:
        if is_interrupted():
            raise
        campaign.announce(f"{cell.column}: another cluster is started: {in_words(error)}")
        return clusters.take(cell)


def _keep_schedule(cell: Cell, played: Played) -> None:
    """What it did, for `replay`; a schedule that was played has written its own."""
    path = played.path / SCHEDULE
    if not path.exists():
        write_schedule(path, executed(played.path, cell.scenario))


def _not_played(campaign: Campaign, plan: Sequence[Turn], error: Exception) -> list[Planned]:
    """Trials that have no cluster: each is on the record, and the next cluster's are played."""
    if is_interrupted():
        raise Interrupted from error
    planned: list[Planned] = []
    for cell, number in plan:
        path, identity = _cleared(campaign, cell, number), of_cell(cell, number).described({})
        result = not_played(path, identity, f"no cluster to play on: {in_words(error)}")
        planned.append((cell, result))
        campaign.advanced(cell, result)
    return planned


def _cleared(campaign: Campaign, cell: Cell, number: int) -> Path:
    """The directory of a trial, without what a play that was interrupted has left there."""
    path = _place(campaign, cell, number)
    shutil.rmtree(path, ignore_errors=True)
    return path


def _judge(played: Sequence[Planned], results: Mapping[int, Result]) -> None:
    runs = {each.path: open_run(each.path) for _, each in played}
    fresh = [run for run in runs.values() if not run.verdicts()]
    verdicts = judge_beside(fresh) if fresh else {}
    for cell, each in played:
        run = runs[each.path]
        said = verdicts.get(each.path) or run.verdicts()
        results[id(cell)].trials.append(trial_of(cell, each, said, run))


def trial_of(cell: Cell, played: Played, said: Sequence[Verdict], run: StoredRun) -> Trial:
    """A play with what the judge said of it."""
    unfinished = "" if played.complete else played.reason or "the play did not complete"
    return Trial(
        played=played,
        verdicts=said,
        ending=judgement(cell.scenario.claims, said, unfinished).ending,
        acked=acked_records(run),
        measured=measured_of(run) if played.complete else {},
        rewritten=run.identity.get("rewritten", {}),
    )


def write_results(out: Path, results: Sequence[Result]) -> None:
    """compare.json, report.html, junit.xml, summary.md and metrics.txt."""
    rows = [result.row(out) for result in results]
    runs = [open_run(out / run) for row in rows for run in row["runs"]]
    told = {"schema": COMPARE_SCHEMA, **circumstances(runs), "cells": rows}
    write_json(out / "compare.json", told)
    write_report(out, rows, runs)
    write_junit(out, rows, runs)
    write_summary(out, rows)
    write_metrics(out, rows, runs)
