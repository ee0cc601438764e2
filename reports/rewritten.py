"""Says where brokers were made to lie: answers that the gate replaced after the deed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from highwater.harness.record.rewritten import ANOTHER_LEADER, rewritten_answers
from highwater.reports.cells import Cell
from highwater.reports.forms import by_name, is_count
from highwater.reports.wording import counted

LIES = "Brokers were made to lie."
Events = Iterable[Mapping[str, Any]]


def rewritten_of(identity: Mapping[str, Any], events: Callable[[], Events]) -> Mapping[str, int]:
    """As run.json says, which may hold anything; else the timeline, as that of a killed play."""
    told = identity.get("rewritten")
    if isinstance(told, Mapping) and by_name(is_count)(told):
        return dict(told)
    return rewritten_answers(events())


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
