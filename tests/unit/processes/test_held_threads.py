"""Some threads of a process stand still, the others go on, and nothing is left of it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from highwater.harness.errors import InfrastructureError, PreconditionError
from highwater.harness.processes.held_threads import held_threads, state
from highwater.harness.wait import wait_until

OTHER = "another-that-goes-on"
NAMES = ("busy-thread-0", "busy-thread-1", OTHER)
BEATING = """
import sys, threading, time
from pathlib import Path

def beat(name):
    Path(f"/proc/self/task/{threading.get_native_id()}/comm").write_text(name)
    for beats in range(1_000_000):
        Path(sys.argv[1], name).write_text(str(beats))
        time.sleep(0.001)

for name in sys.argv[2:]:
    threading.Thread(target=beat, args=(name,), daemon=True).start()
threading.Event().wait()
"""


@pytest.fixture
def beating(tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A process with a thread for each name, which writes again and again how often it did."""
    with subprocess.Popen([sys.executable, "-c", BEATING, str(tmp_path), *NAMES]) as running:
        try:
            wait_until(lambda: all(beats(tmp_path).values()), "all threads to have begun", 30)
            yield running
        finally:
            running.kill()


def beats(place: Path) -> Mapping[str, str]:
    """What each thread has written; nothing where it is writing just now."""
    return {name: path.read_text() if (path := place / name).exists() else "" for name in NAMES}


def go_on(place: Path, *names: str) -> None:
    """Wait until all of these threads have written something else than they have by now."""
    before = beats(place)
    wait_until(lambda: all(beats(place)[each] != before[each] for each in names), "to go on", 30)


def test_threads_of_a_name_stand_still_and_go_on(
    beating: subprocess.Popen[bytes], tmp_path: Path
) -> None:
    with held_threads(beating.pid, "busy-thread") as held:
        assert sorted(held.values()) == ["busy-thread-0", "busy-thread-1"]
        assert {state(beating.pid, each) for each in held} == {"t"}
        before = beats(tmp_path)
        go_on(tmp_path, OTHER)
        after = beats(tmp_path)
        assert [name for name in NAMES if before[name] == after[name]] == [*NAMES[:2]]
    go_on(tmp_path, *NAMES)


def test_as_much_of_a_name_as_the_kernel_keeps_tells_threads_apart(
    beating: subprocess.Popen[bytes],
) -> None:
    with held_threads(beating.pid, "another-that-goes-nowhere") as held:
        assert [*held.values()] == ["another-that-go"]


def test_a_process_that_is_killed_meanwhile_is_gone_at_once(
    beating: subprocess.Popen[bytes],
) -> None:
    with held_threads(beating.pid, "busy"):
        beating.kill()
        beating.wait(30)


def test_whoever_holds_them_may_be_killed(
    beating: subprocess.Popen[bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As when the harness is: the kernel lets go, and nobody takes the fault for open."""
    started = []

    class Noted(subprocess.Popen[str]):
        def __init__(self, *words: object, **more: object) -> None:
            super().__init__(*words, **more)  # type: ignore[call-overload]
            started.append(self)

    monkeypatch.setattr(subprocess, "Popen", Noted)
    with ExitStack() as holding:
        holding.enter_context(held_threads(beating.pid, "busy"))
        started[0].kill()
        go_on(tmp_path, *NAMES)
        with pytest.raises(InfrastructureError, match=r"saw that they were let go: .* code -9"):
            holding.close()


def test_threads_that_are_held_already_are_told(beating: subprocess.Popen[bytes]) -> None:
    with (
        held_threads(beating.pid, "busy"),
        pytest.raises(PreconditionError, match=r"is held already, or the kernel does not let us"),
        held_threads(beating.pid, "busy-thread-0"),
    ):
        pass


def test_whoever_is_interrupted_lets_go_in_its_turn(
    beating: subprocess.Popen[bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started = []
    plain = subprocess.Popen

    def noted(*words: Any, **more: Any) -> Any:
        started.append(plain(*words, **more))
        return started[-1]

    monkeypatch.setattr(subprocess, "Popen", noted)
    with held_threads(beating.pid, "busy") as held:
        assert os.getpgid(started[0].pid) != os.getpgid(0)
        started[0].send_signal(signal.SIGINT)
        go_on(tmp_path, OTHER)
        assert {state(beating.pid, each) for each in held} == {"t"}


def test_threads_that_there_are_not_are_told(beating: subprocess.Popen[bytes]) -> None:
    with (
        pytest.raises(
            PreconditionError, match=r"begin with 'nobody', saw none; `jstack \d+` shows"
        ),
        held_threads(beating.pid, "nobody"),
    ):
        pass


def test_a_process_that_there_is_not_is_told() -> None:
    with subprocess.Popen(["true"]) as ended:
        ended.wait()
    with (
        pytest.raises(PreconditionError, match=r"could not be held: process \d+ is gone"),
        held_threads(ended.pid, "any"),
    ):
        pass


WAKING = """
import ctypes, platform
number, word = {"x86_64": 202, "aarch64": 98}[platform.machine()], ctypes.c_int(0)
while True:
    ctypes.CDLL(None).syscall(number, ctypes.byref(word), 1, 1, None, None, 0)
"""


@pytest.mark.parametrize("program", ["while True: pass", WAKING])
def test_a_thread_that_never_waits_is_not_held(program: str) -> None:
    """It may be in the middle of Java, where all others would soon wait for it; or wake another."""
    with subprocess.Popen([sys.executable, "-c", program]) as busy:
        try:
            name = Path(f"/proc/{busy.pid}/comm")
            wait_until(lambda: name.read_text().startswith("python"), "it to have begun", 30)
            with (
                pytest.raises(PreconditionError, match=r"expected thread \d+ to wait .* busy"),
                held_threads(busy.pid, "python"),
            ):
                pass
            assert state(busy.pid, busy.pid) == "R"
        finally:
            busy.kill()
