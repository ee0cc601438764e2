"""`clients`: the scenarios that any client can play, each with several clients, on one Kafka."""

from __future__ import annotations

from collections.abc import Sequence

from highwater import console
from highwater.adopting import kafka_named
from highwater.casting import able
from highwater.cells import Cell, make_cells
from highwater.harness.controls import find_control
from highwater.harness.errors import InfrastructureError, UsageError
from highwater.harness.foreign.programs import NAMES, OURS, command_of
from highwater.harness.model import Scenario
from highwater.harness.scenario import lines_up_with, plays_on
from highwater.harness.versions.catalogue import Kafka
from highwater.playing import Options, play_cells
from highwater.scenarios.catalogue import find_scenario, scenarios


def clients(
    names: Sequence[str], scenario_names: Sequence[str], kafka_name: str, options: Options
) -> int:
    """Play them all; no names mean all. Returns the exit code.

    A client that was named and cannot be built is an error; of all clients those that can be are
    played, and the others told. Raises UsageError for what nobody knows, InfrastructureError.
    """
    kafka = kafka_named(kafka_name, offline=options.offline)
    chosen = _scenarios(scenario_names, kafka)
    wanted = _clients(list(dict.fromkeys(names)), kafka)
    cells = _cells(chosen, kafka, wanted)
    if not cells:
        raise UsageError(
            f"nothing is left to play: none of {', '.join(wanted)} can play any of "
            f"{', '.join(each.name for each in chosen)}"
        )
    return play_cells(cells, options)


def _scenarios(names: Sequence[str], kafka: Kafka) -> list[Scenario]:
    able = [each for each in scenarios() if each.any_client]
    chosen = [find_scenario(name) for name in dict.fromkeys(names)] or able
    for scenario in chosen:
        if not scenario.any_client:
            raise UsageError(
                f"expected a scenario that any client can play, saw {scenario.name}; these are: "
                f"{', '.join(each.name for each in able)}"
            )
    playable = [each for each in chosen if plays_on(each, kafka)]
    if not playable:
        raise UsageError(f"none of {', '.join(each.name for each in chosen)} is for {kafka.name}")
    return playable


def _clients(named: Sequence[str], kafka: Kafka) -> list[str]:
    for name in named:
        if name != OURS:
            find_control(f"client={name}")
            command_of(name, kafka)
    return list(named) or buildable(NAMES, kafka)


def buildable(names: Sequence[str], kafka: Kafka) -> list[str]:
    """Those that can be built here, the others told with the reason; raises UsageError for none."""
    found = []
    for name in names:
        try:
            if name != OURS:
                command_of(name, kafka)
        except InfrastructureError as error:
            console.err.print(f"without {name}: {error}", markup=False, soft_wrap=True)
        else:
            found.append(name)
    if not found:
        raise UsageError("no client can be built here; highwater doctor says what is missing")
    return found


def _cells(chosen: Sequence[Scenario], kafka: Kafka, clients: Sequence[str]) -> list[Cell]:
    """Scenario by scenario, so that clients stand below one another."""
    every = _lined_up(chosen, kafka, clients)
    ours = [cell for cell in every if cell.control or OURS in clients]
    return able([cell for scenario in chosen for cell in ours if cell.scenario is scenario])


def _lined_up(chosen: Sequence[Scenario], kafka: Kafka, clients: Sequence[str]) -> list[Cell]:
    """Ours is among them, also where it has not been asked for."""
    found = []
    for scenario in chosen:
        able = [each for each in clients if lines_up_with(scenario, each)]
        for name in (each for each in clients if each not in able):
            console.err.print(f"without {name} in {scenario.name}: it cannot be lined up there")
        if able:
            controls = [f"client={each}" for each in able if each != OURS]
            found += make_cells([scenario], [kafka], controls)
    return found
