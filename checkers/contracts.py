"""What applications were to make of their inputs, and made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from highwater.checkers.rows import LAST, Bools, Rows, changes, groups, in_order, numbered


@dataclass(frozen=True, slots=True)
class Contract:
    """All that is told of one application's contract: rows of each kind, each row once."""

    name: str
    inputs: Rows
    outputs: Rows
    read_inputs: bool
    read_outputs: bool
    due: Bools  # of inputs: its position lies beyond

    @property
    def wants_one(self) -> bool:
        """Whether of every input there is to be one output at least."""
        return self._never_says("at most")

    @property
    def wants_no_more(self) -> bool:
        """Whether of every input there is to be one output at most."""
        return self._never_says("at least")

    def _never_says(self, each: str) -> bool:
        return not self.inputs.is_word("each", each).any()

    def keeps(self, what: str) -> bool:
        """Whether the outputs of all inputs are to keep it."""
        return bool(self.inputs.is_word("keeps", what, "key,order").all())


def contracts_of(told: Rows | None) -> Sequence[Contract]:
    """By their names."""
    if told is None or not len(told):
        return ()
    several = [told.take(at) for at in groups(told["contract"])]
    return sorted((_contract(rows) for rows in several), key=lambda one: one.name)


def _contract(told: Rows) -> Contract:
    inputs, outputs = (_once(told.take(told.is_word("tells", one))) for one in ("input", "output"))
    return Contract(
        str(told.words["contract"][told["contract"][0]]),
        inputs,
        outputs,
        bool(told.is_word("tells", "inputs-end").any()),
        bool(told.is_word("tells", "outputs-end").any()),
        _below(inputs, told.take(told.is_word("tells", "position"))),
    )


def _once(rows: Rows) -> Rows:
    """Each row of a place and an identity once, in the order of these."""
    names = ("identity", "topic", "partition", "offset", "key_hash", "each", "keeps")
    rows = rows.take(in_order(*(rows[name] for name in names)))
    return rows.take(changes(*(rows[name] for name in names[:4]))) if len(rows) else rows


def _below(inputs: Rows, positions: Rows) -> Bools:
    """Which inputs lie below the lowest position that is told of their partition."""
    places = numbered(
        np.append(inputs["topic"], positions["topic"]),
        np.append(inputs["partition"], positions["partition"]),
    )
    lowest = np.full(int(places.max(initial=-1)) + 1, LAST)
    at, told = places[: len(inputs)], places[len(inputs) :]
    np.minimum.at(lowest, told, positions["offset"])
    found: Bools = np.isin(at, told) & (inputs["offset"] < lowest[at])
    return found
