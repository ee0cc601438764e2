"""What pytest has collected: on which Kafkas each test is played, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from highwater.harness.errors import UsageError
from highwater.harness.versions.catalogue import find_kafka
from highwater.marking import Marked, read_marker
from highwater.pytest_plugin.outcomes import PARAMETER

if TYPE_CHECKING:
    from _pytest.mark import ParameterSet

UNPLAYED = (
    "marked highwater, but it asks for no fixture of it, so nothing would be judged: take `play` "
    "(or `kafka_cluster`) as a parameter, or leave the marker out"
)
NO_PARTITION = (
    "the marker highwater, {name}: it describes what the fixture `partition` gives, and this test "
    "takes none; play.topic(...) has settings of its own"
)
RESULTS = ("suite.json", "compare.json", "runs")


def plays(definition: pytest.Item, names: Sequence[str]) -> list[ParameterSet]:
    """A parameter for each play of a test: these Kafkas, as often as the marker says."""
    try:
        asked = marked(definition)
        suits = {name: asked.suits(find_kafka(name)) for name in names}
    except UsageError:  # `mistakes` tells of it, of all tests together
        asked, suits = Marked(), dict.fromkeys(names, True)
    return [
        pytest.param(
            (name, trial),
            id=name if asked.trials == 1 else f"{name}-trial{trial}",
            marks=() if fits else pytest.mark.skip(reason=f"for Kafka {asked.kafka}, not {name}"),
        )
        for name, fits in suits.items()
        for trial in range(1, asked.trials + 1)
    ]


def mistakes(config: pytest.Config, chaos_tests: Sequence[pytest.Item]) -> list[str]:
    """Why these tests cannot be played as they were asked for, a line each."""
    found = [f"{test.nodeid}: {mistake}" for test in chaos_tests if (mistake := _mistake_in(test))]
    out: Path | None = config.getoption("--highwater-report")
    held = [name for name in RESULTS if out is not None and (out / name).exists()]
    if held:
        found.append(
            f"--highwater-report: {out} already holds results ({held[0]}); choose another directory"
        )
    if out is not None and getattr(config.option, "numprocesses", None):
        found.append("--highwater-report is written by one process: leave out -n (pytest-xdist)")
    return list(dict.fromkeys(found))


def marked(test: pytest.Item) -> Marked:
    """What the markers of a test say together; raises UsageError for what one cannot say.

    Where the markers of a test, its class and its module name the same option, that closest to the
    test counts.
    """
    options: dict[str, Any] = {}
    for marker in test.iter_markers("highwater"):
        read_marker(marker.args, marker.kwargs)
        options = {**marker.kwargs, **options}
    return read_marker((), options)


def _mistake_in(test: pytest.Item) -> str:
    """What is wrong with how a test is marked, or with where it is to be played."""
    if "_suite" not in getattr(test, "fixturenames", ()):
        own = any(marker.name == "highwater" for marker in test.own_markers)
        return UNPLAYED if own else ""
    called = getattr(test, "callspec", None)
    values = dict(called.params) if called else {}
    name, _ = values.pop(PARAMETER, (None, None))
    try:
        asked = marked(test)
        kafka = None if name is None else find_kafka(name)
    except UsageError as error:
        return str(error)
    if asked.contradiction:
        return asked.contradiction
    unused = _described_in_vain(test)
    if unused:
        return NO_PARTITION.format(name=unused)
    if kafka is None or not asked.suits(kafka):
        return ""
    return asked.misfit(kafka, str(test.config.getoption("--kafka-backend")), values.values())


def _described_in_vain(test: pytest.Item) -> str:
    """The option by which a test's own marker describes a topic that the test does not get."""
    if "partition" in getattr(test, "fixturenames", ()):
        return ""
    named = {name for each in test.own_markers if each.name == "highwater" for name in each.kwargs}
    return next((name for name in ("replicas", "topic") if name in named), "")
