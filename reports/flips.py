"""Where the answer changes from one version of a client to the next."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise

from packaging.version import InvalidVersion, Version

from highwater.reports.cells import Cell

Place = tuple[str, str, str, str]  # scenario, Kafka, backend, client


def flips(cells: Sequence[Cell]) -> list[str]:
    """A sentence for each flip between two versions of a client with no other between them that was
    of one mind, of those that were named with theirs; java without one has that of the brokers.
    """
    lines: dict[Place, list[tuple[Version, Cell]]] = defaultdict(list)
    for cell in cells:
        client, version = _client(cell)
        if version is not None and cell.result in {"reproduced", "clean"}:
            lines[cell.scenario, cell.kafka, cell.backend, client].append((version, cell))
    return [
        f"{scenario} on {kafka} flips between {client} {one[0]} and {other[0]}: "
        f"{one[1].reproduced} of {one[1].conclusive} and "
        f"{other[1].reproduced} of {other[1].conclusive}."
        for (scenario, kafka, _, client), line in lines.items()
        for one, other in pairwise(sorted(line, key=lambda each: each[0]))
        if one[0] != other[0] and one[1].result != other[1].result
    ]


def _client(cell: Cell) -> tuple[str, Version | None]:
    kind, _, named = (cell.control or "").partition("=")
    client, _, version = named.partition(":") if kind == "client" else ("", "", "")
    if client == "java" and not version:
        version = cell.kafka.partition("-")[0]
    try:
        return client, Version(version)
    except InvalidVersion:
        return client, None
