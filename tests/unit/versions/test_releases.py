"""What a repository has and the catalogue has not is found, locked, and told where it cannot be."""

from __future__ import annotations

import functools
import io
import tomllib
import zipfile
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest
from tests.serving import serve

from highwater.adopting import kafka_named, kafkas_named
from highwater.harness.errors import InfrastructureError, UsageError
from highwater.harness.versions import releases
from highwater.harness.versions.catalogue import every_kafka, find_kafka, ladder_kafkas, rows
from highwater.harness.versions.jars import class_path, locked_jars

METADATA = "<metadata><versioning><versions>{}</versions></versioning></metadata>"
POM = (
    "<project><modelVersion>4.0.0</modelVersion><groupId>{}</groupId><artifactId>{}</artifactId>"
    "<version>{}</version></project>"
)
LOGGING = ("org.apache.logging.log4j", "log4j-slf4j-impl", "2.24.3")  # of the newest recipe
NEW = "9.9.9"


class Repository:
    """A Maven repository with a few Kafkas."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.put(*LOGGING)
        self.tell("2.11", "0.9.0.1", "0.10.0.0", "2.4.0")
        self.tell("2.13", "2.4.0", "4.1.1", "9.9.8-rc1", NEW)
        self.put("org.apache.kafka", "kafka_2.13", NEW)

    def tell(self, scala: str, *versions: str) -> None:
        """Which Kafkas there are for a Scala."""
        folder = self.root / "org" / "apache" / "kafka" / f"kafka_{scala}"
        folder.mkdir(parents=True, exist_ok=True)
        named = "".join(f"<version>{each}</version>" for each in versions)
        (folder / "maven-metadata.xml").write_text(METADATA.format(named))

    def put(self, group: str, artifact: str, version: str) -> None:
        folder = self.root.joinpath(*group.split("."), artifact, version)
        folder.mkdir(parents=True)
        (folder / f"{artifact}-{version}.pom").write_text(POM.format(group, artifact, version))
        content = io.BytesIO()
        with zipfile.ZipFile(content, "w") as jar:
            jar.writestr(zipfile.ZipInfo("a", (2031, 2, 3, 4, 5, 6)), artifact)
            jar.writestr(zipfile.ZipInfo("b", (2031, 2, 1, 0, 0, 0)), artifact)
        (folder / f"{artifact}-{version}.jar").write_bytes(content.getvalue())


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Repository]:
    root = tmp_path / "repository"
    root.mkdir()
    with serve(root) as address:
        monkeypatch.setenv("HIGHWATER_MAVEN_MIRROR", address)
        yield Repository(root)


@pytest.fixture
def catalogue(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the catalogue, and a place for locks, that a test may change."""
    copy = tmp_path / "catalogue.toml"
    copy.write_text(releases.CATALOGUE.read_text())
    monkeypatch.setattr(releases, "CATALOGUE", copy)
    monkeypatch.setattr(releases, "LOCKS", tmp_path / "locks")
    return copy


@pytest.mark.usefixtures("repository", "cache")
def test_what_the_repository_has_is_released_of_our_scala_and_not_too_old(tmp_path: Path) -> None:
    assert releases.published(tmp_path) == ["0.10.0.0", "2.4.0", "4.1.1", NEW]
    assert releases.missing(tmp_path) == [NEW]


@pytest.mark.usefixtures("repository", "cache")
def test_a_release_that_is_missing_gets_a_lock_and_a_line_in_its_place(
    catalogue: Path, tmp_path: Path
) -> None:
    before = tomllib.loads(catalogue.read_text())

    told = list(releases.add([NEW], tmp_path / "staging"))

    after = tomllib.loads(catalogue.read_text())
    assert told == [f"{NEW}, built on 2031-02-03: 2 jars locked"]
    assert after["recipe"] == before["recipe"]
    assert after["releases"] == {**before["releases"], NEW: {"built": date(2031, 2, 3)}}
    assert list(after["releases"])[-1] == NEW
    assert len((tmp_path / "locks" / f"{NEW}.lock").read_text().splitlines()) == 3


@pytest.mark.usefixtures("cache")
def test_a_release_whose_jars_are_not_there_is_told_and_the_next_one_is_added(
    repository: Repository, catalogue: Path, tmp_path: Path
) -> None:
    repository.tell("2.13", "9.9.7", NEW)

    told = list(releases.add(["9.9.7", NEW], tmp_path / "staging"))

    assert told[0].startswith("9.9.7 NOT added: Kafka 9.9.7 cannot be locked")
    assert told[1].startswith(f"{NEW}, built on")
    assert "9.9.7" not in catalogue.read_text()


def test_the_catalogue_is_written_as_the_command_writes_it(catalogue: Path) -> None:
    before = catalogue.read_text()

    releases._write_line(rows()[-1].version, rows()[-1].built or date.min)

    assert catalogue.read_text() == before


@pytest.mark.usefixtures("repository")
def test_a_kafka_that_only_the_repository_has_is_locked_on_first_use_with_a_notice(
    cache: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first, again = kafka_named(NEW), kafka_named(f"{NEW}-kraft")

    notice = capsys.readouterr().err
    assert first == again == find_kafka(NEW)
    assert (first.mode, first.row.built) == ("kraft", date(2031, 2, 3))
    assert notice.count("is not in the catalogue. Its jars were taken as the repository") == 1
    assert str(cache / "locks" / f"{NEW}.lock") in notice
    assert [path.name for path in class_path(first, offline=True)] == [
        "kafka_2.13-9.9.9.jar",
        "log4j-slf4j-impl-2.24.3.jar",
    ]
    assert len(locked_jars(NEW)) == 2


@pytest.mark.usefixtures("repository", "cache")
def test_a_kafka_that_nobody_has_is_refused_with_the_nearest_of_the_catalogue() -> None:
    with pytest.raises(UsageError, match=r"nearest are .*; the repository has no Kafka 9\.9\.1"):
        kafka_named("9.9.1")


@pytest.mark.usefixtures("cache")
def test_where_no_repository_answers_the_refusal_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HIGHWATER_MAVEN_MIRROR", "http://127.0.0.1:9")

    with pytest.raises(UsageError, match=r"nearest are .*; the repository does not say"):
        kafka_named("9.9.1")


@pytest.mark.usefixtures("cache")
@pytest.mark.parametrize("name", ["0.10.2", "4.1", "9.9.9-rc1", "trunk", "4.1.1-zk", "3.9.l"])
def test_a_name_that_no_release_can_have_is_looked_up_nowhere(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(releases, "adopt", lambda _version: pytest.fail("looked up"))

    with pytest.raises(UsageError, match="in the catalogue"):
        kafka_named(name)


@pytest.mark.usefixtures("cache")
def test_offline_nothing_is_looked_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(releases, "adopt", lambda _version: pytest.fail("looked up"))

    with pytest.raises(UsageError, match="nearest are"):
        kafka_named(NEW, offline=True)


@pytest.mark.usefixtures("repository", "cache")
def test_a_release_older_than_every_recipe_is_refused() -> None:
    with pytest.raises(UsageError, match=r"no recipe .* Kafka 0\.9\.0\.1: it is too old"):
        kafka_named("0.9.0.1")


def test_the_repository_that_says_nothing_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serve(tmp_path) as address:
        monkeypatch.setenv("HIGHWATER_MAVEN_MIRROR", address)

        with pytest.raises(InfrastructureError, match="HIGHWATER_MAVEN_MIRROR"):
            releases.published(tmp_path / "staging")


def test_all_and_ladder_name_many_and_each_kafka_comes_once() -> None:
    ladder = kafkas_named(["0.10.0.1", "ladder", "4.1.1"])

    assert kafkas_named(["all"]) == every_kafka()
    assert ladder == ladder_kafkas()
    assert len({kafka.version for kafka in ladder}) < len(rows())


def test_the_catalogue_is_in_the_order_of_versions_and_says_when_each_was_built() -> None:
    versions = [row.version for row in rows()]

    assert versions == sorted(versions, key=functools.cmp_to_key(_compared))
    assert all(row.built and row.built.year >= 2016 for row in rows())


def _compared(one: str, other: str) -> int:
    left, right = ([int(part) for part in each.split(".")] for each in (one, other))
    return (left > right) - (left < right)
