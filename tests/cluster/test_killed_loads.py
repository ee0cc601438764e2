"""The harness is killed while a load runs: nothing stays, and the record is judged to its last.

Or the load is: nobody waits for the answers to what it had sent.

At more moments with `pytest --run-on-demand --kills 20 tests/cluster/test_killed_loads.py`.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
from pathlib import Path

import pytest
from tests.pytest_runs import run_pytest, to_be_killed, verdicts_of

from highwater.harness.record.reader import find_runs
from highwater.harness.wait import wait_until

KAFKA = "4.1.1"
SUITE = """
def test_goes_on(play):
    orders = play.topic("orders", partitions=3)
    with (
        play.load(orders, rate_per_s=3_000) as load,
        play.load(orders, rate_per_s=300, client="java") as other,
        play.group("billing", orders, members=2) as billing,
    ):
        load.await_acked(1_000)
        while True:
            play.rolling_restart()
"""

# Its partition has no answers when it is killed, and nobody sends anything for half a minute.
IDLE = """
from highwater.faults.pause import Pause
from highwater.harness.wait import wait_until


def test_idles(play):
    def pass_by(seconds):
        until_ns = play.record.now_ns() + seconds * 10**9
        wait_until(lambda: play.record.now_ns() > until_ns, "time to pass", seconds + 10)

    orders = play.topic("orders")
    with play.load(orders, rate_per_s=200) as load:
        load.await_acked(200)
        frozen = play.inject(Pause(orders[0].replicas[0]))
        pass_by(2)
        load.kill()
        play.heal(frozen)
        pass_by(31)
        load.start()
        load.await_acked(200)
"""


def _of_this_run(out: Path, session: int) -> set[int]:
    """Processes that name the run, or the harness's own directory, on their command lines."""
    marks = (str(out).encode(), f"highwater-{session}-".encode())
    found = set()
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                line = (entry / "cmdline").read_bytes()
                opened = [str(each.readlink()) for each in (entry / "fd").iterdir()]
            except OSError:
                continue
            if any(mark in line for mark in marks) or any(str(out) in each for each in opened):
                found.add(int(entry.name))
    return found


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "seed" in metafunc.fixturenames:
        metafunc.parametrize("seed", range(metafunc.config.getoption("--kills")))


@pytest.mark.on_demand
def test_a_harness_that_is_killed_leaves_a_record_to_be_judged(seed: int, tmp_path: Path) -> None:
    suite, out = tmp_path / "test_killed.py", tmp_path / "out"
    suite.write_text(SUITE)
    with to_be_killed(suite, out, KAFKA) as running:
        wait_until(lambda: any(out.glob("runs/*/history/part-billing*")), "the load", 120)
        clients = _of_this_run(out, running.pid)
        after_s = random.Random(seed).uniform(0, 10)
        with pytest.raises(subprocess.TimeoutExpired):  # it goes on until it is killed
            running.wait(after_s)
        running.send_signal(signal.SIGKILL)

    wait_until(lambda: not _of_this_run(out, running.pid), "every process to be gone", 20)
    verdicts = verdicts_of(out)
    violated = [name for name, each in verdicts.items() if each["answer"] == "VIOLATED"]
    assert len(clients) >= 6  # the harness, four clients, and the adapter of one
    assert violated == [], f"killed after {after_s:.1f} s"
    assert verdicts["phantom-read"]["answer"] == "HELD"
    assert verdicts["phantom-read"]["considered"] > 1_000


@pytest.mark.on_demand
def test_nobody_waits_for_the_answers_to_what_a_killed_load_had_sent(tmp_path: Path) -> None:
    suite, out = tmp_path / "test_idle.py", tmp_path / "out"
    suite.write_text(IDLE)

    played = run_pytest(
        tmp_path, str(suite), "--kafka", KAFKA, "--highwater-report", str(out), timeout_s=400
    )

    assert played.returncode == 0, played.stdout
    (run,) = find_runs(out)
    sends = run.table("history").to_pandas().query("action == 'send'")
    never = sends.groupby(["client", "op"])["outcome"].agg(lambda told: {*told} == {"invoked"})
    killed, again = sorted({*sends["client"]})
    assert never.groupby("client").sum().gt(0).to_dict() == {killed: True, again: False}
    ends = run.table("clients").to_pandas().groupby("client")["ended_ns"].max()
    assert ends[killed] + 31 * 10**9 < ends[again]
    said = verdicts_of(out)["stalled-sends"]
    assert (said["answer"], said["considered"]) == ("HELD", 1)
