"""The ladder plays what tells the story: flips, the ends, and each control once."""

from __future__ import annotations

from typing import Any, cast

import pytest

from highwater.cells import Cell
from highwater.harness.errors import UsageError
from highwater.harness.model import Scenario
from highwater.harness.versions.catalogue import find_kafka, ladder_kafkas
from highwater.ladder import ladder, rungs
from highwater.probing import probe_of
from highwater.scenarios.catalogue import find_scenario

OLD = ("0.10.2.2", "0.11.0.3", "1.1.1", "2.0.1", "2.8.2")
KAFKAS = [find_kafka(name) for name in (*OLD, "3.9.1-zk", "3.9.1", "4.1.1")]


def scenario(name: str = "a-scenario", **more: Any) -> Scenario:
    fields: dict[str, Any] = {"reproduces": "<1.1", "source": "KIP-0", **more}
    return Scenario(
        name=name,
        story="A story.",
        play=lambda _play, _partition: None,
        claims=("lost-write",),
        **fields,
    )


def columns(cells: list[Cell]) -> list[str]:
    return [cell.column for cell in cells]


def columns_of(name: str, cells: list[Cell]) -> list[str]:
    return columns([cell for cell in cells if cell.scenario.name == name])


def test_the_fast_ladder_takes_both_sides_of_a_flip() -> None:
    cells = ladder([scenario(restored_by=("ibp=0.11.0",))], KAFKAS, fast=True)

    assert columns(cells) == ["0.11.0.3", "1.1.1"]


def test_the_whole_ladder_adds_ends_and_controls() -> None:
    wanted = scenario(restored_by=("ibp=0.11.0",), ablations=("BlockLink",))

    cells = ladder([wanted], KAFKAS, fast=False)

    assert columns(cells) == [
        "0.10.2.2",
        "0.11.0.3",
        "1.1.1",
        "3.9.1-zk",
        "4.1.1",
        "0.11.0.3+without=BlockLink",
        "1.1.1+ibp=0.11.0",
    ]


def test_of_those_that_show_one_failure_one_is_played_at_the_ends() -> None:
    shown = [scenario("first"), scenario("second", restored_by=("ibp=0.11.0",)), scenario("third")]

    cells = ladder(shown, KAFKAS, fast=False)

    flips = ["0.11.0.3", "1.1.1"]
    assert columns_of("first", cells) == columns_of("third", cells) == flips
    ends = ["0.10.2.2", *flips, "3.9.1-zk", "4.1.1"]
    assert columns_of("second", cells) == [*ends, "1.1.1+ibp=0.11.0"]


@pytest.mark.parametrize(
    "other",
    [
        {"source": "KIP-1; KIP-0"},
        {"source": "Kafka's documentation"},
        {"reproduces": "<2"},
        {"reproduces": "", "source": "KIP-0"},
    ],
)
def test_another_failure_is_played_at_the_ends_as_well(other: dict[str, Any]) -> None:
    cells = ladder([scenario("first"), scenario("second", **other)], KAFKAS, fast=False)

    for name in ("first", "second"):
        assert {"0.10.2.2", "3.9.1-zk", "4.1.1"} <= set(columns_of(name, cells))


def test_who_is_chosen_alone_is_played_at_the_ends() -> None:
    one = next(each for each in rungs() if each.name == "kip101-loss-strict")

    chosen, among_all = (
        columns_of(one.name, ladder(some, ladder_kafkas(), fast=False)) for some in ([one], rungs())
    )

    assert {"0.10.0.1", "3.9.1-zk"} < set(chosen) - set(among_all)
    assert {"0.10.2.2", "0.11.0.3"} < set(among_all) < set(chosen)


def test_a_flip_in_one_mode_is_enough() -> None:
    cells = ladder([scenario(reproduces="<4.1", plays_on=">=2.8")], KAFKAS, fast=True)

    assert columns(cells) == ["3.9.1", "4.1.1"]


def test_a_failure_by_configuration_flips_with_its_cure() -> None:
    wanted = scenario(reproduces=">=0.10", cured_by=("unclean=off",))

    cells = ladder([wanted], KAFKAS, fast=True)

    assert columns(cells) == ["4.1.1", "4.1.1+unclean=off"]


def test_a_scenario_that_our_client_cannot_be_lined_up_with_is_refused() -> None:
    with pytest.raises(UsageError, match="cannot be lined up with confluent: expected another"):
        ladder([scenario(not_lined_up_with=("confluent",))], KAFKAS, fast=True)

    with pytest.raises(UsageError, match="client-half-written cannot be lined up with confluent"):
        probe_of("client-half-written", cast("Any", None))


def test_only_kafkas_that_have_what_it_needs_are_asked() -> None:
    wanted = scenario(reproduces="<0.11", plays_on=">=0.11,<3", modes=("zookeeper",))

    cells = ladder([wanted], KAFKAS, fast=False)

    assert columns(cells) == ["0.11.0.3", "2.8.2"]


def test_what_any_client_can_play_is_no_rung() -> None:
    names = [each.name for each in rungs()]

    assert "kip101-loss-strict" in names
    assert "client-answer-lost" not in names
    assert find_scenario("client-answer-lost").any_client


def test_a_control_comes_where_it_applies() -> None:
    wanted = scenario(reproduces="<4.1", cured_by=("ibp=2.6",), restored_by=("elr=off",))

    controlled = [cell for cell in ladder([wanted], KAFKAS, fast=False) if cell.control]

    assert columns(controlled) == ["3.9.1-zk+ibp=2.6", "4.1.1+elr=off"]
