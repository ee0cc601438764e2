"""The ladder plays what tells the story: flips, the ends, and each control once."""

from __future__ import annotations

import inspect
import itertools
import re
from collections.abc import Callable, Iterator
from operator import attrgetter, methodcaller
from pathlib import Path
from typing import Any, cast

import pytest

from highwater.cells import Cell
from highwater.harness.errors import UsageError
from highwater.harness.model import Scenario
from highwater.harness.scenario import plays_on
from highwater.harness.versions.catalogue import Kafka, find_kafka, ladder_kafkas
from highwater.harness.versions.facts import Facts
from highwater.harness.versions.numbers import release_of
from highwater.ladder import Extent, ladder, rungs, story_of
from highwater.probing import probe_of
from highwater.scenarios import acts
from highwater.scenarios.catalogue import find_scenario

OLD = ("0.10.2.2", "0.11.0.3", "1.1.1", "2.0.1", "2.8.2")
ACTS = Path(acts.__file__ or "").parent
OF_NAMES = {"name", "suffix", "kraft", "in_kraft", "version", "line"}  # no facts of a release alone
FACTS = {
    name for name, each in {**vars(Facts), **vars(Kafka)}.items() if isinstance(each, property)
} - OF_NAMES
KAFKAS = [find_kafka(name) for name in (*OLD, "3.9.1-zk", "3.9.1", "4.1.1")]


def scenario(**more: Any) -> Scenario:
    fields: dict[str, Any] = {"reproduces": "<1.1", "claims": ("lost-write",), **more}
    return Scenario(
        name="a-scenario",
        story="A story.",
        play=lambda _play, _partition: None,
        source="KIP-0",
        **fields,
    )


def columns(cells: list[Cell]) -> list[str]:
    return [cell.column for cell in cells]


def test_the_fast_ladder_takes_both_sides_of_a_flip() -> None:
    cells = ladder([scenario(restored_by=("ibp=0.11.0",))], KAFKAS, Extent.FLIPS)

    assert columns(cells) == ["0.11.0.3", "1.1.1"]


def test_the_whole_ladder_adds_ends_and_controls() -> None:
    wanted = scenario(restored_by=("ibp=0.11.0",), ablations=("BlockLink",))

    cells = ladder([wanted], KAFKAS, Extent.ENDS)

    assert columns(cells) == [
        "0.10.2.2",
        "0.11.0.3",
        "1.1.1",
        "3.9.1-zk",
        "4.1.1",
        "0.11.0.3+without=BlockLink",
        "1.1.1+ibp=0.11.0",
    ]


def test_without_ends_it_has_flips_and_controls() -> None:
    wanted = scenario(restored_by=("ibp=0.11.0",), ablations=("BlockLink",))

    cells = ladder([wanted], KAFKAS, Extent.CONTROLS)

    flips = ["0.11.0.3", "1.1.1"]
    assert columns(cells) == [*flips, "0.11.0.3+without=BlockLink", "1.1.1+ibp=0.11.0"]


def test_what_fails_on_none_of_the_ladder_is_played_on_the_releases_of_its_range() -> None:
    wanted = scenario(reproduces=">=3.7.0,<3.7.1", plays_on=">=3.7", modes=("kraft",))

    assert columns(ladder([wanted], KAFKAS, Extent.FLIPS)) == ["3.7.0", "3.7.1"]


def test_what_fails_on_no_release_is_played_on_the_newest_of_the_ladder() -> None:
    wanted = scenario(reproduces="<0.10")

    assert columns(ladder([wanted], KAFKAS, Extent.FLIPS)) == ["4.1.1"]


@pytest.mark.parametrize("extent", [Extent.FLIPS, Extent.CONTROLS])
def test_without_ends_one_that_never_flips_is_played_on_the_newest(extent: Extent) -> None:
    assert columns(ladder([scenario(reproduces="")], KAFKAS, extent)) == ["4.1.1"]


def test_each_extent_has_what_a_smaller_one_has() -> None:
    flips, controls, ends = (
        {(cell.scenario.name, cell.column) for cell in ladder(rungs(), ladder_kafkas(), extent)}
        for extent in Extent
    )

    assert flips < controls < ends


def test_with_ends_both_sides_of_each_turn_are_played() -> None:
    wanted = scenario(reproduces="", turns_at=("1.0", "4.0"))

    assert columns(ladder([wanted], KAFKAS, Extent.CONTROLS)) == ["4.1.1"]
    assert columns(ladder([wanted], KAFKAS, Extent.ENDS)) == [
        *("0.10.2.2", "0.11.0.3", "1.1.1", "3.9.1-zk", "3.9.1", "4.1.1")
    ]


@pytest.mark.parametrize(
    ("kafkas", "told"),
    [
        ("0.11.0.3 1.1.1 2.0.1 2.8.2", "0.11.0.3 1.1.1 2.8.2"),
        ("0.11.0.3 2.8.2", "0.11.0.3 2.8.2"),
        ("3.9.1-zk 3.9.1 4.1.1", "3.9.1-zk 4.1.1"),  # there are two releases
        ("3.3.2-zk 3.5.2-zk 3.9.1-zk 3.9.1", "3.3.2-zk 3.5.2-zk 3.9.1-zk 3.9.1"),
        ("4.0.0 4.1.1 4.3.1 4.4.0", "4.0.0 4.1.1 4.4.0"),
    ],
)
def test_with_ends_there_are_three_releases_where_there_are_as_many(kafkas: str, told: str) -> None:
    cells = ladder(
        [scenario(reproduces="")], [find_kafka(name) for name in kafkas.split()], Extent.ENDS
    )

    assert columns(cells) == told.split()


def test_with_three_releases_none_halfway_is_played_besides() -> None:
    kafkas = [find_kafka(name) for name in ("0.11.0.3", "1.0.2", "1.1.1", "2.0.1", "2.8.2")]

    cells = ladder([scenario(reproduces="<1.1")], kafkas, Extent.ENDS)

    assert columns(cells) == ["0.11.0.3", "1.0.2", "1.1.1", "2.8.2"]


def test_a_flip_among_the_oldest_releases_is_no_middle() -> None:
    names = "0.10.2.2 0.11.0.3 1.0.2 1.1.1 2.0.1 2.1.1 2.3.1 2.8.2"
    kafkas = [find_kafka(name) for name in names.split()]

    cells = ladder([scenario(reproduces="<0.11")], kafkas, Extent.ENDS)

    assert columns(cells) == ["0.10.2.2", "0.11.0.3", "2.0.1", "2.8.2"]


def test_of_what_is_told_of_many_releases_one_is_in_the_middle() -> None:
    """Neither the oldest quarter of those that it plays on nor the newest."""
    for each in rungs():
        cells = ladder([each], ladder_kafkas(), Extent.ENDS)
        every = {cell.kafka.version for line in story_of(each, ladder_kafkas()) for cell in line}
        versions = sorted(every, key=release_of)
        edge = max(1, len(versions) // 4)
        if len(versions) > 2:
            assert {cell.kafka.version for cell in cells} & {*versions[edge:-edge]}, each.name


def facts_asked(scenario: Scenario) -> dict[str, Callable[[Kafka], object]]:
    """What its play, or the acts that it has, ask of the release."""
    pages = [Path(inspect.getfile(scenario.play)).read_text(encoding="utf-8")]
    shared = re.findall(r"scenarios\.acts\.(\w+) import", pages[0])
    pages += [(ACTS / f"{name}.py").read_text(encoding="utf-8") for name in shared]
    told = "".join(pages)
    named = FACTS & set(re.findall(r"kafka\.(\w+)", told))
    asked: dict[str, Callable[[Kafka], object]] = {name: attrgetter(name) for name in named}
    for release in re.findall(r"kafka\.at_least\(\"(.*?)\"\)", told):
        asked[release] = methodcaller("at_least", release)
    return asked


def test_what_is_asked_of_a_fact_of_the_release_turns_with_it() -> None:
    """Otherwise a scenario would ask for something on releases that nobody has played it on."""
    for each in rungs():
        asked = facts_asked(each)
        for before, after in beside(each):
            if not any(before.at_least(at) != after.at_least(at) for at in each.turns_at):
                changed = [name for name, of in asked.items() if of(before) != of(after)]
                assert changed == [], (each.name, after.name)


def test_whoever_says_that_it_turns_does_so_between_two_releases() -> None:
    for each in rungs():
        for at in each.turns_at:
            assert any(x.at_least(at) != y.at_least(at) for x, y in beside(each)), (each.name, at)


def test_a_turn_that_is_left_out_is_noticed() -> None:
    fenced = find_scenario("fenced-holds-nobody-back")

    assert set(facts_asked(fenced)) == {"3.6"}
    assert set(facts_asked(find_scenario("state-where-it-is-kept"))) == {"2.1"}
    assert set(facts_asked(find_scenario("move-taken-back"))) == {"keeps_what_a_move_began"}


def beside(scenario: Scenario) -> Iterator[tuple[Kafka, Kafka]]:
    for mode in ("zookeeper", "kraft"):
        yield from itertools.pairwise(
            kafka for kafka in ladder_kafkas() if kafka.mode == mode and plays_on(scenario, kafka)
        )


def test_a_flip_in_one_mode_is_enough() -> None:
    cells = ladder([scenario(reproduces="<4.1", plays_on=">=2.8")], KAFKAS, Extent.FLIPS)

    assert columns(cells) == ["3.9.1", "4.1.1"]


def test_a_failure_by_configuration_flips_with_its_cure() -> None:
    wanted = scenario(reproduces=">=0.10", cured_by=("unclean=off",))

    cells = ladder([wanted], KAFKAS, Extent.FLIPS)

    assert columns(cells) == ["4.1.1", "4.1.1+unclean=off"]


def test_a_scenario_that_our_client_cannot_be_lined_up_with_is_refused() -> None:
    with pytest.raises(UsageError, match="cannot be lined up with confluent: expected another"):
        ladder([scenario(not_lined_up_with=("confluent",))], KAFKAS, Extent.FLIPS)

    with pytest.raises(UsageError, match="client-half-written cannot be lined up with confluent"):
        probe_of("client-half-written", cast("Any", None))


def test_only_kafkas_that_have_what_it_needs_are_asked() -> None:
    wanted = scenario(reproduces="<0.11", plays_on=">=0.11,<3", modes=("zookeeper",))

    cells = ladder([wanted], KAFKAS, Extent.ENDS)

    assert columns(cells) == ["0.11.0.3", "1.1.1", "2.8.2"]


def test_what_any_client_can_play_is_no_rung() -> None:
    names = [each.name for each in rungs()]

    assert "kip101-loss-strict" in names
    assert "client-answer-lost" not in names
    assert find_scenario("client-answer-lost").any_client


def test_a_control_comes_where_it_applies() -> None:
    wanted = scenario(reproduces="<4.1", cured_by=("ibp=2.6",), restored_by=("elr=off",))

    controlled = [cell for cell in ladder([wanted], KAFKAS, Extent.ENDS) if cell.control]

    assert columns(controlled) == ["3.9.1-zk+ibp=2.6", "4.1.1+elr=off"]
