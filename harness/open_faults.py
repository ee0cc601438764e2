"""The faults that a play has open: injected and healed on the record, whatever happens between.

A fault is on the list before it is open, and off it when it has been healed: whatever comes between
two lines here, `heal` finds it.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Protocol, TypeVar, cast

from highwater.harness.cluster import NODES, Cluster, Fault
from highwater.harness.endings import end_all, gravest
from highwater.harness.errors import PreconditionError, UsageError, in_words
from highwater.harness.fitting import faults_in, misfit, named_nodes, no_fault, unknown_itself
from highwater.harness.model import Evidence
from highwater.harness.record.writer import RunRecord
from highwater.harness.versions.catalogue import Kafka

NOBODY = -1  # as metadata call the leader of a partition that has none
InjectedT = TypeVar("InjectedT", bound=Evidence)


class Standing(Protocol):
    """A fault that holds frames at the gate."""

    def await_standing(self) -> Mapping[str, Any]: ...


@dataclass(frozen=True, slots=True)
class LeftOut:
    """What an ablation puts in the place of a fault: nothing."""

    proof: Mapping[str, Any] = field(default_factory=lambda: {"left out": True})

    def await_standing(self) -> Mapping[str, Any]:
        return {}

    def await_seen(self) -> Mapping[str, Any]:
        return {}

    def await_answered(self) -> Mapping[str, Any]:
        return {}


@dataclass(slots=True)
class _Open:
    number: int
    name: str
    context: AbstractContextManager[Any]
    has_begun: bool = False
    injected: Evidence | None = None  # None: it is not open yet, or only half


class OpenFaults:
    """Faults of one play on one cluster."""

    def __init__(self, cluster: Cluster, record: RunRecord) -> None:
        self._cluster = cluster
        self._record = record
        self._open: list[_Open] = []
        self._returned: list[Evidence] = []  # whether they are open still or not
        self._numbers = itertools.count(1)
        self.unhealed: list[str] = []  # whose healing has failed: the cluster is not sound

    def inject(self, fault: Fault[InjectedT], *, left_out: str = "") -> InjectedT:
        """Let something go wrong, unless it is a fault named `left_out`.

        Raises UsageError, before anything happens, for a fault that such a cluster cannot have, or
        of a node that it has not, PreconditionError for a leader that nobody is, and what the fault
        raises, after it has healed what it had opened.
        """
        if why_none := no_fault(fault):
            raise UsageError(why_none)
        number, name = next(self._numbers), repr(fault)
        if type(fault).__name__ == left_out:
            self._record.event("note", f"left out: {name}")
            self._returned.append(nothing := LeftOut())
            return cast("InjectedT", nothing)
        cluster, backend = self._cluster, self._record.identity.get("backend")
        if why_not := misfit(fault, cluster.spec, backend, cluster.has) or self._unknown(fault):
            raise UsageError(why_not)
        self._require_nodes(fault)
        began_ns = self._record.now_ns()
        opened = _Open(number, name, fault.inject(self._cluster))
        self._open.append(opened)
        opened.has_begun = True
        handled = sys.exception()
        try:
            injected: InjectedT = opened.context.__enter__()
        except BaseException as error:
            self._open.remove(opened)
            original = gravest([error], handled)
            self._not_opened(opened, original, healed=original is error)
            if original is not error:
                raise original from None
            raise
        opened.injected = injected
        self._returned.append(injected)
        self._tell(opened, "opened", name, proof=dict(injected.proof), began_ns=began_ns)
        return injected

    def _unknown(self, fault: object) -> str:
        """Why nothing would happen by it, or by one that it consists of; "" if it would."""
        for each in faults_in(fault):
            if getattr(each, "on_kafka", ""):
                whys = [unknown_itself(each, kafka) for kafka in self._run_by(each)]
                if whys and all(whys):
                    return whys[0]
        return ""

    def _run_by(self, fault: object) -> list[Kafka]:
        """What its nodes are of, or all nodes where it names none: some may have been upgraded."""
        cluster = self._cluster
        if NODES not in cluster.has:
            return [cluster.kafka]
        numbers = cluster.nodes.numbers
        named = [node for _, node in named_nodes(fault) if node in numbers]
        return [cluster.nodes.runs(each) for each in named or numbers]

    def _require_nodes(self, fault: object) -> None:
        for called, node in named_nodes(fault):
            if node == NOBODY and type(node) is int:
                raise PreconditionError(f"{called} of {fault!r} is nobody: nobody led, when asked")
            nodes = self._cluster.nodes.numbers
            if type(node) is not int or node not in nodes:
                raise UsageError(
                    f"expected {called} of {fault!r:.120} to be one of the nodes {nodes}, "
                    f"saw {node!r:.120}"
                )

    def heal(self, *injected: Evidence) -> None:
        """Heal these, or all, newest first: every one of them, even if healing another fails.

        Raises UsageError for what `inject` has not returned, before anything is healed.
        """
        for one in injected:
            if not any(one is each for each in self._returned):
                raise UsageError(f"expected what play.inject() has returned, saw {one!r:.120}")
        chosen = [
            each
            for each in self._open
            if each.has_begun and (not injected or any(each.injected is one for one in injected))
        ]
        end_all([partial(self._heal, each) for each in reversed(chosen)])

    def _not_opened(self, fault: _Open, error: BaseException, *, healed: bool) -> None:
        if not healed:
            self.unhealed.append(fault.name)
        text = f"{fault.name} could not be injected: {in_words(error)}"
        end_all([partial(self._tell, fault, "failed", text)], error)

    def _heal(self, fault: _Open) -> None:
        proof: dict[str, Any] = {}
        end_all([partial(_read_proof, fault, proof), partial(self._leave, fault, proof)])

    def _leave(self, fault: _Open, proof: Mapping[str, Any]) -> None:
        try:
            fault.context.__exit__(None, None, None)
        except BaseException as error:  # it has been left all the same, and is not left twice
            self.unhealed.append(fault.name)
            text = f"{fault.name} could not be healed: {in_words(error)}"
            end_all([partial(self._tell, fault, "unhealed", text, proof=proof)], error)
            raise
        finally:
            self._open.remove(fault)
        self._tell(fault, "closed", f"healed: {fault.name}", proof=proof)

    def _tell(self, fault: _Open, phase: str, text: str, **more: Any) -> None:
        self._record.event("fault", text, fault=fault.name, phase=phase, id=fault.number, **more)


def _read_proof(fault: _Open, proof: dict[str, Any]) -> None:
    """What a fault has to show at its end: of a rule at the gate, what it has met meanwhile."""
    if fault.injected is not None:
        proof.update(fault.injected.proof)
