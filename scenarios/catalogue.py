"""Finds the scenarios: every one that a file of this folder defines."""

from __future__ import annotations

import difflib
import functools
import importlib
import pkgutil
from pathlib import Path

from highwater.harness.errors import UsageError
from highwater.harness.model import Scenario


@functools.cache
def scenarios() -> tuple[Scenario, ...]:
    """All of them, by name."""
    names = sorted(module.name for module in pkgutil.iter_modules([str(Path(__file__).parent)]))
    modules = [
        importlib.import_module(f"{__package__}.{name}")
        for name in names
        if f"{__package__}.{name}" != __name__
    ]
    found = [
        value
        for module in modules
        for value in vars(module).values()
        if isinstance(value, Scenario)
    ]
    return tuple(sorted(found, key=lambda scenario: scenario.name))


def find_scenario(name: str) -> Scenario:
    """One by its name; raises UsageError naming the nearest, if there are any."""
    for scenario in scenarios():
        if scenario.name == name:
            return scenario
    names = [scenario.name for scenario in scenarios()]
    near = difflib.get_close_matches(name, names, n=3, cutoff=0.3)
    told = f"; the nearest are {', '.join(near)}" if near else ", and none is called like it"
    every = "all of them: highwater list scenarios"
    raise UsageError(f"no scenario {name!r:.120}{told}; {every}")
