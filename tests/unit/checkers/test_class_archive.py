"""What Spark's JVM has loaded is kept for the next one."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from highwater.checkers.class_archive import ClassArchive
from highwater.harness.jvm.java import Java

JAVA = Java("/java", 17, "a Java")
NOBODY = 1 << 30  # no process has this number


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ClassArchive:
    monkeypatch.setenv("HIGHWATER_CACHE", str(tmp_path / "cache"))
    return ClassArchive(JAVA, tmp_path / "spark")


def _written(options: tuple[str, ...]) -> Path:
    (option,) = (each for each in options if "ArchiveClassesAtExit" in each)
    return Path(option.partition("=")[2])


def test_the_first_jvm_writes_what_the_second_one_maps(made: ClassArchive) -> None:
    written = _written(made.options())
    written.write_bytes(b"classes")
    made.keep()

    shared = made.options()

    assert not written.exists()
    archive = next(Path(each.partition("=")[2]) for each in shared if "SharedArchiveFile" in each)
    assert archive.read_bytes() == b"classes"


def test_a_jvm_that_has_written_nothing_leaves_nothing(made: ClassArchive) -> None:
    written = _written(made.options())

    made.keep()

    assert list(written.parent.iterdir()) == []


def test_what_a_dead_harness_has_left_is_swept_and_what_a_living_one_writes_is_not(
    made: ClassArchive,
) -> None:
    mine = _written(made.options())
    dead = mine.with_name(mine.name.replace(str(os.getpid()), str(NOBODY)))
    alive = mine.with_name(mine.name.replace(str(os.getpid()), str(os.getppid())))
    for path in (dead, alive):
        path.write_bytes(b"half")

    made.options()

    assert (dead.exists(), alive.exists()) == (False, True)


def test_where_nothing_can_be_kept_spark_starts_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("no directory")
    monkeypatch.setenv("HIGHWATER_CACHE", str(tmp_path / "file"))

    assert ClassArchive(JAVA, tmp_path).options() == ()
