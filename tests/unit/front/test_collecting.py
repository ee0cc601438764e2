"""What pytest has collected is played as its markers say, or refused in words."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.pytest_runs import PATIENCE_S

PLANNED = "--setup-plan"  # no fixture is set up and no test runs
OF_PARAMETERS = """
import pytest

highwater = pytest.mark.highwater
TO_3 = pytest.param(2, marks=highwater(kafka=">=2.0,<4"))
TO_4 = pytest.param(3, marks=highwater(kafka=">=0.11"))
IMPOSSIBLE = {"min.insync.replicas": "3"}
POSSIBLE = {"min.insync.replicas": "2"}


@pytest.fixture(params=["a", pytest.param("b", marks=highwater(kafka="<4"))])
def rack(request):
    return request.param


def test_of_a_fixture(play, rack): ...


@pytest.mark.parametrize("size", [1, TO_3, TO_4])
@highwater(kafka="<0.11")
def test_of_sizes(play, size): ...


@pytest.mark.parametrize("size", [pytest.param(1, marks=highwater(topic=POSSIBLE))])
@highwater(topic=IMPOSSIBLE, replicas=2)
def test_mended(partition, size): ...
"""
REFUSED = """
import pytest

highwater = pytest.mark.highwater
OFTEN = pytest.param(1, marks=highwater(trials=5))


@pytest.mark.parametrize("size", [OFTEN, 2])
@highwater(kafka="<1")
def test_often(play, size): ...


@pytest.mark.parametrize("size", [pytest.param(1, marks=highwater(kafka="newest"))])
def test_of_no_range(play, size): ...


@highwater(claims=("lost-write",))
def test_unjudged(kafka_cluster): ...


@highwater(claims=("lost-write",))
class TestOfAClass:
    def test_of_the_cluster(self, kafka_cluster): ...

    def test_that_is_judged(self, play): ...


@highwater(trials=2, settings={"min.insync.replicas": "1"})
def test_of_the_cluster_alone(kafka_cluster): ...
"""

WITHOUT_PARAMETERS = """
import unittest

import pytest


class TestOfUnittest(unittest.TestCase):
    @pytest.mark.usefixtures("play")
    def test_method(self): ...


@pytest.mark.usefixtures("partition")
class TestAllOfUnittest(unittest.TestCase):
    def test_method(self): ...


@pytest.mark.usefixtures("play")
class TestPlain:
    def test_method(self): ...


def test_with_a_mock(play, client): ...


def pytest_generate_tests(metafunc):
    from unittest.mock import MagicMock

    itself = {}
    itself["itself"] = itself
    if "client" in metafunc.fixturenames:
        metafunc.parametrize("client", [MagicMock(), itself])
"""
ASKED_LATE = """
import pytest


@pytest.fixture(scope="session")
def _suite():
    raise AssertionError("something was started")


@pytest.fixture
def late(request):
    return request.getfixturevalue("kafka_cluster")


@pytest.mark.parametrize("name", ["play", "partition", "kafka_cluster"])
def test_asks(request, name):
    request.getfixturevalue(name)


def test_asks_by_a_fixture(late): ...
"""


def run_pytest(folder: Path, suite: str, *words: str) -> subprocess.CompletedProcess[str]:
    """A session over one file."""
    (folder / "test_it.py").write_text(suite, encoding="utf-8")
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-v", *words],
        cwd=folder,
        env={**os.environ, "COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
    )


def refused(done: subprocess.CompletedProcess[str], test: str) -> str:
    """Why pytest has refused a test; "" if it has not."""
    assert done.returncode == pytest.ExitCode.USAGE_ERROR, done.stdout + done.stderr
    assert "Traceback" not in done.stdout + done.stderr
    assert "INTERNALERROR" not in done.stdout + done.stderr
    found = re.findall(
        rf"^(?:ERROR: )?test_it\.py::{test}\b[^ ]*: (.*)$", done.stderr, re.MULTILINE
    )
    return "\n".join(found)


@pytest.fixture(scope="module")
def skipped(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Why each test was skipped, by its name without the file."""
    words = [PLANNED, "--kafka", "3.9.1", "--kafka", "4.1.1"]
    done = run_pytest(tmp_path_factory.mktemp("parameters"), OF_PARAMETERS, *words)
    assert done.returncode == 0, done.stdout + done.stderr
    return dict(re.findall(r"^test_it\.py::(\S+) SKIPPED \((.*)\)", done.stdout, re.MULTILINE))


def test_a_marker_on_a_parameter_says_for_which_kafkas_it_is(skipped: dict[str, str]) -> None:
    assert {test: why for test, why in skipped.items() if "of_sizes" in test} == {
        "test_of_sizes[3.9.1-1]": "for Kafka <0.11, not 3.9.1",
        "test_of_sizes[4.1.1-1]": "for Kafka <0.11, not 4.1.1",
        "test_of_sizes[4.1.1-2]": "for Kafka >=2.0,<4, not 4.1.1",
    }


def test_so_does_one_on_a_parameter_of_a_fixture(skipped: dict[str, str]) -> None:
    assert [test for test in skipped if "of_a_fixture" in test] == ["test_of_a_fixture[b-4.1.1]"]
    assert not [test for test in skipped if "mended" in test]


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> subprocess.CompletedProcess[str]:
    return run_pytest(tmp_path_factory.mktemp("refused"), REFUSED, PLANNED)


@pytest.mark.parametrize(
    ("test", "said"),
    [
        ("test_often", "the marker highwater of a parameter, trials=5: how often a test is played"),
        ("test_of_no_range", "kafka='newest': 'newest' is not a bound on versions"),
        ("test_unjudged", "the marker highwater, claims: nothing of this test is judged"),
    ],
)
def test_what_a_marker_says_in_vain_is_refused(
    done: subprocess.CompletedProcess[str], test: str, said: str
) -> None:
    assert said in refused(done, test)


def test_what_a_class_says_of_all_its_tests_may_be_in_vain_for_some(
    done: subprocess.CompletedProcess[str],
) -> None:
    assert refused(done, "TestOfAClass") == refused(done, "test_of_the_cluster_alone") == ""
    assert refused(done, "test_often").count("\n") == 0, "its other parameter is sound"


def test_what_pytest_gives_no_parameters_is_refused(tmp_path: Path) -> None:
    done = run_pytest(tmp_path, WITHOUT_PARAMETERS, PLANNED)

    for test in ("TestOfUnittest", "TestAllOfUnittest"):
        assert "expected a test to which pytest can give a Kafka" in refused(done, test)
        assert "make it a function, or a method of a plain class" in refused(done, test)
    assert refused(done, "TestPlain") == refused(done, "test_with_a_mock") == ""


def test_a_cluster_that_is_asked_for_late_is_refused_before_anything_starts(tmp_path: Path) -> None:
    done = run_pytest(tmp_path, ASKED_LATE)

    said = "by request.getfixturevalue: take it as a parameter"
    assert "3 failed, 1 error" in done.stdout
    assert done.stdout.count(said) >= 4
    assert "something was started" not in done.stdout
    assert "has no attribute 'param'" not in done.stdout
