"""Jars come from a mirror, are verified, and stay whole whatever happens."""

from __future__ import annotations

import dataclasses
import socket
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from highwater.harness.errors import InfrastructureError
from highwater.harness.versions.cache import cache_dir
from highwater.harness.versions.catalogue import find_kafka, unpacked_kafka
from highwater.harness.versions.jars import (
    LockedJar,
    cached_path,
    class_path,
    locked_jars,
)

KAFKA = find_kafka("3.9.1")

Publish = Callable[[str], LockedJar]
Lock = Callable[[list[LockedJar]], None]

FETCH = """
import sys
from highwater.harness.versions import jars
from highwater.harness.versions.catalogue import find_kafka
fields = [line.split() for line in sys.argv[1:]]
jars.locked_jars = lambda _version: [jars.LockedJar(a, int(b), c) for a, b, c in fields]
print(len(jars.class_path(find_kafka("3.9.1"))))
"""


def test_jars_are_downloaded_once_and_then_taken_from_the_cache(
    publish: Publish, lock: Lock, cache: Path
) -> None:
    locked = [publish("b"), publish("a")]
    lock(locked)
    told: list[tuple[str, int]] = []

    first = class_path(KAFKA, progress=lambda name, size: told.append((name, size)))
    again = class_path(KAFKA, offline=True, progress=lambda name, size: told.append((name, size)))

    assert [path.name for path in first] == ["a-1.0.jar", "b-1.0.jar"]
    assert again == first
    assert [path.read_bytes() for path in first] == [b"a" * 1000, b"b" * 1000]
    assert sorted(told) == [("a-1.0.jar", 1000), ("b-1.0.jar", 1000)]
    assert [each.name for each in cache.iterdir()] == ["jars"]


def test_offline_with_an_empty_cache_names_the_command_that_fetches(cache: Path) -> None:
    with pytest.raises(InfrastructureError) as refused:
        class_path(KAFKA, offline=True)

    assert "highwater fetch 3.9.1" in str(refused.value)
    assert f"{len(locked_jars('3.9.1'))} of the {len(locked_jars('3.9.1'))}" in str(refused.value)
    assert not cache.exists()


def test_a_jar_that_is_not_the_locked_one_is_refused_and_not_kept(
    publish: Publish, lock: Lock, cache: Path
) -> None:
    good, forged = publish("good"), dataclasses.replace(publish("forged"), sha256="0" * 64)
    lock([good, forged])

    with pytest.raises(InfrastructureError, match=r"checksum mismatch for org\.example:forged"):
        class_path(KAFKA)

    assert not list(cache.rglob("forged*"))
    assert not list(cache.glob(".fetch-*"))


def test_a_cached_jar_that_a_crash_has_emptied_is_fetched_again(
    publish: Publish, lock: Lock, cache: Path
) -> None:
    jar = publish("a")
    lock([jar])
    class_path(KAFKA)
    cached_path(jar).write_bytes(b"")

    (path,) = class_path(KAFKA)

    assert path.read_bytes() == b"a" * 1000


def test_threads_that_fetch_the_same_jars_do_each_other_no_harm(
    publish: Publish, lock: Lock, cache: Path, meet: Callable[[int], None]
) -> None:
    lock([publish("a")])
    meet(4)

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: class_path(KAFKA), range(4)))

    assert found == [found[0]] * 4
    assert [path.read_bytes() for path in found[0]] == [b"a" * 1000]
    assert [each.name for each in cache.iterdir()] == ["jars"]


def test_processes_that_fetch_the_same_jars_do_each_other_no_harm(
    publish: Publish, lock: Lock, cache: Path, meet: Callable[[int], None]
) -> None:
    jar = publish("a")
    lock([jar])
    meet(2)

    other = subprocess.Popen(
        [sys.executable, "-c", FETCH, f"{jar.sha256} {jar.size_bytes} {jar.coordinate}"],
        stdout=subprocess.PIPE,
    )
    (path,) = class_path(KAFKA)

    assert other.communicate()[0] == b"1\n"
    assert path.read_bytes() == b"a" * 1000
    assert [each.name for each in cache.iterdir()] == ["jars"]


def test_without_a_network_one_message_says_what_to_do(
    lock: Lock, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))  # and never listens
        monkeypatch.setenv("HIGHWATER_MAVEN_MIRROR", f"http://127.0.0.1:{closed.getsockname()[1]}")
        lock([LockedJar("0" * 64, 1, "org.example:a:1.0")])

        with pytest.raises(InfrastructureError) as refused:
            class_path(KAFKA)

    assert "no network?" in str(refused.value)
    assert "HIGHWATER_MAVEN_MIRROR" in str(refused.value)
    assert "--kafka-dir" in str(refused.value)
    assert "Connection refused" in str(refused.value)


@pytest.mark.usefixtures("publish", "cache")
def test_a_jar_that_the_mirror_does_not_have_is_named(lock: Lock) -> None:
    lock([LockedJar("0" * 64, 1, "org.example:nowhere:1.0")])

    with pytest.raises(InfrastructureError, match=r"org\.example:nowhere:1\.0 is in no configured"):
        class_path(KAFKA)


def test_a_cache_that_cannot_be_written_is_named(publish: Publish, lock: Lock, cache: Path) -> None:
    lock([publish("a")])
    cache.write_text("a file where the directory should be")

    with pytest.raises(InfrastructureError, match=r"cannot write jars to .*cache"):
        class_path(KAFKA)


def test_a_cache_whose_folder_for_jars_cannot_be_written_is_named(
    publish: Publish, lock: Lock, cache: Path
) -> None:
    lock([publish("a")])
    cache.mkdir()
    (cache / "jars").write_text("a file where the directory should be")

    with pytest.raises(InfrastructureError, match=r"cannot write jars to .*cache"):
        class_path(KAFKA)

    assert not list(cache.glob(".fetch-*"))


def test_the_cache_is_absolute_because_brokers_run_elsewhere(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HIGHWATER_CACHE", "here")

    assert cache_dir() == tmp_path / "here"


def test_without_a_name_of_its_own_the_cache_is_the_users(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HIGHWATER_CACHE", raising=False)

    assert cache_dir().is_absolute()
    assert cache_dir().name == "highwater"


def test_an_unpacked_kafka_has_its_own_jars_and_needs_no_lock(tmp_path: Path, cache: Path) -> None:
    (tmp_path / "libs").mkdir()
    for name in ("kafka_2.13-9.9.9.jar", "zzz.jar", "README"):
        (tmp_path / "libs" / name).touch()

    paths = class_path(unpacked_kafka(tmp_path), offline=True)

    assert [path.name for path in paths] == ["kafka_2.13-9.9.9.jar", "zzz.jar"]
    assert not cache.exists()
    assert all(path.is_absolute() for path in paths)
