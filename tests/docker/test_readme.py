"""What the README shows of clients that live holds on containers of a middle release as well."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
KAFKA = "2.8.2"


def test_orders_survive_a_rolling_restart_of_containers(tmp_path: Path) -> None:
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    (shown,) = [block for block in blocks if "play.rolling_restart()" in block]
    (tmp_path / "test_orders.py").write_text(shown)
    on_docker = ["--kafka", KAFKA, "--kafka-backend", "docker"]

    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *on_docker, str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )

    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 passed" in done.stdout
