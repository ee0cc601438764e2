"""A stranger's machine: Debian, its Python, a Java, what is released, and nothing else.

Packages and jars are downloaded before, so what is timed is what the machine does. Five minutes are
all it gets.
"""

from __future__ import annotations

import subprocess
import sys
import time
import venv
from pathlib import Path

import pytest
from tests import shown

from highwater.harness.versions.cache import cache_dir

pytestmark = pytest.mark.on_demand

MOST_S = 300
KAFKAS = ("0.10.2.2", "4.1.1")
LOST = """
from highwater.scenarios.kip101_loss_strict import kip101_loss_strict


def test_what_was_acknowledged_is_kept(play, partition):
    kip101_loss_strict.play(play, partition)
"""
STRANGER = """
set -e
python3 -m venv /root/chaos
/root/chaos/bin/pip install --quiet --no-index --find-links /wheels highwater
cp -rs /jars /cache
cd /root/orders
/root/chaos/bin/pytest -q --kafka 0.10.2.2 --kafka 4.1.1 --highwater-report report || code=$?
ls report/report.html report/junit.xml report/summary.md
exit ${code:-0}
"""

DEMO = """
set -e
python3 -m venv /root/chaos
/root/chaos/bin/pip install --quiet --no-index --find-links /wheels {chosen} highwater
cp -rs /jars /cache
cd /root/orders
/root/chaos/bin/highwater compare -s kip101-loss-strict -s kip101-loss-no-crash \\
    -s kip101-divergence -k 0.10.2.2 -k 0.11.0.3 --control ibp=0.11.0-IV1 -n 1 --out demo
"""
CHOICES = {"wheel": "--only-binary :all:", "sdist": "--no-binary highwater"}


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Both distributions of ours, and wheels of everything they need, for Debian's Python."""
    folder = tmp_path_factory.mktemp("wheels")
    build = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder)]
    succeed([*build, str(shown.ROOT)])
    (wheel,) = folder.glob("*.whl")
    venv.create(folder / "pip", with_pip=True)
    pip = [str(folder / "pip" / "bin" / "python"), "-m", "pip", "wheel", "--quiet"]
    locked = ["--constraint", str(shown.ROOT / "requirements.lock")]
    succeed([*pip, *locked, "--wheel-dir", str(folder), str(wheel), "hatchling"])
    return folder


def succeed(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=900)
    assert done.returncode == 0, done.stdout + done.stderr


def fetch(*kafkas: str) -> None:
    succeed([str(Path(sys.executable).with_name("highwater")), "fetch", *kafkas])


def played(image: str, script: str, wheels: Path, orders: Path) -> subprocess.CompletedProcess[str]:
    """In a container of its own, within five minutes."""
    run = ["docker", "run", "--rm", "--workdir", "/root"]
    run += ["--volume", f"{wheels}:/wheels:ro", "--volume", f"{orders}:/root/orders"]
    run += ["--volume", f"{cache_dir()}:/jars:ro", "--env", "HIGHWATER_CACHE=/cache"]
    return subprocess.run(
        [*run, image, "bash", "-c", script],
        capture_output=True,
        text=True,
        check=False,
        timeout=MOST_S,
    )


def test_a_stranger_has_a_red_and_a_green_test_within_five_minutes(
    clean: str, wheels: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fetch(*KAFKAS)
    (tmp_path / "test_orders.py").write_text(LOST, encoding="utf-8")

    began = time.monotonic()
    done = played(clean, STRANGER, wheels, tmp_path)
    took_s = time.monotonic() - began

    assert done.returncode == pytest.ExitCode.TESTS_FAILED, done.stdout + done.stderr
    assert "1 failed, 1 passed" in done.stdout
    page = (tmp_path / "report" / "report.html").read_text(encoding="utf-8")
    assert "2 tests on Kafka 0.10.2.2, 4.1.1: 1 failed, 1 passed." in page
    assert "lost-write" in page
    with capsys.disabled():
        print(f"installed, played and reported in {took_s:.0f} s")


@pytest.mark.parametrize("kind", CHOICES)
def test_the_demo_plays_from_each_distribution(
    kind: str, clean: str, wheels: Path, tmp_path: Path
) -> None:
    fetch("0.10.2.2", "0.11.0.3")

    done = played(clean, DEMO.format(chosen=CHOICES[kind]), wheels, tmp_path)

    assert done.returncode == 0, done.stdout + done.stderr
    page = (tmp_path / "demo" / "report.html").read_text(encoding="utf-8")
    assert "3 scenarios on 2 versions: 6 of 9 cells reproduced a failure." in page
    assert "All 9 cells are as expected." in page
