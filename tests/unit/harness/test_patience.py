"""A process that is told to end says so in its own words."""

from __future__ import annotations

import subprocess
import sys

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
