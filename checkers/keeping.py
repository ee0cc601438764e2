"""Whether an application kept a contract: inputs and outputs by the identity that each has."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from highwater.checkers.contracts import Contract
from highwater.checkers.findings import Findings, Shown
from highwater.checkers.rows import (
    NONE,
    Bools,
    Ints,
    Rows,
    alike,
    changes,
    constant,
    groups,
    in_order,
    numbered,
)

NAMELESS_INPUTS = "nobody could make out which some inputs are"
NAMELESS_OUTPUTS = "nobody could make out what some outputs were made of"
INPUTS_UNREAD = "nobody told that all inputs were read"
OUTPUTS_UNREAD = "nobody told that all outputs were read"
UNTOLD_KEY = "nobody told the key of an input or an output"
SEVERAL = "inputs of which there are several outputs, as there may be"
OF_NOTHING = "outputs of no input, as there may be"
PLACE = ("topic", "partition", "offset")


class Kept:
    """Of one contract: how many inputs and outputs there are of each identity."""

    def __init__(self, contract: Contract) -> None:
        self._contract = contract
        self._given, self._made = contract.inputs, contract.outputs
        both = np.union1d(self._given["identity"], self._made["identity"])
        self._identities = both[both != NONE]
        self._inputs = self._counted(self._given["identity"])
        self._outputs = self._counted(self._made["identity"])
        self._due = self._counted(self._given["identity"][contract.due])

    def _counted(self, some: Ints) -> Ints:
        at = np.searchsorted(self._identities, some[some != NONE])
        return np.bincount(at, minlength=len(self._identities)).astype(np.int64)

    def judge(self, found: Findings) -> None:
        """Nothing where there are no inputs: then nobody says what there should be."""
        if not len(self._given):
            return
        asked = self._outputs > 0
        if self._contract.wants_one:
            asked |= self._due > 0
            self._missing(found)
        found.considered += int(np.count_nonzero(asked))
        self._too_many(found)
        if self._contract.keeps("key"):
            self._keys(found)
        if self._contract.keeps("order"):
            self._order(found)

    # -- how many there are

    def _missing(self, found: Findings) -> None:
        """Fewer outputs than inputs below the position."""
        nameless = ~self._given.known("identity") & self._contract.due
        _undecided(found, NAMELESS_INPUTS, nameless)
        unsure = [OUTPUTS_UNREAD] if not self._contract.read_outputs else []
        unsure += [NAMELESS_OUTPUTS] if not self._made.known("identity").all() else []
        self._charge(found, self._outputs < self._due, "missing", unsure)

    def _too_many(self, found: Findings) -> None:
        """More outputs than inputs, or outputs of none."""
        more, of_some = self._outputs > self._inputs, self._inputs > 0
        if not self._contract.wants_no_more:
            found.allow(SEVERAL, more & of_some)
            found.allow(OF_NOTHING, more & ~of_some)
            return
        _undecided(found, NAMELESS_OUTPUTS, ~self._made.known("identity"))
        unsure = [INPUTS_UNREAD] if not self._contract.read_inputs else []
        unsure += [NAMELESS_INPUTS] if not self._given.known("identity").all() else []
        self._charge(found, more & of_some, "too many", unsure)
        self._charge(found, more & ~of_some, "made of nothing", unsure)

    def _charge(self, found: Findings, wrong: Bools, problem: str, unsure: Sequence[str]) -> None:
        if unsure:
            found.doubt(unsure[0], np.count_nonzero(wrong))
        else:
            found.anomaly(wrong, self._shown(problem))

    # -- what outputs keep of their inputs

    def _keys(self, found: Findings) -> None:
        """Each output has the key of some input of its identity."""
        made = self._made.take(np.isin(self._made["identity"], self._known_inputs))
        found.considered += len(made)
        unsaid = self._given["identity"][~self._given.known("key_hash")]
        untold = ~made.known("key_hash") | np.isin(made["identity"], unsaid)
        both = alike(*(np.append(made[one], self._given[one]) for one in ("identity", "key_hash")))
        wrong = ~untold & ~np.isin(both[: len(made)], both[len(made) :])
        found.doubt(UNTOLD_KEY, np.count_nonzero(untold))
        self._charge_outputs(found, made.take(wrong), "another key")

    def _order(self, found: Findings) -> None:
        """The first outputs in a partition of the inputs of another, that are one of a kind."""
        given = self._given.take(self._given.known("identity"))
        at = np.searchsorted(self._identities, given["identity"])
        given = given.take(self._inputs[at] == 1)
        made = self._made.take(np.isin(self._made["identity"], given["identity"]))
        source = np.searchsorted(given["identity"], made["identity"])
        ways = numbered(
            given["topic"][source], given["partition"][source], made["topic"], made["partition"]
        )
        order = in_order(ways, source, made["offset"])
        order = order[changes(ways[order], source[order])] if len(order) else order
        offset = given["offset"][source]
        order = order[in_order(ways[order], made["offset"][order], offset[order])]
        found.considered += len(order)
        for mine in groups(ways[order]):
            late = offset[order[mine]] < np.maximum.accumulate(offset[order[mine]])
            self._charge_outputs(found, made.take(order[mine][late]), "out of order")

    @property
    def _known_inputs(self) -> Ints:
        return self._given["identity"][self._given.known("identity")]

    def _charge_outputs(self, found: Findings, made: Rows, problem: str) -> None:
        at = np.searchsorted(self._identities, made["identity"])
        shown = {
            name: (column[at], words) for name, (column, words) in self._shown(problem).items()
        }
        own = {f"output_{name}": (made[name], made.words.get(name)) for name in PLACE}
        found.anomaly(np.ones(len(made), bool), {**shown, **own})

    # -- witnesses

    def _shown(self, problem: str) -> Shown:
        """For each identity where its first input is, or its last output where it has none."""
        words, count = np.array([self._contract.name, problem], object), len(self._identities)
        first = np.searchsorted(self._given["identity"], self._identities)
        last = np.searchsorted(self._made["identity"], self._identities, "right") - 1
        given = {name: _at(self._given[name], first, self._inputs > 0) for name in PLACE}
        made = {name: _at(self._made[name], last, self._outputs > 0) for name in PLACE}
        has_input, texts = self._inputs > 0, self._given.words
        return {
            "contract": (constant(0, count), words),
            **{
                name: (np.where(has_input, given[name], made[name]), texts.get(name))
                for name in PLACE
            },
            "identity": (self._identities, texts["identity"]),
            "problem": (constant(1, count), words),
            "inputs": (self._inputs, None),
            "outputs": (self._outputs, None),
            **{f"output_{name}": (made[name], texts.get(name)) for name in PLACE},
        }


def _at(column: Ints, rows: Ints, there: Bools) -> Ints:
    """What stands in these rows; NONE where there is none."""
    found = np.full(len(rows), NONE)
    found[there] = column[rows[there]]
    return found


def _undecided(found: Findings, why: str, rows: Bools) -> None:
    """Rows that nobody can pair with anything."""
    count = np.count_nonzero(rows)
    found.considered += int(count)
    found.doubt(why, count)
