"""A base image without a registry: a minimal Debian with a Java, made by debootstrap."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from highwater.compose.images import OWN_BASE, Announce, engine
from highwater.harness.errors import InfrastructureError, UsageError

RELEASE = "bookworm"
# libfaketime for clock jumps, iproute2 and iptables for faults inside a container's network.
PACKAGES = ("openjdk-17-jre-headless", "libfaketime", "iproute2", "iptables", "procps")
TIMEOUT_S = 900


def build_base(announce: Announce, name: str = OWN_BASE, packages: Sequence[str] = PACKAGES) -> str:
    """Make the base image, or another one of Debian's packages, and return its tag.

    Raises UsageError when debootstrap is missing or we are not root, InfrastructureError when it
    fails.
    """
    tool = shutil.which("debootstrap")
    if tool is None:
        raise UsageError("image-base needs debootstrap: apt-get install debootstrap")
    if os.geteuid() != 0:
        raise UsageError("image-base needs root, as debootstrap changes the root directory")
    with engine() as client, tempfile.TemporaryDirectory(prefix="highwater-base-") as folder:
        root = Path(folder) / "root"
        announce(f"debootstrap: Debian {RELEASE} with {packages[0]}")
        _run([tool, "--variant=minbase", f"--include={','.join(packages)}", RELEASE, str(root)])
        for unneeded in ("var/cache/apt", "var/lib/apt/lists", "usr/share/doc", "usr/share/man"):
            shutil.rmtree(root / unneeded, ignore_errors=True)
        announce(f"importing {name}")
        packed = Path(folder) / "root.tar"
        _run(["tar", "--numeric-owner", "-C", str(root), "-cf", str(packed), "."])
        repository, _, tag = name.partition(":")
        client.api.import_image_from_file(str(packed), repository=repository, tag=tag)
    return name


def _run(command: list[str]) -> None:
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        timeout=TIMEOUT_S,
        env=os.environ.copy(),
    )
    if done.returncode:
        shown = (done.stdout + done.stderr)[-800:]
        raise InfrastructureError(f"{command[0]} ended with {done.returncode}: {shown}")
