"""What can be played on a cluster that is attached: which faults, and which claims it leaves open.

It follows from what faults and claims themselves say that they need, and is known before a play.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import Any

from highwater import faults
from highwater.checkers.catalogue import claims
from highwater.harness.cluster import CAPABILITIES, EVIDENCE
from highwater.harness.fitting import SWITCHES

SWITCHED = "settings of ours"  # what a marker or a scenario would have a cluster started with
WHAT = {**CAPABILITIES, SWITCHED: "brokers that are started as a fault wants them"}
NOTHING = "nothing but the addresses of its brokers"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """Names, in the order of the catalogue; those that are out of reach by what is missing."""

    has: Sequence[str]
    injectable: Sequence[str]
    combining: Sequence[str]  # faults that consist of others: as far as these go
    refused: Mapping[str, Sequence[str]]
    unknown: Mapping[str, Sequence[str]]  # claims

    def described(self) -> dict[str, Any]:
        """As suite.json has it."""
        return {
            "has": list(self.has),
            "faults": list(self.injectable),
            "combining": list(self.combining),
            "refused": {name: list(each) for name, each in self.refused.items()},
            "unknown": {name: list(each) for name, each in self.unknown.items()},
            "said": list(self.lines()),
        }

    def lines(self) -> Iterator[str]:
        """The same in sentences."""
        yield f"the attached cluster has {', '.join(self.has) or NOTHING}"
        yield (
            f"faults that can be injected there: {', '.join(self.injectable)}, and what "
            f"consists of them ({', '.join(self.combining)})"
        )
        for lacks, names in self.refused.items():
            yield f"refused for want of {lacks} ({WHAT[lacks]}): {', '.join(names)}"
        for lacks, names in self.unknown.items():
            yield f"UNKNOWN for want of {lacks} ({WHAT[lacks]}), these claims: {', '.join(names)}"


def reach(has: frozenset[str]) -> Reach:
    """Of a cluster that has these capabilities, and of whose settings nothing is ours to say."""
    single: list[type[Any]] = []
    combining: list[type[Any]] = []
    for each in fault_classes():
        (combining if _combines(each) else single).append(each)
    lacking = {each.__name__: _lacks(each, has) for each in single}
    return Reach(
        has=[name for name in CAPABILITIES if name in has],
        injectable=[name for name, lacks in lacking.items() if not lacks],
        combining=[each.__name__ for each in combining],
        refused=_by_lack((lacks, name) for name, lacks in lacking.items()),
        unknown=_by_lack((_unseen(each.needs, has), each.name) for each in claims()),
    )


def fault_classes() -> Iterator[type[Any]]:
    """Every fault of the catalogue."""
    for module in pkgutil.iter_modules([str(Path(inspect.getfile(faults)).parent)]):
        loaded = importlib.import_module(f"{faults.__name__}.{module.name}")
        for value in vars(loaded).values():
            is_own = inspect.isclass(value) and value.__module__ == loaded.__name__
            if is_own and hasattr(value, "inject"):
                yield value


def needs_of(fault: object) -> tuple[str, ...]:
    needs: str | tuple[str, ...] = getattr(fault, "needs", ())
    return (needs,) if isinstance(needs, str) else needs


def _combines(fault: type[Any]) -> bool:
    return is_dataclass(fault) and any("Fault[" in str(each.type) for each in fields(fault))


def _lacks(fault: type[Any], has: frozenset[str]) -> str:
    needs = needs_of(fault)
    missing = next((each for each in CAPABILITIES if each in needs and each not in has), "")
    return missing or (SWITCHED if {*needs} & {*SWITCHES} else "")


def _unseen(tables: Iterable[str], has: frozenset[str]) -> str:
    needed = {*tables}
    return next((each for each in EVIDENCE if each not in has and needed & {*EVIDENCE[each]}), "")


def _by_lack(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for lacks, name in pairs:
        if lacks:
            found.setdefault(lacks, []).append(name)
    return {name: found[name] for name in WHAT if name in found}
