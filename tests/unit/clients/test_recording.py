"""What a client loads, it loads before it does anything."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

PROGRAM = """
import sys
from pathlib import Path
from highwater.adapters.dialogue import recording
from highwater.adapters.foreign.writing import write_down
from highwater.harness.model import TopicPartition

place = {"directory": sys.argv[1], "origin_ns": 0, "number": 1}
with recording({"client": "billing-1", "record": place}) as history:
    history.saw("billing-1", TopicPartition("orders", 0), 7, (1, 2))
    before = set(sys.modules)
    history.flush()
    print(sorted(set(sys.modules) - before))
"""


def test_the_first_part_of_a_history_loads_nothing(tmp_path: Path) -> None:
    """Who is assigned a partition meanwhile waits for it to be written."""
    words = [sys.executable, "-c", PROGRAM, str(tmp_path)]
    ran = subprocess.run(words, check=True, capture_output=True, text=True)

    assert ran.stdout == "[]\n"
    assert list((tmp_path / "history").glob("part-billing-1-*.parquet"))
