"""What takes seconds to load is not loaded where nobody needs it."""

from __future__ import annotations

import subprocess
import sys

HEAVY = {"pandas", "confluent_kafka", "docker", "jinja2"}


def test_judging_loads_nothing_heavy_before_spark_is_on_its_way() -> None:
    code = "import highwater.judging, sys; print(*sys.modules)"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert HEAVY & set(told.stdout.split()) == set()
