"""Small programs that are applications: their lives, their ends, and what cannot be started."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from highwater.harness.clients import application
from highwater.harness.clients.application import Application
from highwater.harness.clients.running import process_of
from highwater.harness.clients.starting import Start, variables_of, words_of
from highwater.harness.errors import DeadlineError, PreconditionError, UsageError
from highwater.harness.processes.freezing import family
from highwater.harness.processes.warden import Warden
from highwater.harness.wait import wait_until

SAY = "import os, signal, sys, threading, json\nsay = lambda *it: print(*it, flush=True)\n"
FOR_EVER = "threading.Event().wait()"
Made = Callable[..., Application]
Told = list[tuple[str, str]]


@pytest.fixture
def told() -> Told:
    return []


@pytest.fixture
def made(tmp_path: Path, told: Told) -> Iterator[Made]:
    with Warden() as warden:

        def make(program: str, **env: str) -> Application:
            line = [sys.executable, "-c", SAY + program]
            housing = process_of(line, env, warden.group)
            start = Start(housing, tmp_path / "logs" / "app.log")
            return Application("app", start, lambda _, *what: told.append(what), cast("Any", None))

        yield make


@pytest.mark.parametrize("value", ["'[' * 100_000 + ']' * 100_000", "'9' * 5000"])
def test_a_line_that_no_json_can_be_read_of_is_none_of_its_objects(made: Made, value: str) -> None:
    with made("say('{\"n\": ' + " + value + " + '}'); say('{\"n\": 1}'); " + FOR_EVER) as app:
        app.await_said('{"n": 1}')

        assert app.json_lines == [{"n": 1}]


def test_what_it_prints_is_kept_and_told(made: Made, told: Told) -> None:
    with made("say('ready'); say('{\"n\": 1}'); say('{no'); " + FOR_EVER) as app:
        app.await_said("{no")

        assert (app.lines, app.json_lines) == (["ready", '{"n": 1}', "{no"], [{"n": 1}])
    assert told == [
        ("started", ""), ("said", "ready"), ("said", '{"n": 1}'), ("said", "{no"),
        ("stopping", ""), ("ended", ""),
    ]  # fmt: skip


def test_its_errors_are_kept_as_well(made: Made) -> None:
    with made("say('oh no', file=sys.stderr) if 0 else print('oh', file=sys.stderr, flush=True); "
              + FOR_EVER) as app:  # fmt: skip
        app.await_said("oh")


def test_of_a_program_that_prints_much_the_first_lines_are_told(
    made: Made, told: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(application, "TOLD_LINES", 2)

    with made("for n in range(9): say(n)\n" + FOR_EVER) as app:
        app.await_said("8")

    assert [text for what, text in told if what == "said"] == [
        "0", "1", "it prints more: see client-logs/app.log of the run",
    ]  # fmt: skip
    assert len(app.lines) == 9


def test_its_variables_are_ours_and_its_own(made: Made) -> None:
    with made("say(os.environ['HOME'], os.environ['COLOUR']); " + FOR_EVER, COLOUR="red") as app:
        app.await_said(f"{os.environ['HOME']} red")


def test_one_that_is_killed_can_be_started_again(made: Made, told: Told) -> None:
    with made("say(os.getpid()); " + FOR_EVER) as app:
        app.await_said(str(app.pid))
        first = app.pid
        app.kill()
        assert not app.is_running
        with pytest.raises(UsageError, match="to live when it is killed, saw it gone"):
            app.kill()
        app.start()
        assert app.pid != first
        with pytest.raises(UsageError, match="saw that it runs"):
            app.start()
    happened = [what for what, _ in told if what != "said"]
    assert happened == ["started", "killed", "started", "stopping", "ended"]


@pytest.mark.parametrize("end", ["kill", "stop"])
def test_whatever_it_has_started_dies_with_it(end: str, made: Made) -> None:
    program = f"import subprocess\nchild = subprocess.Popen(['sleep', '600'])\n{FOR_EVER}"
    with made(program) as app:
        wait_until(lambda: len(family(app.pid)) == 2, "its child")
        _, child = family(app.pid)
        getattr(app, end)()
        wait_until(lambda: _is_gone(child), f"{child} to be gone")


def _is_gone(pid: int) -> bool:
    stat = Path(f"/proc/{pid}/stat")
    return not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] == "Z"


def test_one_that_is_paused_says_nothing_until_it_goes_on(made: Made, told: Told) -> None:
    program = "signal.signal(signal.SIGUSR1, lambda *_: say('heard'))\nsay('ready')\n"
    with made(program + "while True: signal.pause()") as app:
        app.await_said("ready")
        with app.paused():
            os.kill(app.pid, signal.SIGUSR1)
            state = Path(f"/proc/{app.pid}/stat").read_text().rpartition(")")[2].split()[0]
            assert (state, "heard" in app.lines) == ("T", False)
        app.await_said("heard")
    happened = [what for what, _ in told if what != "said"]
    assert happened == ["started", "paused", "resumed", "stopping", "ended"]


def test_one_that_is_paused_is_not_paused_again(made: Made, told: Told) -> None:
    with made(FOR_EVER) as app, app.paused():
        with pytest.raises(UsageError, match="to run when it is paused, saw it frozen"):
            app.paused().__enter__()
        state = Path(f"/proc/{app.pid}/stat").read_text().rpartition(")")[2].split()[0]
        assert state == "T"
    assert [what for what, _ in told].count("resumed") == 1


def test_one_may_be_killed_while_it_is_paused(made: Made, told: Told) -> None:
    with made(FOR_EVER) as app:
        with app.paused():
            app.kill()
        assert not app.is_running
    assert [what for what, _ in told] == ["started", "paused", "killed"]


def test_a_restart_is_in_order(made: Made) -> None:
    program = "signal.signal(signal.SIGTERM, lambda *_: (say('bye'), sys.exit(0)))\nsay('ready')\n"
    with made(program + FOR_EVER) as app:
        app.await_said("ready")
        app.restart()
        wait_until(lambda: app.lines.count("ready") == 2, "it to begin again")
    assert app.lines == ["ready", "bye", "ready", "bye"]


def test_one_that_ends_by_itself_says_why(made: Made) -> None:
    with (
        pytest.raises(PreconditionError, match=r"exit code 1.*\n.*no broker likes me"),
        made("sys.exit('no broker likes me')") as app,
    ):
        app.await_said("ready")


def test_one_that_ended_by_itself_is_not_passed_over_in_silence(made: Made) -> None:
    with pytest.raises(PreconditionError, match="ended by itself"), made("sys.exit(3)") as app:
        wait_until(lambda: not app.is_running, "it to end")


def test_one_that_is_waited_for_may_end(made: Made) -> None:
    with made("say('done'); sys.exit(3)") as app:
        assert app.await_end() == 3
        assert app.is_well()
        assert app.lines == ["done"]


def test_one_that_heeds_no_signal_is_killed_at_the_end(
    made: Made, told: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(application, "STOP_TIMEOUT_S", 0.2)
    program = "signal.signal(signal.SIGTERM, signal.SIG_IGN)\nsay('ready')\n" + FOR_EVER

    with made(program) as app:
        app.await_said("ready")
        with pytest.raises(DeadlineError, match="app to end"):
            app.stop(0.1)

    assert not app.is_running
    assert [what for what, _ in told if what != "said"][-1] == "killed"


def test_a_text_that_never_comes_is_not_waited_for_for_ever(made: Made) -> None:
    with made(FOR_EVER) as app, pytest.raises(DeadlineError, match="app to print 'ready'"):
        app.await_said("ready", 0.2)


def test_nothing_is_asked_of_it_outside_of_its_with(made: Made) -> None:
    app = made(FOR_EVER)

    for ask in (app.start, app.kill, app.restart, lambda: app.pid, app.is_well, app.await_end):
        with pytest.raises(UsageError, match="with"):
            ask()


def test_a_command_is_words_of_a_program_that_is_there() -> None:
    told = words_of([sys.executable, "--at={bootstrap}"], "127.0.0.1:1")
    assert told == [sys.executable, "--at=127.0.0.1:1"]
    for wrong in ("java -jar", [], ["java", 3], [""], None, ["java", "\0"], ["\ud800"]):
        with pytest.raises(UsageError, match="expected the words of a command"):
            words_of(wrong, "")
    with pytest.raises(UsageError, match="a program that can be started, saw 'no-such-thing'"):
        words_of(["no-such-thing"], "")


def test_variables_are_texts() -> None:
    told = variables_of({"SERVERS": "PLAINTEXT://{bootstrap}"}, "127.0.0.1:1")
    assert told == {"BOOTSTRAP": "127.0.0.1:1", "SERVERS": "PLAINTEXT://127.0.0.1:1"}
    for wrong in (["A=1"], {"A": 1}, {3: "x"}, {"A": "\0"}, {"A": "\ud800"}):
        with pytest.raises(UsageError, match="expected names and values as texts"):
            variables_of(wrong, "")
    for name in ("", "A=B"):
        with pytest.raises(UsageError, match=f"expected names of variables .*saw '{name}'"):
            variables_of({name: "x"}, "")
