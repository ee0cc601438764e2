"""The decorator that makes a play a scenario of the catalogue."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from highwater.harness.errors import UsageError
from highwater.harness.model import Scenario
from highwater.harness.play import Play
from highwater.harness.versions.catalogue import in_range


def scenario(
    *, source: str, claims: tuple[str, ...], reproduces: str = "", **more: Any
) -> Callable[[Callable[[Play], None]], Scenario]:
    """Turn a function of a Play into a Scenario named after it.

    `reproduces` is the range of versions on which one of `claims` is violated, such as "<0.11";
    empty when they hold everywhere. `more` are the other fields of `harness.model.Scenario`:
    restored_by, settings, topic_settings, tolerates, replicas. The docstring is the story; its
    first line is the title.
    """

    def named(play: Callable[[Play], None]) -> Scenario:
        story = inspect.getdoc(play)
        if not story:
            raise UsageError(f"{play.__name__} has no docstring: a scenario tells its story")
        return Scenario(
            name=play.__name__.replace("_", "-"),
            story=story,
            play=play,
            source=source,
            reproduces=reproduces,
            claims=claims,
            **more,
        )

    return named


def expectation(scenario: Scenario, version: str, control: str | None) -> str:
    """What a scenario should show on a version: "reproduced" or "clean"."""
    restored = control is not None and control in scenario.restored_by
    bad = in_range(version, scenario.reproduces)
    return "reproduced" if bad or restored else "clean"


def merged(*layers: Mapping[str, str]) -> dict[str, str]:
    """Settings on top of settings; later ones win."""
    return {name: value for layer in layers for name, value in layer.items()}
