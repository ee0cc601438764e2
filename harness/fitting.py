"""Whether a fault can be injected into a cluster at all: asked before anything happens to it.

A fault's class says what it needs: `needs` is a field of ClusterSpec that must be true, `not_on`
has the reason why a backend cannot have the fault.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from functools import partial
from typing import Any

from highwater.harness.cluster import ClusterSpec


def misfit(fault: object, spec: ClusterSpec, backend: str | None) -> str:
    """Why this fault, or one that it consists of, cannot be on such a cluster; "" if it can.

    `fault` may also be a class of faults. `backend` is None where nobody knows it.
    """
    for each in _with_its_parts(fault):
        name = each.__name__ if isinstance(each, type) else type(each).__name__
        needed: str = getattr(each, "needs", "")
        if needed and not getattr(spec, needed):
            return (
                f"{name} needs a cluster with {needed}=True: a test says so in its marker, "
                f"@pytest.mark.highwater({needed}=True), a scenario in its decorator"
            )
        impossible: Mapping[str, str] = getattr(each, "not_on", {})
        if backend is not None and backend in impossible:
            others = " or ".join(sorted({"process", "docker"} - set(impossible)))
            return (
                f"{name} cannot be on the backend {backend}: {impossible[backend]}; it works on "
                f"{others} (pytest --kafka-backend, highwater --backend)"
            )
    return ""


def _with_its_parts(fault: object) -> Iterator[Any]:
    """A fault, and the faults that it is given, such as those of Together."""
    for part in _held_by(fault):
        yield from _with_its_parts(part)
    if hasattr(fault, "inject"):
        yield fault
        if is_dataclass(fault) and not isinstance(fault, type):
            for field in fields(fault):
                yield from _with_its_parts(getattr(fault, field.name))


def _held_by(several: object) -> Iterable[object]:
    """What is in a list, a tuple or a mapping, or what functools.partial would make one of."""
    if isinstance(several, partial):
        return several.func, *several.args, *several.keywords.values()
    if isinstance(several, Mapping):
        return several.values()
    return several if isinstance(several, list | tuple) else ()
