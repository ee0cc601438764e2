"""Which Kafkas can be named, and what is said of those that cannot."""

from __future__ import annotations

from pathlib import Path

import pytest

from highwater.harness.errors import UsageError
from highwater.harness.versions.catalogue import (
    Kafka,
    every_kafka,
    find_kafka,
    rows,
    unpacked_kafka,
)
from highwater.harness.versions.numbers import in_range, release_of


def unpack(folder: Path, jar: str) -> Path:
    (folder / "libs").mkdir()
    (folder / "libs" / jar).touch()
    return folder


@pytest.mark.parametrize("kafka", every_kafka(), ids=lambda kafka: kafka.name)
def test_every_kafka_is_found_by_its_name_and_by_its_name_with_the_mode(kafka: Kafka) -> None:
    assert find_kafka(kafka.name) == kafka
    assert find_kafka(f"{kafka.version}-{kafka.suffix}") == kafka


def test_a_version_alone_means_its_first_mode_and_the_other_one_has_a_suffix() -> None:
    first, other = find_kafka("3.9.1"), find_kafka("3.9.1-zk")

    assert (first.mode, first.name) == ("kraft", "3.9.1")
    assert (other.mode, other.name) == ("zookeeper", "3.9.1-zk")
    assert find_kafka("3.9.1-kraft").name == "3.9.1"


@pytest.mark.parametrize(
    ("typo", "meant"),
    [
        ("3.9.l", "3.9.1"),
        ("0.10.2", "0.10.2.2"),
        ("0.11.0.3-zkk", "0.11.0.3"),
        ("0.10.9", "0.10.2.2"),
        ("2.8.9", "2.8.2"),
        ("4.9", "4.4.0"),
    ],
)
def test_a_mistyped_version_is_answered_with_the_nearest_ones(typo: str, meant: str) -> None:
    with pytest.raises(UsageError) as refused:
        find_kafka(typo)

    nearest = str(refused.value).partition("nearest are ")[2].partition(" (")[0].split(", ")
    assert meant in nearest
    assert f"{typo!r}" in str(refused.value)


def test_a_mode_that_a_version_does_not_have_is_refused() -> None:
    with pytest.raises(UsageError, match=r"0\.10\.2\.2-kraft"):
        find_kafka("0.10.2.2-kraft")
    with pytest.raises(UsageError, match=r"4\.1\.1-zk"):
        find_kafka("4.1.1-zk")


@pytest.mark.parametrize("name", ["@@@", "nope", "", " ", "3", "3."])
def test_a_name_like_none_or_all_of_them_is_answered_with_how_to_list_them(name: str) -> None:
    with pytest.raises(UsageError) as refused:
        find_kafka(name)

    said = str(refused.value)
    assert said.startswith(f"no Kafka {name!r} in the catalogue")
    assert "highwater list versions" in said
    nearest = said.partition("nearest are ")[2].partition(" (")[0].split(", ")
    assert len(nearest) == (5 if name.startswith("3") else 1)


def test_no_version_has_two_rows() -> None:
    versions = [row.version for row in rows()]

    assert len(set(versions)) == len(versions)


@pytest.mark.parametrize(
    ("version", "wanted", "inside"),
    [
        ("0.10.2.2", "<0.11", True),
        ("0.11.0.3", "<0.11", False),
        ("2.0.1", "<=2.0", True),
        ("2.1.0", "<=2.0", False),
        ("2.0.1", ">2.0", False),
        ("2.0.1", "==2.0", True),
        ("1.1.1", ">=0.11,<2.0", True),
        ("1.1.1", ">=0.11, <1.1", False),
        ("10.0.0", ">9", True),
        ("3.9.1", "", False),
        ("3.9.0", "<3.9.1 or ==4.0.0", True),
        ("4.0.0", "<3.9.1 or ==4.0.0", True),
        ("4.0.1", "<3.9.1 or >=4.0,<4.0.1", False),
    ],
)
def test_a_range_compares_as_many_numbers_as_its_bound_names(
    version: str, wanted: str, inside: bool
) -> None:
    assert in_range(version, wanted) is inside


def test_what_is_no_bound_and_what_is_no_version_are_refused() -> None:
    with pytest.raises(UsageError, match=r"~0\.11"):
        in_range("1.1.1", "~0.11")
    for wrong in (">=0.10 or 4.0.0", "<1 or "):
        with pytest.raises(UsageError, match="is not a bound on versions"):
            in_range("1.1.1", wrong)
    with pytest.raises(UsageError, match="trunk"):
        release_of("trunk")


def test_facts_follow_from_the_version() -> None:
    oldest, middle, newest = (find_kafka(name) for name in ("0.10.2.2", "2.8.2", "4.1.1"))

    assert [kafka.metadata_version for kafka in (oldest, middle, newest)] == [1, 7, 7]
    assert [each.followers_answer_consumers for each in (oldest, middle, newest)] == [
        False,
        True,
        True,
    ]
    told = [find_kafka(name).java_validates_positions for name in ("2.1.1", "2.2.2", "2.3.1")]
    assert told == [False, False, True]


@pytest.mark.parametrize(
    ("kafka", "stays"),
    [
        ("2.5.1", False), ("2.6.3", True), ("3.4.0-zk", True), ("3.4.1-zk", False),
        ("3.4.0", False), ("4.4.0", False),
    ],
)  # fmt: skip
def test_what_a_move_began_stays_where_brokers_ignore_the_order_to_delete_it(
    kafka: str, stays: bool
) -> None:
    assert find_kafka(kafka).keeps_what_a_move_began is stays


def test_an_unpacked_kafka_is_known_by_its_jar(tmp_path: Path) -> None:
    kafka = unpacked_kafka(unpack(tmp_path, "kafka_2.13-3.9.1.jar"))

    assert (kafka.version, kafka.mode, kafka.row.scala) == ("3.9.1", "kraft", "2.13")
    assert kafka.name == f"3.9.1@{tmp_path.name}"
    assert unpacked_kafka(tmp_path, "zookeeper").name == f"3.9.1-zk@{tmp_path.name}"


@pytest.mark.parametrize(
    ("jar", "modes"),
    [
        ("kafka_2.11-0.10.2.2.jar", ("zookeeper",)),
        ("kafka_2.13-3.2.0.jar", ("zookeeper",)),
        ("kafka_2.13-4.2.0-SNAPSHOT.jar", ("kraft",)),
    ],
)
def test_the_modes_of_an_unpacked_kafka_follow_from_its_version(
    tmp_path: Path, jar: str, modes: tuple[str, ...]
) -> None:
    kafka = unpacked_kafka(unpack(tmp_path, jar))

    assert kafka.row.modes == modes


def test_an_unpacked_kafka_named_by_a_relative_path_is_kept_as_an_absolute_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    unpack(tmp_path, "kafka_2.13-3.9.1.jar")
    monkeypatch.chdir(tmp_path)

    kafka = unpacked_kafka(Path())

    assert kafka.unpacked == tmp_path


@pytest.mark.parametrize("jar", ["kafka-clients-3.9.1.jar", "kafka_2.13-3.9.1-sources.jar"])
def test_a_directory_without_the_kafka_jar_is_no_kafka(tmp_path: Path, jar: str) -> None:
    unpack(tmp_path, jar)

    with pytest.raises(UsageError, match="expected an unpacked Kafka distribution"):
        unpacked_kafka(tmp_path)


def test_an_unpacked_kafka_is_refused_a_mode_that_it_has_not(tmp_path: Path) -> None:
    unpack(tmp_path, "kafka_2.13-4.1.1.jar")

    with pytest.raises(UsageError, match="no zookeeper mode"):
        unpacked_kafka(tmp_path, "zookeeper")
