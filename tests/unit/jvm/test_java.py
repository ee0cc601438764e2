"""The Java that is found, and what is said when it is none."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from highwater.harness.errors import InfrastructureError
from highwater.harness.jvm.java import Java, find_java

SEVENTEEN = 'openjdk version "17.0.9" 2023-10-17'
Install = Callable[[str], Path]


@pytest.fixture(autouse=True)
def _forgotten() -> Iterator[None]:
    """What is found is kept for the whole process: not beyond these tests."""
    find_java.cache_clear()
    yield
    find_java.cache_clear()


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Makes JAVA_HOME a directory whose java is a script of this text."""

    def put(script: str) -> Path:
        java = tmp_path / "bin" / "java"
        java.parent.mkdir()
        java.write_text(script)
        java.chmod(0o755)
        monkeypatch.setenv("JAVA_HOME", str(tmp_path))
        return java

    return put


def saying(*lines: str) -> str:
    return "#!/bin/sh\n" + "".join(f"echo '{line}' >&2\n" for line in lines)


def test_the_java_of_java_home_is_taken(install: Install) -> None:
    java = install(saying(SEVENTEEN, "OpenJDK Runtime Environment"))

    assert find_java() == Java(str(java), 17, SEVENTEEN)


def test_what_java_says_of_its_options_is_not_taken_for_its_version(install: Install) -> None:
    java = install(saying("Picked up JAVA_TOOL_OPTIONS: -Dx=y", SEVENTEEN))

    assert find_java() == Java(str(java), 17, SEVENTEEN)


@pytest.mark.parametrize(
    ("said", "release"), [('openjdk version "11.0.2"', 11), ('java version "1.8.0_392"', 8)]
)
def test_an_old_java_is_refused_with_the_one_that_is_expected(
    install: Install, said: str, release: int
) -> None:
    java = install(saying(said))

    with pytest.raises(InfrastructureError) as refused:
        find_java()

    assert f"{java} is Java {release}; expected 17 or newer" in str(refused.value)


def test_a_java_home_that_leads_nowhere_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))

    with pytest.raises(InfrastructureError, match=f"{tmp_path}, which has no bin/java"):
        find_java()


def test_no_java_at_all_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(InfrastructureError, match="none is on PATH; install Java 17"):
        find_java()


def test_without_java_home_the_first_one_on_path_is_taken(
    install: Install, monkeypatch: pytest.MonkeyPatch
) -> None:
    java = install(saying(SEVENTEEN))
    monkeypatch.delenv("JAVA_HOME")
    monkeypatch.setenv("PATH", f"{java.parent}:/bin:/usr/bin")

    assert find_java().path == str(java)


def test_a_relative_java_home_is_kept_as_an_absolute_path(
    install: Install, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    java = install(saying(SEVENTEEN))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("JAVA_HOME", ".")

    assert find_java().path == str(java)


def test_a_java_that_tells_no_version_is_quoted(install: Install) -> None:
    install(saying("I am a teapot"))

    with pytest.raises(InfrastructureError, match="teapot"):
        find_java()


def test_a_java_that_cannot_be_run_is_named(install: Install) -> None:
    java = install("\x7fELF, but not really")

    with pytest.raises(InfrastructureError, match=f"{java} does not run: "):
        find_java()
