"""Room for clusters: by memory, and by the locks that processes share."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from highwater import room
from highwater.harness.wait import wait_until
from highwater.room import CLUSTER_MIB, Room, available_mib, places_for

HOLDS = """
import sys
from pathlib import Path
from highwater.room import Room

Room(Path(sys.argv[1]), 1).take()
print("taken", flush=True)
sys.stdin.read()
"""


def test_memory_is_enough_for_so_many_and_for_one_in_any_case() -> None:
    assert [places_for(mib) for mib in (0, CLUSTER_MIB, 3 * CLUSTER_MIB + 1)] == [1, 1, 3]


@pytest.mark.parametrize(
    ("most", "mib"), [("max", 8192), (f"{3 * 2**30}", 2048), (f"{64 * 2**30}", 8192), (None, 8192)]
)
def test_memory_is_that_of_the_container_where_that_is_less(
    tmp_path: Path, most: str | None, mib: int
) -> None:
    meminfo = tmp_path / "meminfo"
    meminfo.write_text("MemTotal: 99 kB\nMemAvailable:    8388608 kB\n")
    if most is not None:
        (tmp_path / "memory.max").write_text(f"{most}\n")
        (tmp_path / "memory.current").write_text(f"{2**30}\n")

    assert available_mib(meminfo, tmp_path) == mib


def test_who_finds_no_place_waits_until_somebody_leaves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second, third = (Room(tmp_path, 2) for _ in range(3))
    assert first.take() == second.take() == 0.0

    def leave_meanwhile(condition: Callable[[], bool], what: str, timeout_s: float) -> bool:
        assert not condition()
        assert what == "one of 2 places for a cluster (others have them)"
        second.give()
        return wait_until(condition, what, timeout_s)

    monkeypatch.setattr(room, "wait_until", leave_meanwhile)

    assert third.take() > 0
    third.give()


def test_a_place_is_asked_for_once_and_comes_back_from_the_dead(tmp_path: Path) -> None:
    words = [sys.executable, "-c", HOLDS, str(tmp_path)]
    with subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "taken\n"
        holder.kill()
        wait_until(lambda: holder.poll() is not None, "the end of who held the place")
    heir = Room(tmp_path, 1)

    assert heir.take() < 30
    assert heir.take() == 0.0
