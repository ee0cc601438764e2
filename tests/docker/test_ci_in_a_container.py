"""The action and the GitLab template in a clean container: Debian, its Python, a Java."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import docker
import platformdirs
import pytest
from tests import ci_steps, clean_copies

from highwater.harness.versions.cache import cache_dir

pytestmark = pytest.mark.on_demand

SUITE = """
def test_passes(partition):
    partition.require_acked(partition.send(3))


def test_more_than_was_sent_is_expected(partition):
    assert partition.send(3).acked == 4
"""
CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    (folder / "tests").mkdir(parents=True)
    (folder / "tests" / "test_orders.py").write_text(SUITE, encoding="utf-8")
    return folder


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    return clean_copies.copy_to(tmp_path / "copy")


@pytest.fixture
def container(clean: str, client: docker.DockerClient, tmp_path: Path) -> Iterator[str]:
    """One that has these directories, and this machine's caches as if they had been restored."""
    caches = (str(cache_dir()), platformdirs.user_cache_dir("uv"))
    mounted = {place: {"bind": place, "mode": "rw"} for place in (str(tmp_path), *caches)}
    mounted[CERTIFICATES] = {"bind": CERTIFICATES, "mode": "ro"}
    started = client.containers.run(
        clean, ["sleep", "900"], detach=True, init=True, network_mode="host", volumes=mounted
    )
    try:
        # what actions/setup-python does, and an image of Python has
        started.exec_run(["ln", "-s", "/usr/bin/python3", "/usr/local/bin/python"])
        yield started.id
    finally:
        started.remove(force=True)


def _restore_caches(jars: Path, packages: Path) -> None:
    jars.parent.mkdir(parents=True, exist_ok=True)
    jars.symlink_to(cache_dir())
    packages.symlink_to(platformdirs.user_cache_dir("uv"))


def test_the_action_goes_red_and_publishes(
    container: str, project: Path, copy: Path, tmp_path: Path
) -> None:
    temporary = tmp_path / "runner"
    _restore_caches(temporary / "highwater-jars", temporary / "highwater-uv")
    runner = ci_steps.Runner(project, copy, temporary, {"kafka": "0.11.0.3"}, container)

    runner.play()

    assert [*runner.codes.values()] == [0, 0, 0, 1, 0], "\n".join(runner.said)
    assert "1 failed, 1 passed" in "\n".join(runner.said)
    assert "1 failed, 1 passed" in runner.summary.read_text()
    _is_published(project / "highwater-report")


def test_the_template_goes_red_and_publishes(container: str, project: Path, copy: Path) -> None:
    _restore_caches(project / ".highwater" / "jars", project / ".highwater" / "uv")
    _, jobs = ci_steps.template(highwater=str(copy))

    code, said = ci_steps.play_job(project, jobs["chaos-tests"], container)

    assert code == 1, said
    assert "1 failed, 1 passed" in said
    _is_published(project / "highwater-report")


def _is_published(report: Path) -> None:
    for name in ("report.html", "junit.xml", "summary.md", "metrics.txt"):
        assert (report / name).stat().st_size, name
