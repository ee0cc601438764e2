"""A process that is told to end says so in its own words."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

INTERRUPTED = """
import logging
from highwater.harness.errors import Interrupted
from highwater.harness.patience import interrupt
try:
    interrupt()
except Interrupted:
    logging.exception("KeyboardInterrupt while sending command.")
    print("over")
"""


def test_what_libraries_log_of_an_interruption_is_not_printed() -> None:
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, check=True, timeout=60
    )

    assert (done.stdout, done.stderr) == ("over\n", "")


AT_BAD_MOMENTS = """
import importlib, os, pathlib, signal, sys, weakref
from highwater.harness.errors import Interrupted
from highwater.harness.patience import interrupt
from highwater.harness.wait import wait_until
signal.signal(signal.SIGTERM, interrupt)

class Thing:
    pass

def end(*_reference):
    os.kill(os.getpid(), signal.SIGTERM)
    for _ in range(1000):
        pass

moment = sys.argv[1]
try:
    if moment == "an import":
        place = pathlib.Path(sys.argv[2])
        place.joinpath("slow.py").write_text("import __main__; __main__.end(); done = True")
        sys.path.insert(0, str(place))
        import slow
    else:
        thing = Thing()
        reference = weakref.ref(thing, end)
        del thing
    wait_until(lambda: False, "nothing that comes", 1.5)
except Interrupted:
    print("over", moment != "an import" or sys.modules["slow"].done)
"""


@pytest.mark.parametrize("moment", ["an import", "a callback of a weak reference"])
def test_an_end_at_a_bad_moment_comes_a_moment_later(moment: str, tmp_path: Path) -> None:
    words = [sys.executable, "-c", AT_BAD_MOMENTS, moment, str(tmp_path)]

    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=60)

    assert (done.stdout, done.stderr, done.returncode) == ("over True\n", "", 0)
