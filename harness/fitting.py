"""Whether a fault can be injected into a cluster at all: asked before anything happens to it.

A fault's class says what it needs: `needs` names capabilities of a cluster and fields of
ClusterSpec that must be true, one of them or several in a tuple; `not_on` has the reason why a
backend cannot have the fault; `on_kafka` names a fact of releases without which nothing would
happen at all (`harness/versions/facts.py`).
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import partial
from typing import Any

from highwater.harness.cluster import CAPABILITIES, EVERYTHING, ClusterSpec, lacking
from highwater.harness.versions.facts import Facts

SWITCHES = tuple(each.name for each in fields(ClusterSpec) if isinstance(each.default, bool))
NEEDS = (*CAPABILITIES, *SWITCHES)
# What faults call the nodes that they are for: numbers, and tuples of them.
OF_NODES = {"broker", "leader", "follower", "controller", "coordinator", "voter", "bridge"}
OF_SIDES = {"brokers", "one_side", "other_side", "askers", "asked"}


def misfit(
    fault: object,
    spec: ClusterSpec,
    backend: str | None,
    has: frozenset[str] = EVERYTHING,
    kafka: Facts | None = None,
) -> str:
    """Why this fault, or one that it consists of, cannot be on such a cluster; "" if it can.

    `fault` may also be a class of faults. `backend` and `kafka` are None where nobody knows them;
    `has` are the capabilities of the cluster.
    """
    found = (_lacked(each, spec, has) or _impossible(each, backend) for each in faults_in(fault))
    return next((why for why in found if why), "") or (unknown(fault, kafka) if kafka else "")


def unknown(fault: object, kafka: Facts) -> str:
    """Why nothing would happen on this Kafka by it, or by one that it consists of; "" if it would.

    The gate would wait for requests that nobody sends there, and a play prove nothing.
    """
    return next((why for each in faults_in(fault) if (why := unknown_itself(each, kafka))), "")


def unknown_itself(fault: object, kafka: Facts) -> str:
    """As `unknown`, of this fault alone, whatever it consists of."""
    fact = getattr(fault, "on_kafka", "")
    if fact and not fact_of(fault):
        return (
            f"{_name(fault)}.on_kafka is {fact!r}: expected a fact of harness/versions/facts.py "
            "that is so or not"
        )
    if fact and not getattr(kafka, fact):
        return (
            f"{_name(fault)} needs a Kafka of which this is so, and {kafka.name} is none: "
            f"{fact_of(fault)}"
        )
    return ""


def fact_of(fault: object) -> str:
    """What has to be so of a Kafka for this fault, in words; "" for nothing, or what is no fact."""
    named = getattr(fault, "on_kafka", "")
    known = getattr(Facts, named, None) if isinstance(named, str) else None
    if not isinstance(known, property) or known.fget is None:
        return ""
    if not _is_so_or_not(known.fget):
        return ""
    return (known.__doc__ or str(named)).partition("\n")[0]


def _is_so_or_not(fact: Callable[[Any], Any]) -> bool:
    """Unlike a version of a request, or a name."""
    return getattr(fact, "__annotations__", {}).get("return") in {bool, "bool"}


def no_fault(given: object) -> str:
    """Why this cannot be injected at all; "" if it can."""
    if isinstance(given, type):
        return f"expected a fault, such as Kill(1), saw the class {given.__name__} itself"
    if not callable(getattr(given, "inject", None)):
        return f"expected a fault, such as Kill(1), saw {given!r:.120}"
    return ""


def named_nodes(fault: object) -> Iterator[tuple[str, object]]:
    """Which nodes a fault says that it is for, and those that it consists of: as they are called
    there, and who. Who need not be said, and is not, is left out.
    """
    for each in faults_in(fault):
        if not is_dataclass(each) or isinstance(each, type):
            continue
        for one in fields(each):
            said = getattr(each, one.name, None)
            is_open = said is None and "None" in str(one.type)
            if one.name in OF_NODES and not is_open:
                yield one.name, said
            elif one.name in OF_SIDES and isinstance(said, tuple):
                yield from ((one.name, node) for node in said)


def _lacked(fault: Any, spec: ClusterSpec, has: frozenset[str]) -> str:
    name, needs = _name(fault), getattr(fault, "needs", "")
    several = needs if isinstance(needs, tuple) else (needs,) if needs else ()
    if any(each not in NEEDS for each in several):
        return f"{name}.needs is {needs!r}: expected some of {', '.join(NEEDS)}, or nothing"
    for needed in several:
        if needed in CAPABILITIES and needed not in has:
            return lacking(name, needed, has)
        if needed in SWITCHES and not getattr(spec, needed):
            return (
                f"{name} needs a cluster with {needed}=True: a test says so in its marker, "
                f"@pytest.mark.highwater({needed}=True), a scenario in its decorator"
            )
    return ""


def _impossible(fault: Any, backend: str | None) -> str:
    name = _name(fault)
    impossible: object = getattr(fault, "not_on", {})
    if not isinstance(impossible, Mapping):
        return (
            f"{name}.not_on is {impossible!r}: expected a reason for each backend that cannot have "
            "the fault, such as {'process': 'a process has no network of its own'}"
        )
    if backend is not None and backend in impossible:
        others = " or ".join(sorted({"process", "docker"} - set(impossible)))
        return (
            f"{name} cannot be on the backend {backend}: {impossible[backend]}; it works on "
            f"{others} (pytest --kafka-backend, highwater --backend)"
        )
    return ""


def _name(fault: Any) -> str:
    return str(fault.__name__ if isinstance(fault, type) else type(fault).__name__)


def faults_in(given: object) -> Iterator[object]:
    """Every fault in what a test is given: it may be one, have some as its parts, or hold them.

    Each thing is looked at once, so that one may hold itself. A mock, or a proxy of something that
    is not there yet, answers to any name: what makes a fault is looked up where it is defined.
    """
    seen: dict[int, object] = {}  # by identity, and kept, so that no other gets the same one
    ahead = [given]
    while ahead:
        each = ahead.pop()
        if id(each) in seen:
            continue
        seen[id(each)] = each
        ahead += reversed(_held_by(each))
        if inspect.getattr_static(each, "inject", None) is not None:
            yield each
            if is_dataclass(each) and not isinstance(each, type):
                ahead += reversed([getattr(each, one.name, None) for one in fields(each)])


def _held_by(several: object) -> Sequence[object]:
    """What is in a list, a tuple or a mapping, or what functools.partial would make one of."""
    kind = type(several)  # isinstance believes what a mock says of itself
    if issubclass(kind, partial):
        made: partial[object] = several  # type: ignore[assignment]
        return made.func, *made.args, *made.keywords.values()
    if issubclass(kind, Mapping):
        return list(several.values())  # type: ignore[attr-defined]
    return several if issubclass(kind, list | tuple) else ()  # type: ignore[return-value]
