"""Nothing that a harness has started outlives it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from highwater.harness.processes.warden import Warden
from highwater.harness.wait import wait_until

OWNER = """
import os, signal, subprocess, sys, threading
from highwater.harness.processes.warden import Warden
sleeper = ["sleep", "600"]
with Warden() as warden:
    children = [subprocess.Popen(sleeper, process_group=warden.group) for _ in range(2)]
    os.kill(children[1].pid, signal.SIGSTOP)
    print(warden.group, *(child.pid for child in children), flush=True)
    threading.Event().wait()
"""


def state(pid: int) -> str:
    """The kernel's letter for a process; nothing when it is gone or waits to be reaped."""
    stat = Path(f"/proc/{pid}/stat")
    try:
        letter = stat.read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return ""
    return letter.strip("ZX")


def ignored(pid: int) -> set[int]:
    """The signals that a process ignores (SigIgn, proc(5))."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    mask = int(next(line.split()[1] for line in lines if line.startswith("SigIgn")), 16)
    return {number for number in range(1, 65) if mask >> (number - 1) & 1}


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_running_and_stopped_children_die_with_their_harness(how: signal.Signals) -> None:
    owner = subprocess.Popen([sys.executable, "-c", OWNER], stdout=subprocess.PIPE)
    assert owner.stdout
    warden, running, stopped = map(int, owner.stdout.readline().split())
    wait_until(lambda: state(stopped) == "T", "the second child to be stopped", 5)
    assert state(running)

    os.kill(owner.pid, how)
    owner.communicate()

    wait_until(lambda: not any(map(state, (warden, running, stopped))), "all three to be gone", 5)


def test_leaving_the_context_ends_what_is_in_the_group_and_nothing_else() -> None:
    outside = subprocess.Popen(["sleep", "600"])
    with Warden() as warden:
        inside = subprocess.Popen(["sleep", "600"], process_group=warden.group)

    try:
        assert inside.wait(5) == -signal.SIGKILL
        assert outside.poll() is None
    finally:
        outside.kill()
        outside.wait()


def test_the_warden_stays_when_it_is_asked_to_go() -> None:
    polite = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    with Warden() as warden:
        wait_until(lambda: ignored(warden.group) >= set(polite), "the warden to be on watch", 5)

        for number in polite:
            os.kill(warden.group, number)

        assert state(warden.group)


def test_the_group_ends_with_the_context_even_when_the_warden_was_killed() -> None:
    with Warden() as warden:
        child = subprocess.Popen(["sleep", "600"], process_group=warden.group)
        os.kill(warden.group, signal.SIGKILL)
        wait_until(lambda: not state(warden.group), "the warden to be gone", 5)
        assert child.poll() is None

    assert child.wait(5) == -signal.SIGKILL
