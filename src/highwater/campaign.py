"""Plays a table of cells, has each run judged while the next ones play, writes the results."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any

from highwater.cells import Cell, Result, Trial, acked_records, ending, sharing
from highwater.checkers.judge import judge
from highwater.checkers.session import start_session
from highwater.clusters import Clusters
from highwater.harness.model import Verdict
from highwater.harness.processes.cluster import ProcessCluster
from highwater.harness.processes.jvm import Runtime
from highwater.harness.record.files import write_json
from highwater.harness.record.reader import StoredRun, open_run
from highwater.harness.record.writer import write_verdicts
from highwater.harness.trial import Played, play_once
from highwater.reports.junit import write_junit
from highwater.reports.page import write_report

COMPARE_SCHEMA = 1
BATCH_RUNS = 40  # judged at once: what a judgement costs depends little on how many runs it has


@dataclass(frozen=True, kw_only=True)
class Campaign:
    """What is to be done, and where the results go."""

    cells: Sequence[Cell]
    trials: int
    out: Path  # run directories, compare.json, report.html, junit.xml
    workshop: Path  # where clusters live meanwhile
    runtimes: Mapping[str, Runtime]  # by the Kafka's name
    told: Callable[[str], None] = field(default=lambda _text: None)  # what happens now
    advanced: Callable[[Cell, Played], None] = field(default=lambda _cell, _played: None)


def carry_out(campaign: Campaign) -> list[Result]:
    """Play, judge and report; returns the cells in the order they were asked for.

    The judge works on what has been played while the next cluster plays, its Spark session starts
    while the first cluster boots, and every further cluster boots during the last trial before it.
    """
    start_session()
    results = {id(cell): Result(cell) for cell in campaign.cells}
    with (
        Clusters(campaign.workshop, campaign.runtimes, campaign.told) as clusters,
        ThreadPoolExecutor(1, thread_name_prefix="judge") as bench,
    ):
        judged: list[Future[None]] = []
        waiting: list[tuple[Cell, Played]] = []
        for group, following in itertools.pairwise([*sharing(campaign.cells), None]):
            waiting += _play_group(campaign, clusters, group or [], following)
            if len(waiting) >= BATCH_RUNS or following is None:
                judged.append(bench.submit(_judge, waiting, results))
                waiting = []
        campaign.told("judging the last runs")
        for done in judged:
            done.result()
    ordered = [results[id(cell)] for cell in campaign.cells]
    campaign.told("writing the report")
    write_results(campaign.out, ordered)
    return ordered


def _play_group(
    campaign: Campaign,
    clusters: Clusters,
    group: Sequence[Cell],
    following: Sequence[Cell] | None,
) -> list[tuple[Cell, Played]]:
    """All trials of cells that share their settings, on one cluster while it stays usable."""
    played: list[tuple[Cell, Played]] = []
    cluster: ProcessCluster | None = None
    plan = list(itertools.product(group, range(1, campaign.trials + 1)))
    for cell, number in plan:
        cluster = cluster or clusters.take(cell)
        if following and (cell, number) == plan[-1]:
            clusters.prepare(following[0])
        campaign.told(f"{cell.column}: {cell.scenario.name}, trial {number}")
        path = campaign.out / "runs" / cell.scenario.name / cell.column / str(number)
        result = play_once(cell.scenario, cluster, path, _identity(campaign, cell, number))
        played.append((cell, result))
        campaign.advanced(cell, result)
        if not result.cluster_usable:
            cluster = None
    return played


def _identity(campaign: Campaign, cell: Cell, number: int) -> dict[str, Any]:
    scenario, runtime = cell.scenario, campaign.runtimes[cell.kafka.name]
    return {
        "tool": f"highwater {metadata.version('highwater')}",
        "scenario": scenario.name,
        "title": scenario.story.splitlines()[0],
        "story": scenario.story,
        "source": scenario.source,
        "kafka": cell.kafka.name,
        "mode": cell.kafka.mode,
        "backend": cell.backend,
        "control": cell.control,
        "settings": dict(cell.spec.settings),
        "broker_settings": {
            str(each): dict(own) for each, own in cell.spec.broker_settings.items()
        },
        "features": dict(cell.spec.features),
        "topic_settings": cell.topic_settings,
        "claims": list(scenario.claims),
        "tolerates": dict(scenario.tolerates),
        "expected": cell.expected,
        "trial": number,
        "topic": f"{scenario.name}-{number}",
        "java": runtime.java.description,
        "jars": {
            "digest": runtime.digest,
            "added": list(cell.kafka.row.add),
            "replaced": dict(cell.kafka.row.replace),
        },
    }


def _judge(played: Sequence[tuple[Cell, Played]], results: Mapping[int, Result]) -> None:
    runs = {each.path: open_run(each.path) for _, each in played}
    verdicts = judge(list(runs.values()))
    for cell, each in played:
        said = verdicts[each.path]
        write_verdicts(each.path, said)
        results[id(cell)].trials.append(trial_of(cell, each, said, runs[each.path]))


def trial_of(cell: Cell, played: Played, said: Sequence[Verdict], run: StoredRun) -> Trial:
    """A play with what the judge said of it."""
    return Trial(
        played=played,
        verdicts=said,
        ending=ending(cell.scenario.claims, played.complete, said),
        acked=acked_records(run),
    )


def write_results(out: Path, results: Sequence[Result]) -> None:
    """compare.json, report.html and junit.xml."""
    rows = [result.row(out) for result in results]
    write_json(out / "compare.json", {"schema": COMPARE_SCHEMA, "cells": rows})
    runs = [open_run(out / run) for row in rows for run in row["runs"]]
    write_report(out, rows, runs)
    write_junit(out, rows, runs)
