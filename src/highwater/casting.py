"""Which cells the client that is to play them can play: its adapter says what it can be."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from highwater import console
from highwater.cells import Cell
from highwater.harness.controls import find_control
from highwater.harness.errors import UsageError
from highwater.harness.foreign.programs import OURS
from highwater.harness.foreign.roles import roles_of


def able(cells: Sequence[Cell], named: AbstractSet[str] = frozenset()) -> list[Cell]:
    """Without those that their client cannot play, which are told.

    Raises UsageError for a scenario that was named, InfrastructureError for a client that cannot be
    built.
    """
    roles: dict[tuple[str, str], Sequence[str]] = {}
    found = []
    for cell in cells:
        scenario, client = cell.scenario, find_control(cell.control).client or OURS
        asked, role = (client, cell.kafka.name), scenario.any_client
        if role and asked not in roles:
            roles[asked] = roles_of(client, cell.kafka)
        if not role or role in roles[asked]:
            found.append(cell)
        elif scenario.name in named:
            raise UsageError(
                f"{client} can be no {role} in {scenario.name}; highwater clients -s "
                f"{scenario.name} plays it with those that can"
            )
        else:
            console.err.print(f"without {client} in {scenario.name}: it can be no {role}")
    return found
