"""`replay` and `shrink`: a schedule is played again, recorded and judged; or made small."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path

from highwater.adopting import kafka_named, kafkas_named
from highwater.cells import Cell
from highwater.checkers.catalogue import chosen
from highwater.console import say
from highwater.exploration.drafts import draft
from highwater.exploration.executed import executed
from highwater.exploration.files import read_schedule, write_schedule
from highwater.exploration.injections import Inject, fault_of
from highwater.exploration.scenarios import CLAIMS, MODE, SCHEDULE, as_scenario
from highwater.exploration.steps import FEATURES, Schedule
from highwater.exploration.terrain import Terrain
from highwater.exploration.topologies import is_searched
from highwater.harness.errors import RecordError, UsageError
from highwater.harness.fitting import misfit
from highwater.harness.model import Answer, Scenario, TopicPartition
from highwater.harness.record.reader import open_run
from highwater.harness.scenario import expectation
from highwater.harness.topic import require_shape
from highwater.harness.versions.catalogue import Kafka, every_kafka
from highwater.playing import Options, play_cells
from highwater.rounds import Rounds
from highwater.scenarios.catalogue import find_scenario
from highwater.shrunk import SHRINK_S, shrunk
from highwater.workshop import workshop


def replay(place: Path, kafkas: Sequence[str], options: Options) -> int:
    """Play it so and so often on each Kafka; the report lines them up. Returns the exit code.

    It is expected to show on the Kafka that it was found on, and on no other one; that of a run in
    which nothing was violated is expected to show nothing. Raises UsageError
    for what is no schedule, a Kafka that nobody knows, or a fault that the backend cannot have.
    """
    path, schedule = _found(place)
    with _naming(path):
        scenario = as_scenario(_name(path, schedule), schedule)
        own = [] if kafkas else [kafka_named(schedule.kafka, offline=options.offline)]
    if held_in(path.parent, schedule):
        scenario = replace(scenario, reproduces="")
    named = own or kafkas_named(kafkas, offline=options.offline)
    levels: Mapping[str, str] = (schedule.setting or {}).get(FEATURES, {})
    cells = [
        Cell(
            scenario=_expected_on(each, scenario, schedule),
            kafka=each,
            control=None,
            backend=options.backend,
            features=levels if each.tells_eligible_leaders else {},
        )
        for each in named
    ]
    for cell in cells:
        _require_setting(cell, path)
        _require_playable(schedule, cell, path)
    say(f"{len(schedule.steps)} steps: {schedule.story}")
    return play_cells(cells, options)


def _expected_on(kafka: Kafka, scenario: Scenario, schedule: Schedule) -> Scenario:
    """The same release in another mode is another Kafka, on which nothing is expected."""
    names = {kafka.name, f"{kafka.version}-{kafka.suffix}"}
    is_other = kafka.version == MODE.sub("", schedule.kafka) and schedule.kafka not in names
    return replace(scenario, reproduces="") if is_other else scenario


def _require_setting(cell: Cell, path: Path) -> None:
    """Raises UsageError, which names the file, where no cluster or no topic can be so.

    Nor is anything played of which nobody can say then whether it was to be expected.
    """
    try:
        expectation(cell.scenario, cell.kafka, cell.control)
        cell.spec.require(cell.kafka)
        require_shape(1, cell.scenario.replicas, cell.spec.brokers, cell.topic_settings)
    except UsageError as error:
        raise UsageError(f"{path} cannot be played: {error}") from error


def _require_playable(schedule: Schedule, cell: Cell, path: Path) -> None:
    """What searches do can be done on processes and on containers; not every fault can.

    And some of it only where links to the voters have a gate.
    """
    for each in schedule.steps:
        move = each.step.move
        fault = (
            fault_of(move.fault, TopicPartition("any"))
            if isinstance(move, Inject)
            else move.injects
        )
        if why := misfit(fault, cell.spec, cell.backend.name):
            raise UsageError(f"{path} cannot be played: {why}")


def shrink(place: Path, kafka: str | None, *, offline: bool, budget_s: float = SHRINK_S) -> int:
    """Write the smallest schedule that shows the same beside it; returns the exit code.

    Raises UsageError where the whole one shows nothing, or is for another cluster than searches
    play on.
    """
    path, schedule = _found(place)
    if not is_searched(schedule.setting):
        raise UsageError(
            f"{path} is for a cluster with settings of its own, and `shrink` plays on that of "
            f"searches, where another thing may happen: `highwater replay {path}` plays it as is"
        )
    with _naming(path) if kafka is None else nullcontext():
        known = kafka_named(kafka or schedule.kafka, offline=offline)
    steps = tuple(each.step for each in schedule.steps)
    terrain = Terrain.of(schedule)
    with (
        workshop() as shop,
        Rounds(known, shop, say, terrain=terrain, offline=offline) as rounds,
    ):
        if not rounds.fails(steps, always=False):
            raise UsageError(f"nothing is lost on {known.name} by {path}: nothing to shrink")
        told = shrunk(rounds, schedule, budget_s)
    target = path.with_name(f"{path.name.removesuffix('.json')}.small.json")
    write_schedule(target, told.schedule)
    say(told.told)
    say(f"highwater replay {target}")
    return 0


def explain(place: Path) -> str:
    """The beginning of a scenario that does the same; raises UsageError for what is no schedule."""
    path, schedule = _found(place)
    try:
        return draft(_name(path, schedule), schedule)
    except UsageError as error:
        raise UsageError(f"nothing can be drafted of {path}: {error}") from error
    except (LookupError, ValueError, TypeError, AttributeError) as error:
        raise UsageError(
            f"{path} is not as we write it, and nothing can be drafted of it: expected brokers of "
            f"three, and offsets by broker in `seen`; {error!r:.120}"
        ) from error


def beside(kafka: Kafka) -> list[str]:
    """The release before, this one, and the release after, of the same mode."""
    names = [each.name for each in every_kafka() if each.mode == kafka.mode]
    if kafka.name not in names:
        return [kafka.name]
    at = names.index(kafka.name)
    return names[max(0, at - 1) : at + 2]


def _found(place: Path) -> tuple[Path, Schedule]:
    """Of a file, or of the directory of a run that was played by one."""
    path = place / SCHEDULE if place.is_dir() else place
    schedule = read_schedule(path) if path.exists() or not place.is_dir() else _of_run(place)
    if not schedule.steps:
        raise UsageError(f"{path} has no steps")
    with _naming(path):
        chosen(schedule.claims)
    return path, schedule


@contextmanager
def _naming(path: Path) -> Iterator[None]:
    """Whatever is refused meanwhile is said with this file, which says it."""
    try:
        yield
    except UsageError as error:
        raise UsageError(f"{path}: {error}") from error


def held_in(place: Path, schedule: Schedule) -> bool:
    """Whether this is a run, it was judged, and nothing of what it was about came about."""
    if not (place / "run.json").exists():
        return False
    said = open_run(place).verdicts()
    about = {*(schedule.claims or CLAIMS)}
    violated = {each.claim for each in said if each.answer is Answer.VIOLATED}
    return bool(said) and not violated & about


def _of_run(place: Path) -> Schedule:
    """Of a run of the catalogue's that was recorded before runs left schedules."""
    try:
        name = open_run(place).identity.get("scenario")
    except RecordError as error:
        raise UsageError(f"{place} has no schedule, and is no run: {error}") from error
    return executed(place, find_scenario(str(name)))


def _name(path: Path, schedule: Schedule) -> str:
    """Of the scenario that it is: directories are called so."""
    origin = schedule.origin
    stem = path.parent.name if path.name == SCHEDULE else path.name.removesuffix(".json")
    if isinstance(again := origin.get("replays"), str):
        stem = again
    elif isinstance(known := origin.get("scenario"), str):
        stem = f"{known}-again"
    return re.sub(r"[^a-z0-9]+", "-", stem.lower()).strip("-") or "schedule"
