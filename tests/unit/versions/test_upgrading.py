"""Which release may follow on which, and at what level brokers then speak."""

from __future__ import annotations

import pytest

from highwater.harness.errors import UsageError
from highwater.harness.versions.catalogue import Kafka, find_kafka
from highwater.harness.versions.upgrading import (
    FORMAT,
    PROTOCOL,
    STEPS,
    Level,
    first_level,
    require_migrates,
    require_stage,
    require_step,
    successor,
)

OLD, FIXED = find_kafka("0.10.2.2"), find_kafka("0.11.0.3")
LATER, ZOOKEEPER, KRAFT = find_kafka("2.8.2"), find_kafka("3.9.1-zk"), find_kafka("3.9.1")


def test_new_binaries_speak_and_write_as_the_old_ones_until_each_step_is_taken() -> None:
    level = first_level(OLD, {})

    taken = [level := level.raised(FIXED, step) for step in STEPS]

    assert [each.settings(FIXED) for each in taken] == [
        {PROTOCOL: "0.10.2", FORMAT: "0.10.2"},
        {PROTOCOL: "0.11.0", FORMAT: "0.10.2"},
        {PROTOCOL: "0.11.0", FORMAT: "0.11.0"},
    ]


def test_from_0_11_on_only_the_protocol_is_held_back() -> None:
    level = first_level(LATER, {})

    assert level.settings(ZOOKEEPER) == {PROTOCOL: "2.8"}
    assert level.raised(ZOOKEEPER, "protocol").settings(ZOOKEEPER) == {PROTOCOL: "3.9"}
    assert level.raised(ZOOKEEPER, "format") == level


def test_what_a_cluster_was_set_to_before_is_what_is_kept() -> None:
    level = first_level(FIXED, {PROTOCOL: "0.11.0-IV1", FORMAT: "0.10.0"})

    assert level.settings(FIXED) == {PROTOCOL: "0.11.0-IV1", FORMAT: "0.10.0"}


def test_in_kraft_no_broker_has_such_a_setting() -> None:
    assert first_level(KRAFT, {}).settings(find_kafka("4.1.1")) == {}


def test_a_broker_keeps_its_metadata_where_they_are() -> None:
    level = first_level(LATER, {})

    assert successor(LATER, level, "3.9.1").name == "3.9.1-zk"
    assert successor(KRAFT, first_level(KRAFT, {}), "4.1.1").name == "4.1.1"


@pytest.mark.parametrize("name", ["4.1.1", "3.9.1-kraft"])
def test_zookeeper_to_kraft_is_no_single_step(name: str) -> None:
    with pytest.raises(UsageError, match=r"migration \(KIP-866\)"):
        successor(LATER, first_level(LATER, {}), name)


def test_there_is_no_way_back_to_zookeeper() -> None:
    with pytest.raises(UsageError, match="no way back"):
        successor(KRAFT, first_level(KRAFT, {}), "3.9.1-zk")


def test_a_downgrade_is_possible_before_the_protocol_is_raised_and_not_after() -> None:
    before, after = Level("0.10.2", "0.10.2"), Level("0.11.0", "0.10.2")

    assert successor(FIXED, before, "0.10.2.2") == OLD
    with pytest.raises(UsageError, match=r"its inter\.broker\.protocol\.version is 0\.11\.0"):
        successor(FIXED, after, "0.10.2.2")


def test_a_downgrade_below_the_message_format_is_refused() -> None:
    with pytest.raises(UsageError, match=r"its log\.message\.format\.version is 0\.11\.0"):
        successor(FIXED, Level("0.10.2", "0.11.0"), "0.10.2.2")


def test_a_downgrade_below_the_metadata_version_is_refused() -> None:
    newest = find_kafka("4.1.1")

    assert successor(newest, first_level(KRAFT, {}), "3.9.1") == KRAFT
    with pytest.raises(UsageError, match=r"metadata\.version is that of 4\.1"):
        successor(newest, first_level(newest, {}), "3.9.1")


@pytest.mark.parametrize("name", ["0.10.2", "nonsense", "", "9.9.9"])
def test_a_release_that_nobody_knows_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match="no Kafka"):
        successor(OLD, first_level(OLD, {}), name)


@pytest.mark.parametrize("name", [None, 3, ("3.9.1",)])
def test_what_is_no_name_is_refused(name: object) -> None:
    with pytest.raises(UsageError, match="expected a release"):
        successor(OLD, first_level(OLD, {}), name)


@pytest.mark.parametrize("step", ["all", "", None, 1])
def test_what_is_no_step_is_refused(step: object) -> None:
    with pytest.raises(UsageError, match="binaries, protocol, format"):
        require_step(step)


def test_brokers_that_know_both_may_leave_zookeeper_once_they_speak_as_they_are() -> None:
    require_migrates(ZOOKEEPER, Level("3.9", None))

    with pytest.raises(UsageError, match=r"inter\.broker\.protocol\.version=3\.9 .* saw 2\.8"):
        require_migrates(ZOOKEEPER, Level("2.8", None))


@pytest.mark.parametrize(
    ("kafka", "said"),
    [(KRAFT, "have no ZooKeeper to leave"), (LATER, "expected 3.6 to 3.9"), (OLD, "KIP-866")],
)
def test_who_cannot_leave_zookeeper_is_told_why(kafka: Kafka, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        require_migrates(kafka, first_level(kafka, {}))


@pytest.mark.parametrize("stage", ["", "kraft", None, 3])
def test_what_is_no_stage_of_a_migration_is_refused(stage: object) -> None:
    with pytest.raises(UsageError, match="copied, brokers, final"):
        require_stage(stage)
