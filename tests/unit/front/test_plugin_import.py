"""The pytest plugin is loaded in every pytest run of its users: it must cost them nothing."""

from __future__ import annotations

import subprocess
import sys

HEAVY = ("pyspark", "confluent_kafka", "pyarrow", "pandas", "numpy", "kazoo", "jinja2", "docker")


def test_loading_the_plugin_loads_nothing_heavy() -> None:
    program = (
        "import sys, highwater.pytest_plugin\n"
        f"print(*(name for name in {HEAVY!r} if name in sys.modules))"
    )

    loaded = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )

    assert loaded.stdout.split() == []
