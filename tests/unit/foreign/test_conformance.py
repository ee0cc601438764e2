"""Each rule of the protocol has a small adapter that breaks it, and is caught by that rule."""

from __future__ import annotations

import re
import threading
from pathlib import Path

import pytest
from tests.unit.foreign.breaks import BREAKS
from tests.unit.foreign.breaks_of_members import BREAKS_OF_MEMBERS
from tests.unit.foreign.conformance_rules import RULES
from tests.unit.foreign.scripts import KEEPS, changed, command, ground

from highwater.harness.errors import DeadlineError
from highwater.harness.foreign import (
    conformance,
    conformance_of_headers,
    conformance_of_members,
    conformance_of_settings,
    conformance_of_transactions,
    talk,
)
from highwater.harness.foreign import ground as ground_of
from highwater.harness.foreign.conformance import Conformance
from highwater.harness.wait import wait_until

pytestmark = pytest.mark.on_demand(together="tests/unit/foreign/test_conformance.py")
MEMBERS = pytest.mark.on_demand(together="tests/unit/foreign/test_conformance.py[members]")

HOLDS = """
import subprocess, sys
subprocess.Popen([sys.executable, "-c", "import time; time.sleep(12)"])
"""


def test_an_output_that_somebody_else_holds_is_not_waited_for_without_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    give_up_soon(monkeypatch)

    with pytest.raises(DeadlineError, match="end with its standard input") as told:
        talk.describe(command(HOLDS + KEEPS, tmp_path / "log"))

    assert any("holds its output open" in each for each in told.value.__notes__)
    readers = [each for each in threading.enumerate() if each.name == "adapter"]
    wait_until(lambda: not any(each.is_alive() for each in readers), "the holder to end", 60)


WAITED_FOR = {
    "silent",
    "stays",
    "does not exit",
    "not ready",
    "deaf",
    "no answer",
    "no flush",
    "waits on",
    "never commits",
    "commits late",
    "never ready",
    "skips",
    "is never busy",
    "answers no step",
    "commits nothing",
    "commits half",
    "says commit when it has committed",
    "commits once",
}


def give_up_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """On what never comes; a busy machine takes seconds to start a program."""
    for module in (ground_of, talk):
        monkeypatch.setattr(module, "START_TIMEOUT_S", 4.0)
    every = (conformance, conformance_of_members, conformance_of_settings, conformance_of_headers)
    for module in (*every, conformance_of_transactions, ground_of):
        monkeypatch.setattr(module, "TIMEOUT_S", 4.0)
    monkeypatch.setattr(talk, "END_TIMEOUT_S", 0.2)
    monkeypatch.setattr(conformance_of_members, "BUSY_S", 1.0)
    monkeypatch.setattr(conformance_of_members, "SOON_S", 2.0)


def test_an_adapter_that_keeps_every_rule_is_found_to(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.touch()

    found = list(Conformance(command(KEEPS, log), ground(log)).findings())

    assert [each.wrong for each in found] == [""] * RULES


READY = 'def member(begin):\n    say("ready", role="member")\n'
STANDS_STILL = """
    if not os.path.exists(sys.argv[1] + ".stood"):
        open(sys.argv[1] + ".stood", "w").close()
        sys.stdin.readline()
        return
"""


def test_a_library_that_stands_still_from_the_start_is_tried_once_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    give_up_soon(monkeypatch)
    (log := tmp_path / "log").touch()

    tried = Conformance(command(changed(READY, READY + STANDS_STILL), log), ground(log))

    assert [each.wrong for each in tried.findings()] == [""] * RULES
    assert log.with_name("log.stood").exists()


ELSEWHERE = """
        if told["partition"] > 0:
            say("error", error="OtherPartition", text="no", code=None, retriable=False,
                refused=False, records=[[number, time.monotonic_ns()]])
            with open(sys.argv[1], "a") as log:
                log.write(json.dumps([None, value]) + "\\n")
"""


@pytest.mark.parametrize(
    ("said", "wrong"),
    [
        (ELSEWHERE, ""),
        (ELSEWHERE.replace("refused=False", "refused=True"), "expected the 1505 records"),
    ],
    ids=["failed", "refused"],
)
def test_what_has_failed_may_be_there_unless_it_was_refused(
    said: str, wrong: str, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    log.touch()
    old = """
        if told["partition"] > 0:
            wrong(number, "UnknownPartition")
"""

    found = list(Conformance(command(changed(old, said), log), ground(log)).findings())

    first = next((each.wrong for each in found if each.wrong), "")
    assert first.startswith(wrong)
    assert bool(first) == bool(wrong)


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(each, marks=[MEMBERS] if each in BREAKS_OF_MEMBERS else [], id=each)
        for each in BREAKS
    ],
)
def test_an_adapter_that_breaks_a_rule_is_caught_by_it(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, new, rule, why = BREAKS[name]
    if name in WAITED_FOR:
        give_up_soon(monkeypatch)

    log = tmp_path / "log"
    log.touch()

    found = enumerate(Conformance(command(changed(old, new), log), ground(log)).findings())
    first = next((number, each.wrong) for number, each in found if each.wrong)

    assert first[0] == rule, first
    assert re.search(why, first[1])
