"""Says where brokers were made to lie: answers that the gate replaced after the deed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from highwater.harness.record.rewritten import ANOTHER_LEADER
from highwater.reports.cells import Cell
from highwater.reports.wording import counted

LIES = "Brokers were made to lie."


def sentences(rewritten: Mapping[str, int]) -> Iterator[str]:
    """One for each api and error."""
    for what, number in rewritten.items():
        api, _, error = what.partition(" ")
        became = "named another leader" if error == ANOTHER_LEADER else f"became {error}"
        yield (
            f"{counted(number, 'answer')} to {api} {became} at the gate, after the broker "
            "had done what it was asked"
        )


def of_cells(cells: Iterable[Cell]) -> list[str]:
    """The same of a comparison, a sentence for each cell in which it was so."""
    return [
        f"{cell.scenario} on {cell.column.label}: {'; '.join(sentences(cell.rewritten))}"
        for cell in cells
        if cell.rewritten
    ]
