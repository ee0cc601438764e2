"""A function becomes a scenario; its range of versions and its controls say what to expect."""

from __future__ import annotations

from dataclasses import fields

import pytest

from highwater.checkers.catalogue import claims
from highwater.harness.controls import find_control
from highwater.harness.errors import UsageError
from highwater.harness.model import Scenario
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import More, ablations, expectation, merged, plays_on, scenario
from highwater.harness.versions.catalogue import every_kafka, find_kafka, rows
from highwater.harness.versions.numbers import in_range
from highwater.scenarios.catalogue import find_scenario, scenarios

EACH = pytest.mark.parametrize("each", scenarios(), ids=lambda each: each.name)


@scenario(source="KIP-0", claims=("lost-write",), reproduces="<0.11", restored_by=("ibp=0.11.0",))
def loses_a_record(play: Play, partition: Partition) -> None:
    """A record is lost.

    And this is how.
    """


@scenario(source="KIP-0", claims=("duplicate",), replicas=2)
def holds_everywhere(play: Play, partition: Partition) -> None:
    """Nothing happens."""


def test_a_scenario_is_named_after_its_function_and_keeps_its_story() -> None:
    assert loses_a_record.name == "loses-a-record"
    assert loses_a_record.story == "A record is lost.\n\nAnd this is how."
    assert (holds_everywhere.replicas, loses_a_record.replicas) == (2, 3)


def test_every_field_of_a_scenario_can_be_given_and_no_other() -> None:
    by_the_function = {"name", "story", "play"}
    asked = {"source", "claims", "reproduces"}

    assert {each.name for each in fields(Scenario)} - by_the_function - asked == set(
        More.__annotations__
    )


def test_a_scenario_without_a_story_is_refused() -> None:
    def silent(play: Play, partition: Partition) -> None:
        pass

    with pytest.raises(UsageError, match="silent has no docstring"):
        scenario(source="KIP-0", claims=("lost-write",))(silent)


@pytest.mark.parametrize(
    ("kafka", "control", "expected"),
    [
        ("0.10.2.2", None, "reproduced"),
        ("0.11.0.3", None, "clean"),
        ("3.9.1-zk", "ibp=0.11.0", "reproduced"),
        ("3.9.1-zk", "ibp=2.8", "clean"),
    ],
)
def test_a_failure_is_expected_in_its_range_and_where_a_control_brings_it_back(
    kafka: str, control: str | None, expected: str
) -> None:
    assert expectation(loses_a_record, find_kafka(kafka), control) == expected


def test_a_scenario_without_a_range_is_expected_to_be_clean_everywhere() -> None:
    assert {expectation(holds_everywhere, kafka, None) for kafka in every_kafka()} == {"clean"}


@scenario(
    source="KIP-0",
    claims=("lost-write",),
    reproduces=">=0.10",
    not_reproducible_on="kraft<3.9",
    modes=("zookeeper", "kraft>=3.5"),
)
def elects_uncleanly(play: Play, partition: Partition) -> None:
    """Not by a controller that does not know the setting."""


@pytest.mark.parametrize(
    ("kafka", "expected"),
    [("3.3.2-zk", "reproduced"), ("3.7.2", "clean"), ("3.9.1", "reproduced")],
)
def test_a_failure_is_not_expected_where_it_cannot_happen(kafka: str, expected: str) -> None:
    assert expectation(elects_uncleanly, find_kafka(kafka), None) == expected


@scenario(
    source="KIP-0",
    claims=("lost-write",),
    plays_on=">=4.0",
    modes=("kraft",),
    restored_by=("elr=on",),
    not_reproducible_on="kraft>=4.1",
)
def elects_the_dead(play: Play, partition: Partition) -> None:
    """With something that is off by default as long as it fails."""


@pytest.mark.parametrize(
    ("kafka", "control", "expected"),
    [
        ("4.0.1", None, "clean"),
        ("4.0.1", "elr=on", "reproduced"),
        ("4.1.1", "elr=on", "clean"),
    ],
)
def test_no_control_brings_a_failure_back_where_it_cannot_happen(
    kafka: str, control: str | None, expected: str
) -> None:
    assert expectation(elects_the_dead, find_kafka(kafka), control) == expected


@pytest.mark.parametrize(
    ("kafka", "played"), [("3.3.2-zk", True), ("3.3.2", False), ("3.5.2", True)]
)
def test_a_mode_may_be_played_from_a_version_on(kafka: str, played: bool) -> None:
    assert plays_on(elects_uncleanly, find_kafka(kafka)) == played


def test_later_settings_win() -> None:
    assert merged({"a": "1", "b": "1"}, {}, {"b": "2"}) == {"a": "1", "b": "2"}


def test_a_control_lowers_the_protocol_and_the_message_format() -> None:
    assert find_control("ibp=0.11.0-IV1").settings == {
        "inter.broker.protocol.version": "0.11.0-IV1",
        "log.message.format.version": "0.11.0-IV1",
    }
    assert not find_control(None).settings


@pytest.mark.parametrize(
    "control", ["ibp", "ibp=", "ibp=old", "ibp=3", "acks=1", "", "ibp=0.11.0-IV1 "]
)
def test_a_control_that_nobody_knows_is_refused_with_an_example(control: str) -> None:
    with pytest.raises(UsageError, match=r"expected one such as ibp=0\.11\.0-IV1"):
        find_control(control)


@pytest.mark.parametrize(
    ("kafka", "can"),
    [("0.10.2.2", False), ("0.11.0.3", True), ("3.9.1-zk", True), ("3.9.1", False)],
)
def test_a_control_applies_to_what_is_no_older_and_has_zookeeper(kafka: str, can: bool) -> None:
    assert find_control("ibp=0.11.0-IV1").applies(find_kafka(kafka)) is can


@EACH
def test_each_scenario_of_the_catalogue_can_be_found_and_names_what_exists(each: Scenario) -> None:
    known = {claim.name for claim in claims()}

    assert find_scenario(each.name) is each
    assert each.claims
    assert {*each.claims, *each.tolerates} <= known
    assert not set(each.claims) & set(each.tolerates)
    assert all(each.tolerates.values())
    assert {*each.tolerated_on} <= {*each.tolerates}
    assert not (each.tolerated_on and each.upgrades_to), "it is of the release where it begins"
    for bounds in each.tolerated_on.values():
        assert any(in_range(row.version, bounds) for row in rows())


@EACH
def test_each_scenario_can_be_shown_on_a_version_and_by_its_controls(
    each: Scenario,
) -> None:
    for control in (*each.restored_by, *each.cured_by, *ablations(each)):
        assert find_control(control)
    shown_on = [row.version for row in rows() if in_range(row.version, each.reproduces)]
    assert bool(shown_on) == bool(each.reproduces)


@EACH
def test_the_first_line_of_a_story_is_a_title_and_is_whole(each: Scenario) -> None:
    assert each.story.splitlines()[0].endswith((".", "?"))


def test_a_mistyped_scenario_is_answered_with_the_nearest() -> None:
    first = scenarios()[0].name

    with pytest.raises(UsageError, match=f"nearest are .*{first}"):
        find_scenario(first[:-1])


@pytest.mark.parametrize("name", ["@@@", "", " "])
def test_a_scenario_like_none_is_answered_with_how_to_list_them(name: str) -> None:
    with pytest.raises(UsageError) as refused:
        find_scenario(name)

    assert str(refused.value) == (
        f"no scenario {name!r}, and none is called like it; all of them: highwater list scenarios"
    )
