"""What a command says gets to its reader, or the command says that it did not."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from tests.pytest_runs import PATIENCE_S

HIGHWATER = [sys.executable, "-m", "highwater.cli"]


def _ended(words: list[str], output: object) -> tuple[int, str]:
    done = subprocess.run(
        [*HIGHWATER, *words],
        stdout=output,  # type: ignore[call-overload]
        stderr=subprocess.PIPE,
        text=True,
        check=False,
        timeout=PATIENCE_S,
    )
    return done.returncode, done.stderr


@pytest.mark.parametrize("words", [["list", "scenarios"], ["list", "faults", "--json"], ["--help"]])
def test_what_finds_no_room_is_an_error_and_no_verdict(words: list[str]) -> None:
    with Path("/dev/full").open("w") as full:
        code, said = _ended(words, full)

    assert code == 3
    assert "expected to write to standard output, and could not: No space left on device" in said
    assert "Traceback" not in said


def test_a_pipe_whose_reader_has_gone_is_one_as_well() -> None:
    with subprocess.Popen(["true"], stdin=subprocess.PIPE) as gone:
        gone.wait()
        code, said = _ended(["list", "scenarios"], gone.stdin)

    assert (code, "Broken pipe" in said, "Traceback" in said) == (3, True, False)


def test_with_a_reader_all_is_well() -> None:
    code, said = _ended(["list", "scenarios"], subprocess.DEVNULL)

    assert (code, said) == (0, "")
