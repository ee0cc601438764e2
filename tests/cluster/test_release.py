"""What is released, alone: a wheel in an empty environment, with no repository beside it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import venv
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests import shown

from highwater.harness.versions.cache import cache_dir

pytestmark = pytest.mark.on_demand(together="tests/cluster/test_release.py")

LOST = """
from highwater.scenarios.kip101_loss_strict import kip101_loss_strict


def test_what_was_acknowledged_is_kept(play, partition):
    kip101_loss_strict.play(play, partition)
"""


class Installed:
    """An environment that has the wheel and what it needs, and a directory to be in."""

    def __init__(self, folder: Path) -> None:
        self.bin, self.place = folder / "venv" / "bin", folder / "stranger"
        self.place.mkdir()
        venv.create(folder / "venv", with_pip=False)
        self._environment = {
            **{name: each for name, each in os.environ.items() if not name.startswith("PYTHON")},
            "HIGHWATER_CACHE": str(cache_dir()),
            "PATH": f"{self.bin}:{os.environ['PATH']}",
        }

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            words,
            cwd=self.place,
            env=self._environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )

    def test(self, text: str, *words: str) -> subprocess.CompletedProcess[str]:
        (self.place / "test_orders.py").write_text(text, encoding="utf-8")
        return self.run("pytest", "-q", "-p", "no:cacheprovider", "test_orders.py", *words)


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    folder = tmp_path_factory.mktemp("released")
    build = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder / "dist")]
    succeed([*build, str(shown.ROOT)])
    (wheel,) = (folder / "dist").glob("*.whl")
    there = Installed(folder)
    uv = Path(sys.executable).with_name("uv")
    into = [str(uv), "pip", "install", "--quiet", "--python", str(there.bin / "python")]
    locked = ["--constraint", str(shown.ROOT / "requirements.lock")]
    succeed([*into, *locked, str(wheel)])
    return there


def succeed(command: Sequence[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr


def test_it_is_not_the_repository_that_runs(installed: Installed) -> None:
    done = installed.run("python", "-c", "import highwater; print(highwater.__file__)")

    assert Path(done.stdout.strip()).is_relative_to(installed.bin.parent), done.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--help"], "when Apache Kafka loses or forks data"),
        (["--version"], r"highwater \d+\.\d+\.\d+"),
        (["list", "scenarios"], "kip101-loss-strict"),
        (["list", "faults"], "HoldAnswers"),
    ],
)
def test_commands_work(installed: Installed, words: Sequence[str], said: str) -> None:
    done = installed.run("highwater", *words)

    assert done.returncode == 0, done.stderr
    assert re.search(said, done.stdout)


def test_the_ten_lines_of_the_readme_pass_on_a_kafka_of_today(installed: Installed) -> None:
    done = installed.test(shown.blocks([shown.README])[0], "--kafka", "4.1.1")

    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 passed" in done.stdout


def test_a_loss_fails_on_the_kafka_that_has_it(installed: Installed) -> None:
    done = installed.test(LOST, "--kafka", "0.10.2.2")

    assert done.returncode == 1, done.stdout + done.stderr
    assert "lost-write" in done.stdout
