"""A stranger's machine: Debian, its Python, a Java, the wheel, and nothing else.

Packages and jars are downloaded before, so what is timed is what the machine does. Five minutes are
all it gets.
"""

from __future__ import annotations

import subprocess
import sys
import time
import venv
from pathlib import Path

import docker
import pytest
from tests import shown

from highwater.compose.base import build_base
from highwater.harness.versions.cache import cache_dir

pytestmark = pytest.mark.on_demand

CLEAN = "highwater/clean:bookworm"
PACKAGES = ("openjdk-17-jre-headless", "python3-venv")
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


@pytest.fixture(scope="module")
def image(client: docker.DockerClient) -> str:
    if not client.images.list(CLEAN):
        build_base(lambda _text: None, CLEAN, PACKAGES)
    return CLEAN


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Ours, and those of everything that it needs, for Debian's Python."""
    folder = tmp_path_factory.mktemp("wheels")
    build = [sys.executable, "-m", "build", "--no-isolation", "--wheel", "--outdir", str(folder)]
    succeed([*build, str(shown.ROOT)])
    (wheel,) = folder.glob("*.whl")
    venv.create(folder / "pip", with_pip=True)
    pip = [str(folder / "pip" / "bin" / "python"), "-m", "pip", "wheel", "--quiet"]
    locked = ["--constraint", str(shown.ROOT / "requirements.lock")]
    succeed([*pip, *locked, "--wheel-dir", str(folder), str(wheel)])
    return folder


def succeed(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=900)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_stranger_has_a_red_and_a_green_test_within_five_minutes(
    image: str, wheels: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    succeed([str(Path(sys.executable).with_name("highwater")), "fetch", *KAFKAS])
    (tmp_path / "test_orders.py").write_text(LOST, encoding="utf-8")
    run = ["docker", "run", "--rm", "--workdir", "/root"]
    run += ["--volume", f"{wheels}:/wheels:ro", "--volume", f"{tmp_path}:/root/orders"]
    run += ["--volume", f"{cache_dir()}:/jars:ro", "--env", "HIGHWATER_CACHE=/cache"]

    began = time.monotonic()
    done = subprocess.run(
        [*run, image, "bash", "-c", STRANGER],
        capture_output=True,
        text=True,
        check=False,
        timeout=MOST_S,
    )
    took_s = time.monotonic() - began

    assert done.returncode == pytest.ExitCode.TESTS_FAILED, done.stdout + done.stderr
    assert "1 failed, 1 passed" in done.stdout
    page = (tmp_path / "report" / "report.html").read_text(encoding="utf-8")
    assert "2 tests on Kafka 0.10.2.2, 4.1.1: 1 failed, 1 passed." in page
    assert "lost-write" in page
    with capsys.disabled():
        print(f"installed, played and reported in {took_s:.0f} s")
