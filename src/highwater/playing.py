"""`run` and `compare`: refuse what cannot be, then play, judge and show."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from highwater import console
from highwater.adopting import kafkas_named
from highwater.backends import PROCESS, Backend
from highwater.borrowing import borrowed, unfit
from highwater.campaign import Campaign, carry_out, missing
from highwater.casting import able
from highwater.cells import Cell, Result, make_cells
from highwater.checkers.session import stop_session
from highwater.fetching import runtime_with_progress
from highwater.harness.controls import find_control
from highwater.harness.errors import Interrupted, UsageError
from highwater.harness.foreign.programs import OURS
from highwater.harness.jvm.java import find_java
from highwater.harness.jvm.runtime import Runtime
from highwater.harness.model import Ending
from highwater.harness.scenario import lines_up_with, plays_on
from highwater.harness.trial import Played
from highwater.harness.versions.catalogue import (
    Kafka,
    find_kafka,
    ladder_kafkas,
    unpacked_kafka,
)
from highwater.ladder import Extent, ladder, rungs
from highwater.reports.cells import read_cells, remarks
from highwater.reports.compared import telling
from highwater.reports.flips import flips
from highwater.reports.rewritten import of_cells
from highwater.scenarios.catalogue import find_scenario, scenarios
from highwater.workshop import directory_of, workshop


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the user named."""

    scenarios: Sequence[str]  # none: all of them
    kafkas: Sequence[str]
    kafka_dir: Path | None
    controls: Sequence[str]
    both: bool  # controls stand beside the plain cells; otherwise instead of them


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    trials: int
    reruns: int = 0  # of a cell, for what was inconclusive
    backend: Backend
    out: Path | None
    offline: bool
    json: bool
    resume: bool = False  # `out` may hold results, and what it holds is not played again
    shard: str = "1/1"


def attached(scenario: str, project: str, options: Options, *, owned: bool) -> int:
    """Play a scenario on the cluster of a compose project; returns the exit code.

    `owned`: whoever asks says that it is theirs. Without it nothing is even asked.
    """
    chosen = find_scenario(scenario)
    there = borrowed("--attach", project, owned=owned)
    (cell,) = make_cells([chosen], [there.kafka], [])
    why = unfit(cell.spec, there.backend)
    if why:
        raise UsageError(f"{scenario} {why}")
    for each in there.said:
        console.err.print(each, soft_wrap=True)
    return play_cells([cell], replace(options, backend=there.backend))


def compare(wanted: Wanted, options: Options) -> int:
    """Play everything that was asked for; returns the exit code."""
    return play_cells(_cells(wanted, offline=options.offline), options)


def matrix(names: Sequence[str], options: Options, extent: Extent) -> int:
    """Play the ladder of these scenarios, or of all about brokers; returns the exit code."""
    named = [find_scenario(name) for name in dict.fromkeys(names)]
    return play_cells(ladder(named or rungs(), ladder_kafkas(), extent), options)


def play_cells(cells: Sequence[Cell], options: Options) -> int:
    """Play, judge and show these; returns the exit code."""
    cells = [replace(cell, backend=options.backend) for cell in cells]
    for cell in cells:
        _require_upgradable(cell)
    shard = shard_of(options.shard)
    find_java()
    out = directory_of(options.out, used=options.resume or shard[1] > 1)
    started = time.monotonic()
    try:
        results = carried_out(cells, options, out)
    finally:
        stop_session()
    if shard[1] > 1:
        return _report_shard(out, options.shard)
    _show(out, results, time.monotonic() - started, as_json=options.json)
    return exit_code(results)


def carried_out(cells: Sequence[Cell], options: Options, out: Path) -> list[Result]:
    """Play what is not in `out` yet, and judge; the Spark session stays, for who goes on."""
    runtimes = _runtimes(cells, offline=options.offline)
    try:
        with workshop() as place, console.TrialProgress() as progress:

            def advanced(cell: Cell, played: Played) -> None:
                state = "played" if played.complete else "INCONCLUSIVE"
                name = f"{cell.scenario.name} on {cell.column}"
                progress.advance(f"{name}: {state} in {played.seconds:.1f} s")

            campaign = Campaign(
                cells=cells,
                trials=options.trials,
                reruns=options.reruns,
                out=out,
                workshop=place,
                runtimes=runtimes,
                shard=shard_of(options.shard),
                announce=progress.tell,
                warned=lambda text: console.err.print(text, markup=False, soft_wrap=True),
                advanced=advanced,
            )
            progress.expect(sum(len(group) for group in missing(campaign)))
            return carry_out(campaign)
    except Interrupted:
        console.err.print(after_an_interruption(out), soft_wrap=True)
        raise


def after_an_interruption(out: Path) -> str:
    """What to do with what was recorded, if anything was."""
    if next(out.glob("**/run.json"), None) is None:
        return "interrupted before anything was recorded"
    return f"interrupted; judge what was recorded with: highwater check {out}"


def _runtimes(cells: Sequence[Cell], *, offline: bool) -> Mapping[str, Runtime]:
    kafkas = {cell.kafka.name: cell.kafka for cell in cells}
    later = {cell.scenario.upgrades_to for cell in cells} - {""}
    kafkas |= {kafka.name: kafka for kafka in map(find_kafka, later)}
    return {name: runtime_with_progress(kafka, offline=offline) for name, kafka in kafkas.items()}


def _require_upgradable(cell: Cell) -> None:
    """Raises UsageError for a scenario with two releases where nodes keep theirs."""
    name, later = cell.scenario.name, cell.scenario.upgrades_to
    if later and cell.backend.name != PROCESS:
        raise UsageError(
            f"{name} upgrades its cluster to {later}: that needs --backend process, for containers "
            "are made of one image"
        )


def shard_of(text: str) -> tuple[int, int]:
    """Which part of how many; raises UsageError for anything but such as 1/2."""
    match = re.fullmatch(r"([0-9]{1,4})/([0-9]{1,4})", text)
    place, shards = map(int, match.groups()) if match else (0, 0)
    if not 1 <= place <= shards:
        raise UsageError(f"--shard {text!r} is not a part of a whole; expected such as 1/2")
    return place, shards


def _report_shard(out: Path, shard: str) -> int:
    console.err.print(
        f"shard {shard} has been played; when all have been, the same command with --resume and "
        f"without --shard writes {out / 'report.html'}",
        soft_wrap=True,
    )
    return 0


def exit_code(results: Sequence[Result]) -> int:
    """0 as expected, 1 not as expected, 3 when that cannot be said for want of evidence."""
    if all(result.as_expected for result in results):
        return 0
    surprising = [result for result in results if not result.as_expected]
    unclear = all(
        result.count(Ending.INCONCLUSIVE)
        and not result.unexpected
        and result.count(Ending(result.cell.expected)) + result.count(Ending.INCONCLUSIVE)
        == len(result.trials)
        for result in surprising
    )
    return 3 if unclear else 1


def _cells(wanted: Wanted, *, offline: bool) -> list[Cell]:
    named = [find_scenario(name) for name in dict.fromkeys(wanted.scenarios)]
    kafkas: list[Kafka] = kafkas_named(wanted.kafkas, offline=offline)
    if wanted.kafka_dir is not None:
        kafkas.append(unpacked_kafka(wanted.kafka_dir))
    if not kafkas:
        raise UsageError("no Kafka named; give --kafka VERSION at least once, or --kafka-dir PATH")
    once = {kafka.name: kafka for kafka in kafkas}
    fit = [each for each in scenarios() if any(plays_on(each, kafka) for kafka in kafkas)]
    controls = list(dict.fromkeys(wanted.controls))
    clients = {OURS, *(find_control(each).client for each in controls)}
    fit = [each for each in fit if any(lines_up_with(each, client) for client in clients if client)]
    cells = make_cells(named or fit, list(once.values()), controls)
    cells = [cell for cell in cells if wanted.both or bool(cell.control) == bool(wanted.controls)]
    return able(cells, {each.name for each in named})


def _show(out: Path, results: Sequence[Result], seconds: float, *, as_json: bool) -> None:
    rows = [result.row(out) for result in results]
    if as_json:
        console.print_json({"schema": 1, "out": str(out), "cells": rows})
        return
    cells = read_cells(rows)
    console.out.print(console.comparison(rows, flips(cells)))
    for row in rows:
        for reason in row["reasons"]:
            console.out.print(f"{row['scenario']} on {row['kafka']}: {reason}", markup=False)
        for claim in row["unexpected"]:
            console.out.print(f"{row['scenario']} on {row['kafka']}: unexpected {claim}")
    for line in (*telling(cells), *of_cells(cells), *remarks(cells)):
        console.out.print(line, markup=False, highlight=False, soft_wrap=True)
    console.out.print(f"in {seconds:.0f} s; the report: {out / 'report.html'}", soft_wrap=True)
