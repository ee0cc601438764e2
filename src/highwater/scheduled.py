"""A schedule of a file, or of a run, as cells to be played: what `replay` and `bisect` play."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from highwater.backends import Backend
from highwater.cells import Cell
from highwater.checkers.catalogue import chosen
from highwater.exploration.executed import executed
from highwater.exploration.files import read_schedule
from highwater.exploration.injections import Inject, fault_of
from highwater.exploration.scenarios import CLAIMS, MODE, SCHEDULE, as_scenario
from highwater.exploration.steps import FEATURES, Schedule
from highwater.harness.errors import RecordError, UsageError
from highwater.harness.fitting import misfit
from highwater.harness.model import Answer, Scenario, TopicPartition
from highwater.harness.record.reader import open_run
from highwater.harness.scenario import expectation
from highwater.harness.topic import require_shape
from highwater.harness.versions.catalogue import Kafka
from highwater.scenarios.catalogue import find_scenario


@dataclass(frozen=True, slots=True)
class Scheduled:
    """A schedule as a scenario, and where it was read."""

    path: Path
    schedule: Schedule
    scenario: Scenario

    @classmethod
    def at(cls, place: Path) -> Scheduled:
        """Of a file, or of the directory of a run; raises UsageError for what is no schedule."""
        path, schedule = found(place)
        with naming(path):
            scenario = as_scenario(name_of(path, schedule), schedule)
        if held_in(path.parent, schedule):
            scenario = replace(scenario, reproduces="")
        return cls(path, schedule, scenario)

    def on(self, kafka: Kafka, backend: Backend) -> Cell:
        """On a cluster with the features that it was found with, where this Kafka knows them.

        Raises UsageError where such a cluster cannot be, or the backend not have its faults.
        """
        levels: Mapping[str, str] = (self.schedule.setting or {}).get(FEATURES, {})
        cell = Cell(
            scenario=self._expected_on(kafka),
            kafka=kafka,
            control=None,
            backend=backend,
            features=levels if kafka.tells_eligible_leaders else {},
        )
        require_known(self.schedule, kafka, self.path)
        _require_setting(cell, self.path)
        _require_playable(self.schedule, cell, self.path)
        return cell

    def why_not(self, kafka: Kafka, backend: Backend) -> str:
        """Why it cannot be played there; "" if it can."""
        try:
            self.on(kafka, backend)
        except UsageError as error:
            return str(error)
        return ""

    def _expected_on(self, kafka: Kafka) -> Scenario:
        """The same release in another mode is another Kafka, on which nothing is expected."""
        names, found_on = {kafka.name, f"{kafka.version}-{kafka.suffix}"}, self.schedule.kafka
        is_other = kafka.version == MODE.sub("", found_on) and found_on not in names
        return replace(self.scenario, reproduces="") if is_other else self.scenario


def require_known(schedule: Schedule, kafka: Kafka, path: Path) -> None:
    """Raises UsageError, which names the file, for a step that can never be taken on this Kafka.

    Without it the others say nothing there.
    """
    if gone := [each.step for each in schedule.steps if not each.step.move.exists(kafka)]:
        why = gone[0].move.why_not(kafka)
        raise UsageError(
            f"{path} cannot be played: expected a Kafka that knows every step of it, saw "
            f"{kafka.name}, on which there is no {gone[0]}{f': {why}' if why else ''}"
        )


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
        if why := misfit(fault, cell.spec, cell.backend.name, kafka=cell.kafka):
            raise UsageError(f"{path} cannot be played: {why}")


def found(place: Path) -> tuple[Path, Schedule]:
    """Of a file, or of the directory of a run that was played by one."""
    path = place / SCHEDULE if place.is_dir() else place
    schedule = read_schedule(path) if path.exists() or not place.is_dir() else _of_run(place)
    if not schedule.steps:
        raise UsageError(f"{path} has no steps")
    with naming(path):
        chosen(schedule.claims)
    return path, schedule


@contextmanager
def naming(path: Path) -> Iterator[None]:
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


def name_of(path: Path, schedule: Schedule) -> str:
    """Of the scenario that it is: directories are called so."""
    origin = schedule.origin
    stem = path.parent.name if path.name == SCHEDULE else path.name.removesuffix(".json")
    if isinstance(again := origin.get("replays"), str):
        stem = again
    elif isinstance(known := origin.get("scenario"), str):
        stem = f"{known}-again"
    return re.sub(r"[^a-z0-9]+", "-", stem.lower()).strip("-") or "schedule"
