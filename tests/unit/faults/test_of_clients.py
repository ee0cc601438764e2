"""Faults of applications and loads: on the timeline, healed, and refused of everybody else."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

import pytest
from tests.fake_client import Lively
from tests.fake_cluster import FakeCluster
from tests.unit.clients.conftest import ENDED, READY, SAYS
from tests.unit.clients.orders import Orders
from tests.unit.faults.test_healing import Record

from highwater.faults.kill import Kill
from highwater.faults.kill_client import KillClient
from highwater.faults.pause_client import PauseClient
from highwater.faults.repeat import Repeat
from highwater.harness.clients.application import Application
from highwater.harness.clients.load import Load
from highwater.harness.clients.member import Member
from highwater.harness.clients.process import Event, Launch
from highwater.harness.clients.running import process_of
from highwater.harness.clients.starting import Start
from highwater.harness.errors import PreconditionError, UsageError
from highwater.harness.open_faults import OpenFaults
from highwater.harness.processes.warden import Warden
from highwater.harness.wait import wait_until

ENDLESS = "import signal, sys, time; print('ready', flush=True); signal.pause()"
Told = list[tuple[str, str]]


@pytest.fixture
def told() -> Told:
    return []


@pytest.fixture
def app(tmp_path: Path, told: Told) -> Iterator[Application]:
    with Warden() as warden:
        start = Start(process_of([sys.executable, "-c", ENDLESS], {}, warden.group), tmp_path / "a")
        yield Application("app", start, lambda _, *what: told.append(what), cast("Any", None))


@pytest.fixture
def faults(tmp_path: Path) -> OpenFaults:
    return OpenFaults(cast("Any", FakeCluster(tmp_path / "cluster")), cast("Any", Record()))


def events(faults: OpenFaults) -> list[dict[str, Any]]:
    return cast("Any", faults)._record.events  # type: ignore[no-any-return]


def test_an_application_that_was_killed_is_started_again_and_the_timeline_says_so(
    app: Application, faults: OpenFaults
) -> None:
    with app:
        first = app.pid

        killed = faults.inject(KillClient(app))
        assert not app.is_running
        faults.heal(killed)

        assert app.is_running
        assert app.pid != first
    assert killed.proof == {"client": "app", "gone": True}
    assert [(each["phase"], each["text"]) for each in events(faults)] == [
        ("opened", "KillClient('app')"),
        ("closed", "healed: KillClient('app')"),
    ]


def test_who_was_started_meanwhile_is_left_as_it_is(app: Application, faults: OpenFaults) -> None:
    with app:
        faults.inject(KillClient(app))
        app.start()
        second = app.pid

        faults.heal()

        assert app.pid == second


@pytest.mark.parametrize("kind", [KillClient, PauseClient])
def test_whose_with_is_over_is_not_started_and_ends_in_order(
    kind: Any, app: Application, faults: OpenFaults, told: Told
) -> None:
    with app:
        app.await_said("ready")
        faults.inject(kind(app))

    faults.heal()

    assert not app.is_running
    ends = {KillClient: ("killed", "killed"), PauseClient: ("resumed", "ended")}[kind]
    assert [what for what, _ in told if what in ("killed", "resumed", "ended")] in (
        list(ends),
        [ends[0]],
    )
    assert [each["phase"] for each in events(faults)] == ["opened", "closed"]


def test_an_application_is_frozen_until_it_is_healed(app: Application, faults: OpenFaults) -> None:
    def state() -> str:
        return Path(f"/proc/{app.pid}/stat").read_text().rpartition(")")[2].split()[0]

    with app:
        app.await_said("ready")

        faults.inject(PauseClient(app))
        frozen = state()
        faults.heal()

        assert frozen == "T"
        assert state() != "T"


def test_a_load_is_hit_as_well(tmp_path: Path, faults: OpenFaults) -> None:
    numbers = iter(range(1, 9))
    heard: list[str] = []
    line = (sys.executable, "-c", SAYS + READY + ENDED)

    def launch(_more: Any) -> Launch:
        order = {"client": f"load-{next(numbers)}"}
        return Launch(order, tmp_path / "logs" / "load.log", warden.group, line)

    def hear(_name: str, event: Event) -> None:
        heard.append(event["event"])

    with Warden() as warden, Load(launch, hear, Orders((0,))) as load:
        faults.inject(KillClient(load))
        over = load.why_over
        faults.heal()
        faults.inject(PauseClient(load))

        assert over == "it was killed"
        assert load.name == "load-2"
    faults.heal()

    assert [each for each in heard if each in ("killed", "paused", "resumed", "ended")] == [
        "killed", "paused", "resumed", "ended",
    ]  # fmt: skip


@pytest.mark.parametrize("kind", [KillClient, PauseClient])
def test_who_is_gone_is_not_hit_and_stays_gone(
    kind: Any, app: Application, faults: OpenFaults
) -> None:
    with app:
        app.kill()

        with pytest.raises(UsageError, match="expected app to live"):
            faults.inject(kind(app))

        assert not app.is_running
    assert [each["phase"] for each in events(faults)] == ["failed"]


def test_who_ended_by_itself_makes_the_play_inconclusive(
    app: Application, faults: OpenFaults
) -> None:
    with suppress(PreconditionError), app:  # at its end as well
        app.await_said("ready")
        os.kill(app.pid, signal.SIGKILL)
        wait_until(lambda: not app.is_running, "it to be gone")

        with pytest.raises(PreconditionError, match="ended by itself"):
            faults.inject(KillClient(app))

        assert not app.is_running


@pytest.mark.parametrize("kind", [KillClient, PauseClient])
@pytest.mark.parametrize("given", [1, "app", None, Kill(1), Application, Member.__new__(Member)])
def test_who_cannot_be_started_again_is_refused_in_words(kind: Any, given: object) -> None:
    words = f"{kind.__name__}: expected an application .* or a load"

    with pytest.raises(UsageError, match=words):
        kind(given)


def test_a_fault_of_a_client_combines_as_others_do(faults: OpenFaults) -> None:
    lively = Lively()

    faults.inject(Repeat(KillClient(lively), 2))
    faults.heal()

    assert not lively.can_start
