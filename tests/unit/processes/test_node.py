"""A node is stopped, frozen and killed, and each of it is seen in the kernel."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from highwater.harness.errors import DeadlineError, InfrastructureError
from highwater.harness.processes.node import Command, ProcessNode
from highwater.harness.processes.warden import Warden
from highwater.harness.wait import wait_until

WAITS = "import signal, sys; print('up', sys.flags.optimize, flush=True); signal.pause()"
DEAF = "import signal; signal.signal(15, signal.SIG_IGN); print('up', flush=True); signal.pause()"
FAILS = (
    "import sys; [print('line', n) for n in range(30)]; print('no space', flush=True); sys.exit(7)"
)

Make = Callable[[str], ProcessNode]


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Make]:
    """Nodes that are small python programs; all end with the test."""
    made: list[ProcessNode] = []
    with Warden() as warden:

        def node(program: str) -> ProcessNode:
            line = [sys.executable, "-I", "-S", "-c", program]
            made.append(ProcessNode("broker-1", Command(line, tmp_path, warden.group)))
            return made[-1]

        yield node
    for each in made:
        each.reap()


def up(node: ProcessNode) -> ProcessNode:
    """Started, and far enough to have written a line."""
    before = node.log.stat().st_size if node.log.exists() else 0
    node.start()
    wait_until(lambda: node.log.stat().st_size > before, "the node's first line", 5)
    return node


def letter(node: ProcessNode) -> str:
    return Path(f"/proc/{node.pid}/stat").read_text().rpartition(")")[2].split()[0]


def test_a_killed_node_is_gone_when_kill_returns(make: Make) -> None:
    node = up(make(WAITS))

    node.kill()

    assert not node.running
    assert not Path(f"/proc/{node.pid}").exists()


def test_a_terminated_node_is_gone_when_terminate_returns(make: Make) -> None:
    node = up(make(WAITS))

    node.terminate()

    assert not node.running


def test_a_paused_node_is_stopped_and_a_resumed_one_runs(make: Make) -> None:
    node = up(make(WAITS))

    node.pause()
    paused = letter(node)
    node.resume()

    assert paused == "T"
    assert letter(node) in {"R", "S"}
    assert node.running


def test_a_paused_node_can_be_killed(make: Make) -> None:
    node = up(make(WAITS))
    node.pause()

    node.kill()

    assert not node.running


def test_a_node_starts_again_with_its_log_kept(make: Make) -> None:
    node = up(make(WAITS))
    node.kill()

    up(node)

    assert node.running
    assert node.log.read_text().splitlines() == ["up 0", "up 0"]


def test_a_node_that_does_not_end_in_time_is_named_with_its_log(make: Make) -> None:
    node = up(make(DEAF))

    with pytest.raises(DeadlineError) as late:
        node.terminate(timeout_s=0.05)

    assert "broker-1 to end" in str(late.value)
    assert str(node.log) in str(late.value)


@pytest.mark.parametrize(
    "act", [ProcessNode.kill, ProcessNode.terminate, ProcessNode.pause, ProcessNode.assert_running]
)
def test_a_node_that_ended_by_itself_shows_the_end_of_its_log(
    make: Make, act: Callable[[ProcessNode], object]
) -> None:
    node = make(FAILS)
    node.start()
    wait_until(lambda: not node.running, "the node to end", 5)

    with pytest.raises(InfrastructureError) as ended:
        act(node)

    assert "broker-1 ended by itself (exit code 7)" in str(ended.value)
    assert str(ended.value).endswith("    no space")
    assert "line 29" in str(ended.value)
    assert "line 1\n" not in str(ended.value)


def test_a_node_that_was_killed_behind_our_back_is_not_taken_for_running(make: Make) -> None:
    node = up(make(WAITS))

    os.kill(node.pid, signal.SIGKILL)
    wait_until(lambda: not node.running, "the node to end", 5)

    with pytest.raises(InfrastructureError, match=r"exit code -9"):
        node.resume()


def test_a_node_that_was_never_started_has_no_process(make: Make) -> None:
    node = make(WAITS)

    assert not node.running
    with pytest.raises(InfrastructureError, match="never started"):
        _ = node.pid
    with pytest.raises(InfrastructureError, match="exit code None"):
        node.assert_running()


def test_a_running_node_has_a_size(make: Make) -> None:
    node = up(make(WAITS))

    assert 0 < node.resident_mib() < 1000


def test_a_node_joins_the_group_that_it_is_told_to(make: Make) -> None:
    first, second = up(make(WAITS)), make(WAITS)
    second.start()

    assert os.getpgid(first.pid) == os.getpgid(second.pid) != os.getpgid(0)
