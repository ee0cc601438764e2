"""Who has started whom, while they end."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from highwater.harness.processes.freezing import family, kill_family


def test_a_process_that_ends_while_it_is_looked_at_has_started_nobody(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with subprocess.Popen(["true"]) as ended:
        ended.wait()
    monkeypatch.setattr(Path, "is_dir", lambda _: True)  # as it was a moment ago

    assert family(ended.pid) == [ended.pid]
    kill_family(ended.pid)
