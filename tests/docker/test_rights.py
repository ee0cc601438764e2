"""A member of the group docker needs no more: images, containers, the gate, and files to read."""

from __future__ import annotations

import json
import os
import pwd
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from highwater.harness.versions.cache import cache_dir

SOCKET = Path("/var/run/docker.sock")
NOBODY = pwd.getpwnam("nobody").pw_uid


@pytest.mark.on_demand
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
@pytest.mark.skipif(not SOCKET.exists(), reason="Docker does not listen on its usual socket")
def test_a_member_of_the_group_docker_can_play(tmp_path: Path) -> None:
    group = SOCKET.stat().st_gid
    assert group != 0, "the socket belongs to no group of its own"
    cache, out = tmp_path / "cache", tmp_path / "out"
    shutil.copytree(cache_dir() / "jars", cache / "highwater" / "jars")
    for place in (tmp_path, *tmp_path.rglob("*")):
        os.chown(place, NOBODY, group)
    for parent in tmp_path.parents:
        if parent.name.startswith("pytest-"):
            parent.chmod(parent.stat().st_mode | 0o011)
    # May read, as others may read an installation: this one may be in root's own directory.
    reading = ["--inh-caps", "+dac_read_search", "--ambient-caps", "+dac_read_search"]
    become = ["setpriv", "--reuid", str(NOBODY), "--regid", str(group), "--clear-groups", *reading]
    words = ["run", "kip101-divergence", "-k", "0.10.2.2", "--backend", "docker", "--json"]
    words += ["--reruns", "2"]

    done = subprocess.run(
        [*become, sys.executable, "-m", "highwater.cli", *words, "--out", str(out)],
        capture_output=True,
        text=True,
        check=False,
        timeout=400,
        cwd=tmp_path,
        env={**os.environ, "XDG_CACHE_HOME": str(cache), "HOME": str(tmp_path)},
    )

    assert done.returncode == 0, done.stdout + done.stderr
    assert [cell["reproduced"] for cell in json.loads(done.stdout)["cells"]] == [1]
    assert {path.stat().st_uid for path in out.rglob("*")} == {NOBODY}
