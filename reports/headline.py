"""What was found, as sentences that someone would say aloud."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from highwater.reports.cells import Cell
from highwater.reports.flips import flips
from highwater.reports.wording import counted

# What a version did when the claim of that name was violated; the first that applies is said.
DEEDS = {
    "lost-write": "lost acknowledged records",
    "replica-divergence": "left replicas that hold different records",
    "committed-truncation": "truncated records below the high watermark",
    "duplicate": "delivered records twice",
    "aborted-read": "delivered records of aborted transactions",
    "unseen": "never delivered acknowledged records",
    "stalled-sends": "acknowledged nothing for half a minute",
    "flushed-too-early": "said too early that all was sent",
    "handed-again": "handed records out again that had been committed",
}


MOST_NAMED = 8


@dataclass(frozen=True, slots=True)
class Headline:
    """The top of the page: the finding, whether it was expected, a sentence per scenario."""

    finding: str
    expectation: str
    as_expected: bool | None  # None: nothing was expected
    sentences: Sequence[str]  # empty when `finding` says it all
    flips: Sequence[str] = ()  # between versions of clients


def headline(cells: Sequence[Cell]) -> Headline:
    scenarios = list(dict.fromkeys(cell.scenario for cell in cells))
    sentences = [
        sentence([cell for cell in cells if cell.scenario == scenario]) for scenario in scenarios
    ]
    judged = [cell for cell in cells if cell.expected is not None]
    verdict = not any(cell.unexpected for cell in judged) if judged else None
    changed = flips(cells)
    if len(sentences) == 1:
        return Headline(sentences[0], _expectation(cells), verdict, [], changed)
    found = _overview(cells, len(scenarios))
    return Headline(found, _expectation(cells), verdict, sentences, changed)


def sentence(cells: Sequence[Cell]) -> str:
    """One scenario over all its versions, in their order; neighbours that did the same together."""
    ordered = sorted(cells, key=lambda cell: cell.column.order)
    is_loss = any(cell.anomalies.get("lost-write") for cell in cells)
    deeds = [
        f"{_listed([_name(cell) for cell in alike])} {deed}"
        for deed, alike in groupby(ordered, lambda cell: _deed(cell, is_loss))
    ]
    others = [
        other.replace(" acknowledged records", "") if is_loss else other for other in deeds[1:]
    ]
    return "; ".join([f"Kafka {deeds[0]} of {ordered[0].scenario}", *others]) + "."


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]} each"


def _overview(cells: Sequence[Cell], scenarios: int) -> str:
    versions = len({cell.kafka for cell in cells})
    said = f"{counted(scenarios, 'scenario')} on {counted(versions, 'version')}"
    reproduced = sum(cell.reproduced > 0 for cell in cells)
    if not cells:
        return "No cell was compared; the runs below stand for themselves."
    return f"{said}: {reproduced} of {counted(len(cells), 'cell')} reproduced a failure."


def _expectation(cells: Sequence[Cell]) -> str:
    judged = [cell for cell in cells if cell.expected is not None]
    wrong = [cell for cell in judged if cell.unexpected]
    inconclusive = sum(cell.inconclusive for cell in cells)
    doubt = f" {counted(inconclusive, 'trial')} inconclusive." if inconclusive else ""
    if not judged:
        return f"Nothing was expected of these cells.{doubt}"
    if not wrong:
        every = "As expected" if len(judged) == 1 else f"All {len(judged)} cells are as expected"
        return f"{every}.{doubt}"
    named = ", ".join(f"{cell.scenario} on {_name(cell)}" for cell in wrong[:MOST_NAMED])
    named += f" and {len(wrong) - MOST_NAMED} more" * (len(wrong) > MOST_NAMED)
    return f"NOT as expected in {len(wrong)} of {counted(len(judged), 'cell')}: {named}.{doubt}"


def _name(cell: Cell) -> str:
    return f"{cell.kafka} with {cell.control}" if cell.control else cell.kafka


def _deed(cell: Cell, is_loss: bool) -> str:
    if cell.conclusive == 0:
        return f"gave no answer in {counted(cell.trials, 'inconclusive trial')}"
    if cell.reproduced == 0:
        innocent = f"lost none of {cell.acked:,} acknowledged records"
        # Of what a trial that proves nothing was acknowledged nobody knows that it is kept.
        is_whole = cell.acked and not cell.inconclusive
        deed = innocent if is_loss and is_whole else "showed no violation"
        return f"{deed} in {counted(cell.conclusive, 'trial')}"
    return f"{_guilt(cell)} in {cell.reproduced} of {counted(cell.conclusive, 'trial')}"


def _guilt(cell: Cell) -> str:
    lost = cell.anomalies.get("lost-write", 0)
    if lost and cell.acked:
        return f"lost {lost:,} of {cell.acked:,} acknowledged records"
    present = [name for name, count in cell.anomalies.items() if count]
    for name, deed in DEEDS.items():
        if name in present:
            return deed
    return f"showed {present[0]}" if present else "reproduced the failure"
