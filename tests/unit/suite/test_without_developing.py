"""Who has the project set up, and not for its own tests, is told of mistakes in words."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]
PROGRAM = """
import sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == "hypothesis":  # make setup does not install it
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Missing())
import pytest

sys.exit(pytest.main(["-p", "no:hypothesispytest", "test_of_nobody.py"]))
"""


def test_a_test_that_is_not_there_is_named() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=ROOT, capture_output=True, text=True, check=False
    )

    assert "file or directory not found: test_of_nobody.py" in done.stderr
    assert "Traceback" not in done.stdout + done.stderr
