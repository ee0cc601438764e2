"""What every layer of tests shares: its order, and which of the long tests are played."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field

import pytest
from tests import slices

with suppress(ModuleNotFoundError):  # pytest reads this for any name of a file that is not there
    import hypothesis

    hypothesis.settings.register_profile("any machine", deadline=None)  # nothing is said of times
    hypothesis.settings.load_profile("any machine")

LAYERS = ["unit", "tidy", "model", "checkers", "browser", "cluster", "docker", "bench", "faults"]
KILLS = 6


@dataclass
class Turn:
    """Which long tests this run plays; without a slice none."""

    chosen: slices.Slice | None
    said: str
    unit_of: dict[str, str] = field(default_factory=dict)  # by the test's id: those of this slice
    left: dict[str, str] = field(default_factory=dict)  # the same of those that are left to others


TURN: pytest.StashKey[Turn] = pytest.StashKey()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("long tests", "those marked on_demand")
    group.addoption("--run-on-demand", action="store_true", help="all of them (make test-all)")
    group.addoption(
        "--slice",
        metavar="N/M",
        help="one slice of them, such as 3/86; 'commit': the one whose turn it is (make test)",
    )
    group.addoption(
        "--kills",
        metavar="N",
        type=int,
        default=KILLS,
        help="at how many moments of a loaded run the harness is killed (default: %(default)s)",
    )


def unit_of(item: pytest.Item) -> str | None:
    """What a long test is played with: itself, or those that share its cluster."""
    marker = item.get_closest_marker("on_demand")
    if marker is None:
        return None
    return str(marker.kwargs.get("together", item.nodeid))


def pytest_configure(config: pytest.Config) -> None:
    config.stash[TURN] = _turn(config)


def _turn(config: pytest.Config) -> Turn:
    asked = config.getoption("--slice")
    if config.getoption("--run-on-demand"):
        return Turn(slices.Slice(1, 1), "long tests: all of them")
    if asked is None:
        return Turn(
            None, "long tests: none of them; --slice 3/86 plays a slice, --run-on-demand all"
        )
    try:
        if asked != "commit":
            return Turn(slices.parse(asked), f"long tests: slice {asked}")
        chosen, why = slices.chosen_by_commit(slices.git)
    except (OSError, ValueError) as error:
        raise pytest.UsageError(f"--slice: {error}; name one, such as --slice 3/86") from None
    again = f"again: --slice {chosen}, or make test SLICE={chosen}"
    return Turn(chosen, f"long tests: slice {chosen}, by {why}; {again}")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Fast layers first, so that what is cheap to know is known first; faults keep their clusters
    to the end of the session, so nothing comes after them.
    """

    def layer(item: pytest.Item) -> int:
        parts = item.path.parts
        return next((rank for rank, name in enumerate(LAYERS) if name in parts), len(LAYERS))

    items.sort(key=layer)
    turn = config.stash[TURN]
    chosen = turn.chosen
    places = slices.dealt(slices.read(), chosen.of) if chosen else {}
    left: list[pytest.Item] = []
    for item in items:
        unit = unit_of(item)
        if unit is None:
            continue
        if chosen and slices.number_of(unit, places, chosen.of) == chosen.number:
            turn.unit_of[item.nodeid] = unit
        else:
            turn.left[item.nodeid] = unit
            left.append(item)
    items[:] = [item for item in items if item.nodeid not in turn.left]
    config.hook.pytest_deselected(items=left)


def pytest_report_collectionfinish(config: pytest.Config) -> str:
    return config.stash[TURN].said


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    turn = config.stash[TURN]
    if not turn.unit_of | turn.left:
        return
    terminalreporter.section("long tests")
    for line in _told(turn, terminalreporter, slices.read()):
        terminalreporter.write_line(line)


def _told(
    turn: Turn, terminalreporter: pytest.TerminalReporter, durations: slices.Durations
) -> Iterator[str]:
    """What was played and how long it took, what was left, and what nobody has measured."""
    if terminalreporter.config.option.collectonly:
        for unit in sorted(set(turn.unit_of.values())):
            yield f"about {durations.get(unit, 0):.0f} s: {unit}"
    else:
        taken_s = _seconds(turn, terminalreporter)
        for unit in sorted(taken_s, key=taken_s.__getitem__, reverse=True):
            yield slices.TOOK.format(seconds=taken_s[unit], unit=unit)
    yield turn.said
    yield f"{len(turn.unit_of)} tests of this slice, {len(turn.left)} are left to others"
    for unit in sorted({*turn.unit_of.values(), *turn.left.values()} - set(durations)):
        yield f"no duration in {slices.DURATIONS.name}: {unit}"


def _seconds(turn: Turn, terminalreporter: pytest.TerminalReporter) -> dict[str, float]:
    """By unit, with setup and teardown; what was skipped says nothing."""
    taken_s: dict[str, float] = defaultdict(float)
    for reports in terminalreporter.stats.values():
        for each in reports:
            if isinstance(each, pytest.TestReport) and each.nodeid in turn.unit_of:
                taken_s[turn.unit_of[each.nodeid]] += each.duration
    return taken_s
