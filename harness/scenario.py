"""The decorator that makes a play a scenario of the catalogue."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from typing import TypedDict, Unpack

from highwater.harness.controls import find_control
from highwater.harness.errors import UsageError
from highwater.harness.model import Scenario
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.versions.catalogue import Kafka
from highwater.harness.versions.numbers import in_range


class More(TypedDict, total=False):
    """The fields that most scenarios leave out; `harness.model.Scenario` says what they are."""

    restored_by: tuple[str, ...]
    cured_by: tuple[str, ...]
    ablations: tuple[str, ...]
    any_client: str
    reproduces_with: tuple[str, ...]
    not_lined_up_with: tuple[str, ...]
    calm: str
    plays_on: str
    turns_at: tuple[str, ...]
    upgrades_to: str
    modes: tuple[str, ...]
    not_reproducible_on: str
    settings: Mapping[str, str]
    broker_settings: Mapping[int, Mapping[str, str]]
    topic_settings: Mapping[str, str]
    tolerates: Mapping[str, str]
    tolerated_on: Mapping[str, str]
    replicas: int
    voters: int
    combined: bool
    gated_clients: bool
    gated_metadata: bool
    fake_clock: bool
    obeys_file_modes: bool
    two_log_dirs: bool
    heap_mib: int


def scenario(
    *, source: str, claims: tuple[str, ...], reproduces: str = "", **more: Unpack[More]
) -> Callable[[Callable[[Play, Partition], None]], Scenario]:
    """Turn a function of a Play and its Partition into a Scenario named after it.

    `reproduces` is the range of versions on which one of `claims` is violated, such as "<0.11";
    empty when they hold everywhere. The docstring is the story; its first line is the title.
    """

    def named(play: Callable[[Play, Partition], None]) -> Scenario:
        story = inspect.getdoc(play)
        if not story:
            raise UsageError(f"{play.__name__} has no docstring: a scenario tells its story")
        _require_bounds(more)
        return Scenario(
            name=play.__name__.replace("_", "-"),
            story=story,
            play=play,
            source=source,
            reproduces=reproduces,
            claims=claims,
            **more,
        )

    return named


def _require_bounds(more: More) -> None:
    """Raises UsageError for releases of a claim that is not tolerated, or that are none."""
    bounds = more.get("tolerated_on", {})
    if odd := {*bounds} - {*more.get("tolerates", {})}:
        raise UsageError(f"expected tolerated_on of claims in tolerates, saw {sorted(odd)}")
    for claim, wanted in bounds.items():
        if not wanted:
            raise UsageError(f"expected a range of releases for {claim}, saw {wanted!r}")
        in_range("0.10.0.0", wanted)


def expectation(scenario: Scenario, kafka: Kafka, control: str | None) -> str:
    """What a scenario should show on a Kafka: "reproduced" or "clean"."""
    if _is_impossible(scenario, kafka):
        return "clean"
    if control in scenario.restored_by:
        return "reproduced"
    if control in scenario.cured_by or control in ablations(scenario):
        return "clean"
    client = find_control(control).client
    if client:
        return "reproduced" if client in scenario.reproduces_with else "clean"
    return "reproduced" if in_range(kafka.version, scenario.reproduces) else "clean"


def tolerated(scenario: Scenario, kafka: Kafka) -> dict[str, str]:
    """The claims besides its own that may be violated on a Kafka, and why."""
    bounds = scenario.tolerated_on
    return {
        claim: why
        for claim, why in scenario.tolerates.items()
        if claim not in bounds or in_range(kafka.version, bounds[claim])
    }


def _is_impossible(scenario: Scenario, kafka: Kafka) -> bool:
    """Whether nothing can happen there, under whichever control."""
    nowhere = scenario.not_reproducible_on
    return bool(nowhere) and _is_of(kafka, nowhere)


def lines_up_with(scenario: Scenario, client: str) -> bool:
    """Whether this client, of whatever version, can come into the state that the scenario needs."""
    return client.partition(":")[0] not in scenario.not_lined_up_with


def ablations(scenario: Scenario) -> tuple[str, ...]:
    """The controls that leave out one of its faults."""
    return tuple(f"without={name}" for name in scenario.ablations)


def plays_on(scenario: Scenario, kafka: Kafka) -> bool:
    """Whether a Kafka has what the scenario needs."""
    if scenario.plays_on and not in_range(kafka.version, scenario.plays_on):
        return False
    return any(_is_of(kafka, mode) for mode in scenario.modes)


def _is_of(kafka: Kafka, wanted: str) -> bool:
    """Whether a Kafka is of a mode such as "kraft", perhaps with a range: "kraft>=3.9"."""
    mode = re.match("[a-z]*", wanted)
    name = mode.group() if mode else ""
    bounds = wanted.removeprefix(name)
    return kafka.mode == name and (not bounds or in_range(kafka.version, bounds))


def merged(*layers: Mapping[str, str]) -> dict[str, str]:
    """Settings on top of settings; later ones win."""
    return {name: value for layer in layers for name, value in layer.items()}
