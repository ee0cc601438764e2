"""Processes that send for one play after the other: each record has its own of them."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from highwater.harness.clients.process import CONFLUENT, Event, Launch
from highwater.harness.clients.senders import Senders, end_at_once
from highwater.harness.clients.steps import Steps, nobody, require_done
from highwater.harness.errors import DeadlineError, InfrastructureError
from highwater.harness.wait import wait_until
from highwater.harness.workloads.producer import ProducerSettings


@pytest.fixture
def senders() -> Iterator[Senders]:
    made = Senders()
    yield made
    made.close()


def launch(run: Path, number: int) -> Launch:
    place = {"directory": str(run), "origin_ns": 0, "number": number}
    order = {"role": "steps", "client": "sender", "bootstrap": "127.0.0.1:1", "record": place}
    return Launch(order, run / "client-logs" / "sender.log", 0, CONFLUENT)


def send(steps: Steps, name: str, value: int) -> None:
    settings = asdict(ProducerSettings(delivery_timeout_s=0.2))
    told: dict[str, Any] = {"name": name, "settings": settings, "transactional": False}
    require_done(steps.ask("open", 30, **told, bootstrap="127.0.0.1:1"))
    where = {"number": 0, "where": ["orders", 0, 1], "first_value": value, "count": 1}
    require_done(steps.ask("send", 30, **where))
    require_done(steps.ask("close", 30))


def test_one_process_sends_for_one_play_after_the_other(
    senders: Senders, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "elsewhere").mkdir()
    pids, told = set(), list[str]()

    def hear(_name: str, event: Event) -> None:
        told.append(event["event"])

    for number in (1, 2):
        monkeypatch.chdir(tmp_path / "elsewhere" if number == 2 else tmp_path)
        steps = senders.take()
        steps.begin(launch(Path(f"run-{number}"), number), hear)
        send(steps, f"producer-{number}", 10 * number)
        assert [*Path(f"run-{number}", "history").glob("part-*.parquet")]  # before its play ends
        steps.end()
        senders.give(steps)
        pids.add(steps.process._process.pid)

    assert len(pids) == 1
    assert told == ["client", "ended"] * 2
    for number, run in ((1, tmp_path / "run-1"), (2, tmp_path / "elsewhere" / "run-2")):
        parts = [pq.read_table(part).to_pylist() for part in (run / "history").iterdir()]
        values = {(row["client"], row["value"]) for rows in parts for row in rows}
        assert values == {(f"producer-{number}", 10 * number)}


def test_one_that_has_died_meanwhile_is_replaced(senders: Senders) -> None:
    steps = senders.take()
    pid = steps.process._process.pid
    senders.give(steps)
    os.kill(pid, signal.SIGKILL)
    wait_until(lambda: steps.process._process.poll() is not None, "its death")

    other = senders.take()

    assert other.process.is_well()
    assert other.process._process.pid != pid
    senders.give(other)


def test_no_more_than_two_wait_for_another_play(senders: Senders) -> None:
    three = [senders.take() for _ in range(3)]
    for steps in three:
        senders.give(steps)

    assert [steps.process.why_over for steps in three] == ["", "", "it has ended"]


def test_who_keeps_them_ends_them_with_all_that_they_hold(senders: Senders) -> None:
    waiting, working = senders.take(), senders.take()
    senders.give(waiting)

    senders.close()
    senders.close()

    assert waiting.process._process.poll() == -signal.SIGKILL
    assert working.process._process.wait(30) == -signal.SIGKILL  # with the group that it is in
    end_at_once(working)


def test_one_that_is_held_up_keeps_nobody_waiting_at_the_end(
    senders: Senders, tmp_path: Path
) -> None:
    steps = senders.take()
    steps.begin(launch(tmp_path, 1), nobody)
    with steps.process.paused(), pytest.raises(DeadlineError, match="sender to say what has come"):
        steps.ask("look", 0.2)

    end_at_once(steps)

    assert steps.process.why_over == "it was killed"


def test_one_that_dies_says_why_in_the_record_that_it_is_of(
    senders: Senders, tmp_path: Path
) -> None:
    steps = senders.take()
    steps.begin(launch(tmp_path, 1), nobody)

    with pytest.raises(InfrastructureError, match=r"sender ended by itself.*\n(.*\n)*.*KeyError"):
        steps.ask("open", 30, name="producer-1")

    assert "KeyError" in (tmp_path / "client-logs" / "sender.log").read_text()
    end_at_once(steps)
