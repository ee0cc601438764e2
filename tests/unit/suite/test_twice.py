"""What fails once is told, what fails twice fails."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests import twice

ONCE = """
from pathlib import Path
def test_by_accident():
    mark = Path(__file__).with_name("played")
    was_there = mark.exists()
    mark.touch()
    assert was_there
def test_in_order():
    with Path(__file__).with_name("in-order").open("a") as file:
        file.write("played\\n")
"""
ALWAYS = "\n".join(f"def test_wrong_{number}():\n    assert False" for number in range(twice.MOST))


def _run(root: Path, text: str) -> int:
    test = root / "test_some.py"
    test.write_text(text)
    command = [sys.executable, "-m", "pytest", "-q", f"--rootdir={root}", "-p", "no:highwater"]
    return twice.played([*command, "-o", f"cache_dir={root / 'cache'}", str(test)])


def test_what_failed_is_played_once_more_and_told(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert _run(tmp_path, ONCE) == pytest.ExitCode.OK
    assert "FLAKY test_some.py::test_by_accident: failed, and passed" in capfd.readouterr().out
    assert (tmp_path / "in-order").read_text() == "played\n"  # what passed is not played again


def test_what_fails_twice_fails(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert _run(tmp_path, ALWAYS) == pytest.ExitCode.TESTS_FAILED
    said = capfd.readouterr().out
    assert "once more, and alone: test_some.py::test_wrong_0, " in said
    assert "FLAKY" not in said


SKIPPED = """
from pathlib import Path
import pytest
def test_not_any_more():
    mark = Path(__file__).with_name("played")
    if mark.exists():
        pytest.skip("no more")
    mark.touch()
    assert False
"""
GONE = """
from pathlib import Path
import pytest
MARK = Path(__file__).with_name("played")
@pytest.mark.parametrize("name", ["b"] if MARK.exists() else ["a", "b"])
def test_some(name):
    was_there = MARK.exists()
    if name == "b":
        MARK.touch()
    assert was_there
"""


@pytest.mark.parametrize("text", [SKIPPED, GONE])
def test_what_was_not_played_again_has_not_passed(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], text: str
) -> None:
    assert _run(tmp_path, text) == pytest.ExitCode.TESTS_FAILED
    assert "FLAKY" not in capfd.readouterr().out


SLOWLY = """
import threading
import pytest
@pytest.fixture(scope="session", autouse=True)
def cluster():
    yield
    threading.Event().wait(1)
    print("torn down")
def test_that_lasts():
    print("begun", flush=True)
    threading.Event().wait(60)
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_who_is_interrupted_ends_what_it_has_started(tmp_path: Path, number: int) -> None:
    (test := tmp_path / "test_some.py").write_text(SLOWLY)
    words = [sys.executable, "-m", "tests.twice", sys.executable, "-m", "pytest", "-sq"]
    words += [f"--rootdir={tmp_path}", "-p", "no:highwater", "-o", f"cache_dir={tmp_path}/cache"]
    with subprocess.Popen(
        [*words, str(test)], stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as ran:
        assert ran.stdout is not None
        said = iter(ran.stdout.readline, "")
        assert any("begun" in line for line in said)
        if number == signal.SIGINT:  # as a terminal sends it, to all of them
            os.killpg(ran.pid, number)
        else:
            ran.send_signal(number)
        rest = "".join(said)
    assert ran.returncode != 0
    assert ("torn down" in rest) is (number == signal.SIGINT)  # nothing of pytest hears the other


def test_many_failures_are_no_accident(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    many = f"{ALWAYS}\ndef test_one_more():\n    assert False"
    assert _run(tmp_path, many) == pytest.ExitCode.TESTS_FAILED
    assert f"{twice.MOST + 1} tests failed, more than {twice.MOST}" in capfd.readouterr().out


def test_failures_of_an_earlier_run_are_not_played(tmp_path: Path) -> None:
    assert _run(tmp_path, ALWAYS) == pytest.ExitCode.TESTS_FAILED
    assert _run(tmp_path, ONCE) == pytest.ExitCode.OK


@pytest.mark.parametrize(
    ("text", "ended"),
    [
        ("import no_such_module", pytest.ExitCode.INTERRUPTED),
        ("", pytest.ExitCode.NO_TESTS_COLLECTED),
    ],
)
def test_what_is_no_failure_of_a_test_ends_at_once(
    tmp_path: Path, text: str, ended: pytest.ExitCode
) -> None:
    assert _run(tmp_path, text) == ended


def test_a_command_says_where_failures_are_kept() -> None:
    with pytest.raises(ValueError, match=r"expected -o cache_dir=DIRECTORY once"):
        twice.played(["pytest", "tests"])
