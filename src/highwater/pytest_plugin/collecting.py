"""What pytest has collected: on which Kafkas each test is played, and what is wrong with it."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any

import pytest

from highwater.adopting import kafka_named
from highwater.attaching import attached_cluster
from highwater.backends import PROCESS, Backend
from highwater.harness.errors import UsageError
from highwater.harness.versions.catalogue import find_kafka
from highwater.marking import Marked, read_marker
from highwater.pytest_plugin.arguments import PARAMETER
from highwater.pytest_plugin.choosing import (
    asked_backend,
    chosen_backend,
    chosen_project,
    kafkas_asked_for,
    mistake_in_borrowing,
)
from highwater.pytest_plugin.words import ALL_FLIPS, HOOKS, OF_ATTACHED, OWNED
from highwater.pytest_plugin.workers import given

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
NO_JUDGE = (
    "the marker highwater, {name}: nothing of this test is judged; take `play` or `partition` as a "
    "parameter, whose record is, or leave {name} out"
)
TRIALS_OF_PARAMETER = (
    "the marker highwater of a parameter, trials={trials!r}: how often a test is played is the "
    "same for all of its parameters; say it in the marker of the test"
)
NO_PARAMETER = (
    "expected a test to which pytest can give a Kafka, saw {kind}: tests of unittest.TestCase, and "
    "doctests, have no parameters; make it a function, or a method of a plain class, that takes "
    "`play`, `partition` or `kafka_cluster`"
)
ASKED_LATE = (
    "expected `play`, `partition` or `kafka_cluster` among the parameters of the test, or of a "
    "fixture that it names, so that it is collected for each Kafka; saw that one was asked for by "
    "request.getfixturevalue: take it as a parameter"
)
RESULTS = ("suite.json", "compare.json", "runs")


def plays(definition: pytest.Item, names: Sequence[str]) -> list[ParameterSet]:
    """A parameter for each play of a test: these Kafkas, as often as the marker says."""
    try:
        trials = marked(definition).trials
    except UsageError:  # `mistakes` tells of it, of all tests together
        trials = 1
    for name in names:
        _look_up(name)
    return [
        pytest.param((name, trial), id=name if trials == 1 else f"{name}-trial{trial}")
        for name in names
        for trial in range(1, trials + 1)
    ]


@functools.cache
def _look_up(name: str) -> None:
    """Lock a Kafka that only the repository knows, once."""
    with suppress(UsageError):  # `mistakes` tells of it, of all tests together
        kafka_named(name)


def skip_other_kafkas(chaos_tests: Sequence[pytest.Item]) -> None:
    """Skip each test, of which nothing is wrong, that is not for the Kafka it was given."""
    for test in chaos_tests:
        name, _ = _values(test).get(PARAMETER, (None, None))
        asked = marked(test)
        if name is not None and not asked.suits(find_kafka(name)):
            test.add_marker(pytest.mark.skip(reason=f"for Kafka {asked.kafka}, not {name}"))


def mistakes(config: pytest.Config, chaos_tests: Sequence[pytest.Item]) -> list[str]:
    """Why these tests cannot be played as they were asked for, a line each."""
    found = [f"{test.nodeid}: {mistake}" for test in chaos_tests if (mistake := _mistake_in(test))]
    if chaos_tests and (mistake := _mistake_in_attaching(config)):
        found.append(mistake)
    if not found and chosen_project(config) is None and ALL_FLIPS in config.getoption("--kafka"):
        found += _without_a_flip(chaos_tests)
    if given(config) is None and (mistake := mistake_in_report(config)):
        found.append(mistake)
    return list(dict.fromkeys(found))


def _without_a_flip(chaos_tests: Sequence[pytest.Item]) -> list[str]:
    """A line for each test that is for none of the Kafkas it was given: nothing would be played."""
    found: dict[str, list[str]] = {}
    for test in chaos_tests:
        name, _ = _values(test).get(PARAMETER, (None, None))
        if name is not None:
            whole = found.setdefault(test.nodeid.partition("[")[0], [])
            whole += [name] if marked(test).suits(find_kafka(name)) else []
    named = ", ".join(kafkas_asked_for(chaos_tests[0].config)) if chaos_tests else ""
    return [
        f"{name}: --kafka {ALL_FLIPS}: expected a release beside a flip in the range of its "
        f"marker, saw none of {named} there; name one: --kafka VERSION"
        for name, suited in found.items()
        if not suited
    ]


def mistake_in_report(config: pytest.Config) -> str:
    """Why the report cannot be written where it is to be; "" if it can, or there is none."""
    out: Path | None = config.getoption("--highwater-report")
    mistake = _mistake_of(out) if out is not None else ""
    return f"--highwater-report: {mistake}" if mistake else ""


def _mistake_in_attaching(config: pytest.Config) -> str:
    """Why the cluster that is named cannot be attached; "" if it may, or none is named."""
    if chosen_project(config) is not None:
        return mistake_in_borrowing(config)
    backend = chosen_backend(config)
    if not backend.is_attached:
        given = next((each for each in OF_ATTACHED if config.getoption(each)), None)
        return f"{given} needs --kafka-attach: it is about a cluster of yours" if given else ""
    return _mistake_in_address(config, backend)


def _mistake_in_address(config: pytest.Config, backend: Backend) -> str:
    """The same of a cluster that is named by its address."""
    hooks = [each for each in HOOKS if config.getoption(f"--kafka-{each}")]
    if hooks and not config.getoption(OWNED):
        return f"--kafka-{hooks[0]} takes brokers down: say {OWNED} if that may be done to them"
    if config.getoption("--kafka-backend") != PROCESS:
        return "--kafka-attach: its brokers run where they run; leave --kafka-backend out"
    named = config.getoption("--kafka")
    if len(named) != 1:
        return "--kafka-attach: say which Kafka it is, once, such as --kafka 4.1.1"
    try:
        attached_cluster(find_kafka(named[0]), backend)
    except UsageError as error:
        return f"--kafka-attach: {error}"
    return ""


def _mistake_of(report: Path) -> str:
    """Why no report can be written there; "" if one can. Leaves nothing behind."""
    held: list[str] = []
    made: list[Path] = []
    try:
        made = [each for each in (report, *report.parents) if not each.exists()]
        held = [name for name in RESULTS if (report / name).exists()]
        report.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=report):
            pass
    except OSError as error:
        why = error.strerror or repr(error)
        return f"expected a directory to write to, saw {report}: {why}; choose another directory"
    finally:
        for each in made:
            with suppress(OSError):  # it could not be made
                each.rmdir()
    return f"{report} already holds results ({held[0]}); choose another directory" if held else ""


def marked(test: pytest.Item) -> Marked:
    """What the markers of a test say together; raises UsageError for what one cannot say.

    Where the markers of a parameter, its test, its class and its module name the same option, that
    of the first one counts.
    """
    options: dict[str, Any] = {}
    for marker in (*_of_parameter(test), *test.iter_markers("highwater")):
        read_marker(marker.args, marker.kwargs)
        options = {**marker.kwargs, **options}
    return read_marker((), options)


def _mistake_in(test: pytest.Item) -> str:
    """What is wrong with how a test is marked, or with where it is to be played."""
    given = getattr(test, "fixturenames", ())
    if "_suite" not in given:
        own = any(marker.name == "highwater" for marker in test.own_markers)
        return UNPLAYED if own else ""
    values = _values(test)
    if PARAMETER in given and PARAMETER not in values:
        return NO_PARAMETER.format(kind=f"a {type(test).__name__}")
    name, _ = values.pop(PARAMETER, (None, None))
    try:
        asked = marked(test)
        kafka = None if name is None else find_kafka(name)
    except UsageError as error:
        return str(error)
    mistake = asked.contradiction or _said_in_vain(test)
    if mistake or kafka is None or not asked.suits(kafka):
        return mistake
    return asked.misfit(kafka, asked_backend(test.config), values.values())


def _said_in_vain(test: pytest.Item) -> str:
    """What is wrong with an option of a test's own marker that has no effect; "" for none."""
    for marker in _of_parameter(test):
        if "trials" in marker.kwargs:
            return TRIALS_OF_PARAMETER.format(trials=marker.kwargs["trials"])
    named = {name for each in test.own_markers if each.name == "highwater" for name in each.kwargs}
    given = getattr(test, "fixturenames", ())
    unjudged = [name for name in ("claims", "limits") if name in named]
    if unjudged and "play" not in given:
        return NO_JUDGE.format(name=unjudged[0])
    unused = [name for name in ("replicas", "topic") if name in named]
    return NO_PARTITION.format(name=unused[0]) if unused and "partition" not in given else ""


def _values(test: pytest.Item) -> dict[str, Any]:
    """What pytest gives a test by name, other than fixtures without parameters."""
    called = getattr(test, "callspec", None)
    return dict(called.params) if called else {}


def _of_parameter(test: pytest.Item) -> list[pytest.Mark]:
    """Markers of pytest.param(..., marks=...), which pytest puts behind those of the test."""
    called = getattr(test, "callspec", None)
    return [each for each in called.marks if each.name == "highwater"] if called else []
