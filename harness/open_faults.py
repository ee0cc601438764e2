"""The faults that a play has open: injected and healed on the record, whatever happens between."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field
from typing import Any, TypeVar, cast

from highwater.harness.cluster import Cluster
from highwater.harness.errors import UsageError
from highwater.harness.fitting import misfit
from highwater.harness.model import Evidence, Fault
from highwater.harness.record.writer import RunRecord

InjectedT = TypeVar("InjectedT", bound=Evidence)


@dataclass(frozen=True, slots=True)
class LeftOut:
    """What an ablation puts in the place of a fault: nothing."""

    proof: Mapping[str, Any] = field(default_factory=lambda: {"left out": True})

    def await_standing(self) -> Mapping[str, Any]:
        return {}


@dataclass(slots=True)
class _Open:
    number: int
    name: str
    context: AbstractContextManager[Any]
    injected: Evidence


class OpenFaults:
    """Faults of one play on one cluster."""

    def __init__(self, cluster: Cluster, record: RunRecord) -> None:
        self._cluster = cluster
        self._record = record
        self._open: list[_Open] = []
        self._numbers = itertools.count(1)

    def inject(self, fault: Fault[InjectedT], *, left_out: str = "") -> InjectedT:
        """Let something go wrong, unless it is a fault named `left_out`.

        Raises UsageError, before anything happens, for a fault that such a cluster cannot have.
        """
        number, name = next(self._numbers), repr(fault)
        if type(fault).__name__ == left_out:
            self._record.event("note", f"left out: {name}")
            return cast("InjectedT", LeftOut())
        why_not = misfit(fault, self._cluster.spec, self._record.identity.get("backend"))
        if why_not:
            raise UsageError(why_not)
        context = fault.inject(self._cluster)
        try:
            injected = context.__enter__()
        except Exception as error:
            text = f"{name} could not be injected: {error}"
            self._record.event("fault", text, fault=name, phase="failed", id=number)
            raise
        proof = dict(injected.proof)
        self._record.event("fault", name, fault=name, phase="opened", id=number, proof=proof)
        self._open.append(_Open(number, name, context, injected))
        return injected

    def heal(self, *injected: Evidence) -> None:
        """Heal these, or all, newest first: every one of them, even if healing another fails."""
        chosen = [
            each
            for each in self._open
            if not injected or any(each.injected is one for one in injected)
        ]
        with ExitStack() as stack:
            for each in chosen:
                stack.callback(self._close, each)

    def _close(self, fault: _Open) -> None:
        self._open.remove(fault)
        proof = dict(fault.injected.proof)  # of a rule at the gate: what it has met meanwhile
        fault.context.__exit__(None, None, None)
        self._record.event(
            "fault",
            f"healed: {fault.name}",
            fault=fault.name,
            phase="closed",
            id=fault.number,
            proof=proof,
        )
