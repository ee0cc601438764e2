"""Coordinators of transactions: each is decided, and completed, soon or not."""

from __future__ import annotations

from dataclasses import dataclass, field

from tests.model.choices import Choices
from tests.model.clients import SECOND_NS

LONGEST_S = 35  # until what is decided is completed, where nothing is wrong
STUCK_S = 60


@dataclass(frozen=True, slots=True)
class Said:
    """By a coordinator, in the words of the table `transaction_states`."""

    at_ns: int
    transactional_id: str
    coordinator: int
    state: str
    producer_id: int
    epoch: int
    began_ms: int


@dataclass(slots=True)
class Completing:
    """All that was said, by transactional id; of those that are `stuck` a transaction was not
    completed for a minute, of those that are `open` the last one is decided at the last look.
    """

    said: dict[str, list[Said]] = field(default_factory=dict)
    stuck: set[str] = field(default_factory=set)
    open: set[str] = field(default_factory=set)


def completing_of(choices: Choices, since_ns: int) -> Completing:
    found = Completing()
    for number in range(choices.below(3)):
        name = f"tx-{number}"
        found.said[name] = []
        _transact(choices, found, name, since_ns)
    return found


def _transact(choices: Choices, found: Completing, name: str, since_ns: int) -> None:
    second, coordinator, epoch = 0, 1, 0
    for _ in range(choices.between(1, 4)):
        began_ms, decided = 1000 * second, choices.pick(("PrepareCommit", "PrepareAbort"))
        kind = choices.weighted({"well": 6, "moved": 2, "bumped": 2, "stuck": 1, "left": 1})
        told = [("Ongoing", choices.below(20)), (decided, choices.between(1, LONGEST_S))]
        if kind == "moved":
            told.append((decided, LONGEST_S))  # by another one, which has read of it
        elif kind == "stuck":
            told[1] = decided, STUCK_S
            found.stuck.add(name)
        if kind != "left":
            told.append((decided.replace("Prepare", "Complete"), choices.between(1, 50)))
        for at, (state, lasts_s) in enumerate(told):
            coordinator += kind == "moved" and at == 2
            for after_s in moments(choices, lasts_s):
                at_ns = since_ns + (second + after_s) * SECOND_NS
                row = Said(at_ns, name, coordinator, state, 7, epoch, began_ms)
                found.said[name].append(row)
            second += lasts_s
        epoch += kind == "bumped"
        if kind == "left":
            found.open.add(name)
            return


def moments(choices: Choices, lasts_s: int) -> list[int]:
    """A look each second or so, and no two of them more than four seconds apart."""
    found, at_s = [], 0
    while at_s < lasts_s:
        found.append(at_s)
        at_s += choices.pick((1, 1, 2, 4))
    return found
