"""A server.properties is read as Java reads it, and sorted into what is played and what is not."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from highwater.acceptance import Question, questions
from highwater.backends import Backend
from highwater.configuration import UNCLEAN, Configuration, configuration, mode_of
from highwater.harness.errors import UsageError
from highwater.harness.versions.catalogue import Kafka, find_kafka
from highwater.properties import read_properties
from highwater.scenarios.catalogue import scenarios

ELR_OFF = "eligible.leader.replicas.version=0"
PROTOCOL, FORMAT = "inter.broker.protocol.version", "log.message.format.version"
SWITCHED = {"forgotten-while-away", "isr-of-one", "unclean-election", "all-replicas-down"}
OF_KRAFT = SWITCHED | {"lone-replica"}


def written(directory: Path, text: str) -> Path:
    path = directory / "server.properties"
    path.write_text(text)
    return path


def asked(path: Path, version: str, *levels: str) -> dict[str, tuple[str, str]]:
    kafka = find_kafka(version)
    found = questions(configuration(path, kafka, levels), kafka, scenarios(), Backend())
    return {each.scenario.name: (each.setting, each.value) for each in found}


def about(scenario: str, configured: Configuration, kafka: Kafka) -> Question:
    found = questions(configured, kafka, scenarios(), Backend())
    (mine,) = [each for each in found if each.scenario.name == scenario]
    return mine


def test_a_file_is_read_as_java_reads_it(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        "# no\n! no\\\na=1\n  b : 2 \nc 3\nd\ne = x\\\n   y\nf\\:g=\\u0041\\tz\na=4\nh==i\\\\\n",
    )

    assert read_properties(path) == {
        "a": "4", "b": "2", "c": "3", "d": "", "e": "xy", "f:g": "A\tz", "h": "=i\\",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("# nothing\n", "says nothing"),
        ("a=\\u12\n", "four hexadecimal digits"),
        ("min.insync.replicas=two\n", "expected a number from 1 on"),
        ("offsets.retention.minutes=0\n", "expected minutes"),
        ("min.insync.replicas=" + "0" * 5_000 + "1\n", "expected a number from 1 on"),
        ("offsets.retention.minutes=2147483648\n", "expected at most 2147483647"),
        ("unclean.leader.election.enable=yes\n", "expected true or false"),
    ],
)
def test_what_kafka_would_not_take_is_refused_before_anything_starts(
    tmp_path: Path, text: str, said: str
) -> None:
    with pytest.raises(UsageError, match=said):
        configuration(written(tmp_path, text), find_kafka("4.1.1"))


def test_a_file_that_is_not_there_or_is_none_is_refused(tmp_path: Path) -> None:
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")

    for path in (tmp_path / "none", tmp_path / "binary", tmp_path):
        with pytest.raises(UsageError, match="expected a properties file at"):
            read_properties(path)


def test_a_file_that_java_wrote_is_read_and_one_that_can_be_read_once_is_refused(
    tmp_path: Path,
) -> None:
    path = tmp_path / "latin-1"
    path.write_bytes(b"# Gr\xf6\xdfe\nunclean.leader.election.enable = TRUE\n")
    os.mkfifo(tmp_path / "pipe")

    assert configuration(path, find_kafka("4.1.1")).settings[UNCLEAN] == "true"
    with pytest.raises(UsageError, match="that is no file"):
        read_properties(tmp_path / "pipe")


def test_a_byte_order_mark_hides_no_setting(tmp_path: Path) -> None:
    """Brokers and clients do not know the first name then, and go on with its default."""
    (tmp_path / "marked").write_bytes(b"\xef\xbb\xbfsecurity.protocol=SASL_SSL\na=b\n")

    with pytest.raises(UsageError, match="begins with a byte order mark"):
        read_properties(tmp_path / "marked")


def test_what_names_machines_is_set_aside_and_what_times_a_play_is_kept(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        "broker.id=3\nadvertised.listeners=PLAINTEXT://h:9092\nlog.dirs=/d\nssl.keystore.location=k\n"
        "authorizer.class.name=a.B\nsasl.enabled.mechanisms=PLAIN\nmessage.max.bytes=${file:/x:y}\n"
        "num.io.threads=8\nreplica.lag.time.max.ms=30000\nlog.retention.hours=2\n",
    )

    found = configuration(path, find_kafka("4.1.1"))

    assert found.settings == {
        "unclean.leader.election.enable": "false",
        "min.insync.replicas": "1",
        "default.replication.factor": "1",
        "log.retention.hours": "2",
        "offsets.retention.minutes": "10080",
    }
    first, second = found.notices()
    assert "advertised.listeners, authorizer.class.name, broker.id, log.dirs, mess" in first
    assert second.endswith("num.io.threads, replica.lag.time.max.ms")


def test_settings_that_are_not_in_the_file_have_the_defaults_of_the_release(tmp_path: Path) -> None:
    path = written(tmp_path, "log.retention.hours=2\n")

    old, new = (configuration(path, find_kafka(each)).settings for each in ("0.10.2.2", "0.11.0.0"))

    assert old["unclean.leader.election.enable"] == "true"
    assert new["unclean.leader.election.enable"] == "false"
    assert old["offsets.retention.minutes"] == new["offsets.retention.minutes"] == "1440"


def test_the_file_says_where_the_metadata_are(tmp_path: Path) -> None:
    zookeeper = written(tmp_path, "zookeeper.connect=z:2181\n")

    assert mode_of(find_kafka("3.9.1"), zookeeper).name == "3.9.1-zk"
    with pytest.raises(UsageError, match=r"is for zookeeper, which Kafka 4\.1\.1 does not have"):
        mode_of(find_kafka("4.1.1"), zookeeper)
    assert mode_of(find_kafka("3.9.1-zk"), written(tmp_path, "a=1\n")).name == "3.9.1-zk"
    with pytest.raises(UsageError, match=r"is for kraft, and Kafka 3\.9\.1-zk was named"):
        mode_of(find_kafka("3.9.1-zk"), written(tmp_path, "process.roles=broker\n"))


def test_each_scenario_that_a_setting_decides_is_asked_about_and_no_other(tmp_path: Path) -> None:
    plain = written(tmp_path, "log.retention.hours=2\n")

    assert {*asked(plain, "4.1.1")} == OF_KRAFT | {"kip966-last-replica-standing"}
    assert {*asked(plain, "3.9.1")} == OF_KRAFT
    assert {*asked(plain, "3.9.1-zk")} == SWITCHED
    assert {*asked(plain, "2.7.2")} == SWITCHED
    assert asked(plain, "2.8.0")["kafka13141-diverging-fetch"][0] == "inter.broker.protocol.version"
    assert asked(plain, "4.1.1", ELR_OFF)["kip966-last-replica-standing"][1] == "0"


def test_what_a_switch_brings_back_is_asked_about_where_the_file_has_the_switch(
    tmp_path: Path,
) -> None:
    unverified = written(tmp_path, "transaction.partition.verification.enable=false\n")
    assert "kip890-hanging-transaction" in asked(unverified, "3.9.1")

    old = written(tmp_path, "inter.broker.protocol.version=0.11.0-IV1\n")
    assert "kip101-loss-strict" in asked(old, "1.1.1")
    assert "kip101-loss-strict" not in asked(old, "0.10.2.2")  # it loses whatever is set


def test_a_question_leaves_the_rest_of_its_scenario_as_it_is(tmp_path: Path) -> None:
    kafka = find_kafka("4.1.1")
    path = written(tmp_path, "min.insync.replicas=3\nlog.flush.interval.messages=1\n")
    found = {
        each.scenario.name: each
        for each in questions(configuration(path, kafka), kafka, scenarios(), Backend())
    }

    alone, unclean = found["isr-of-one"], found["unclean-election"]
    assert alone.cell.spec.settings["min.insync.replicas"] == "2"
    assert "min.insync.replicas=3 refuses more still than 2" in alone.remark
    assert "flushed" in alone.remark
    assert alone.cell.control == "without=CutTail"
    assert alone.cell.topic_settings == {}
    assert unclean.cell.topic_settings == {"min.insync.replicas": "2"}
    assert unclean.cell.spec.settings["unclean.leader.election.enable"] == "false"
    assert unclean.cell.expected == "clean"


def test_how_long_positions_are_kept_is_as_the_file_has_it_and_not_as_the_scenario(
    tmp_path: Path,
) -> None:
    kafka = find_kafka("4.1.1")
    path = written(tmp_path, "offsets.retention.minutes=2880\n")
    found = about("forgotten-while-away", configuration(path, kafka), kafka)

    kept = "offsets.retention.minutes"
    assert (found.setting, found.value, found.change) == (kept, "2880", f"{kept}=10080")
    assert found.cell.spec.settings[kept] == "2880"
    assert found.changed.spec.settings[kept] == "10080"
    assert found.cell.spec.settings["offsets.retention.check.interval.ms"] == "500"
    with pytest.raises(UsageError, match=r"offsets\.retention\.minutes is 'a week'"):
        configuration(written(tmp_path, f"{kept}=a week\n"), kafka)


@pytest.mark.parametrize(
    ("text", "value", "played", "remark"),
    [
        ("a=1\n", "1", "1", ""),
        ("default.replication.factor=2\n", "2", "2", ""),
        (
            "default.replication.factor=5\n",
            "5",
            "3",
            "default.replication.factor=5 keeps more still than 3, which was played with 3",
        ),
    ],
)
def test_how_many_replicas_brokers_give_is_as_the_file_or_the_release_has_it(
    tmp_path: Path, text: str, value: str, played: str, remark: str
) -> None:
    kafka = find_kafka("4.1.1")
    configured = configuration(written(tmp_path, text), kafka)
    found = about("lone-replica", configured, kafka)

    factor = "default.replication.factor"
    assert (found.setting, found.value, found.change) == (factor, value, f"{factor}=3")
    assert found.cell.spec.settings[factor] == played
    assert found.changed.spec.settings[factor] == "3"
    assert found.remark == remark + " replicas" * bool(remark)
    assert factor not in configured.kept


@pytest.mark.parametrize(
    ("text", "setting", "change"),
    [
        (f"{FORMAT}=0.10.2\n", FORMAT, f"{FORMAT}=1.1"),
        (f"{PROTOCOL}=0.10.2\n", PROTOCOL, f"{PROTOCOL}=1.1"),
        (
            f"{FORMAT}=0.10.2\n{PROTOCOL}=0.10.2\n",
            PROTOCOL,
            f"{PROTOCOL}=1.1, {FORMAT}=1.1",
        ),
    ],
)
def test_what_is_to_be_changed_is_what_the_file_has(
    tmp_path: Path, text: str, setting: str, change: str
) -> None:
    kafka = find_kafka("1.1.1")
    configured = configuration(written(tmp_path, text), kafka)
    found = about("kip101-loss-strict", configured, kafka)

    assert (found.setting, found.value, found.change) == (setting, "0.10.2", change)


@pytest.mark.parametrize("level", ["metadata.version=3", "eligible.leader.replicas.version=2", "x"])
def test_levels_of_other_features_are_refused(tmp_path: Path, level: str) -> None:
    with pytest.raises(UsageError, match="--feature"):
        configuration(written(tmp_path, "a=1\n"), find_kafka("4.1.1"), [level])


def test_two_levels_of_one_feature_are_refused(tmp_path: Path) -> None:
    other = ELR_OFF.replace("=0", "=1")

    with pytest.raises(UsageError, match="it is also said to be 0"):
        configuration(written(tmp_path, "a=1\n"), find_kafka("4.1.1"), [ELR_OFF, other])
    twice = configuration(written(tmp_path, "a=1\n"), find_kafka("4.1.1"), [ELR_OFF, ELR_OFF])
    assert [*twice.features.values()] == ["0"]


def test_a_release_without_the_feature_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="has no such feature"):
        configuration(written(tmp_path, "a=1\n"), find_kafka("3.9.1"), [ELR_OFF])


@pytest.mark.parametrize(
    ("told", "played"),
    [("010080", "10080"), ("+2880", "2880"), ("2147483647", "2147483647")],
)
def test_a_number_is_taken_as_java_takes_it(tmp_path: Path, told: str, played: str) -> None:
    path = written(tmp_path, f"offsets.retention.minutes={told}\nmin.insync.replicas=02\n")

    settings = configuration(path, find_kafka("4.1.1")).settings

    assert settings["offsets.retention.minutes"] == played
    assert settings["min.insync.replicas"] == "2"


@pytest.mark.parametrize("name", ["default.replication.factor", "min.insync.replicas"])
def test_of_a_value_that_is_set_aside_it_is_said_that_the_default_is_played(
    tmp_path: Path, name: str
) -> None:
    kafka, path = find_kafka("4.1.1"), written(tmp_path, f"{name}=${{env:HOW_MANY}}\n")
    found = questions(configuration(path, kafka), kafka, scenarios(), Backend())

    (mine,) = [each for each in found if each.setting == name]

    assert mine.value == "1"
    assert mine.origin.startswith("what server.properties says of it is set aside; the default of")
