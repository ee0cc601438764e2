"""What Kafka's own client makes of security that its adapter was told."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from highwater.harness.foreign.java import SOURCES
from highwater.harness.jvm.java import find_java
from highwater.harness.probes.security import Security
from highwater.harness.versions.catalogue import find_kafka
from highwater.harness.versions.jars import jars_named

PROGRAM = Path(__file__).parent / "programs" / "Told.java"


def made(directory: Path, told: Iterable[Security | str]) -> list[Any]:
    """Of each the options of the login module, or an error in words; a text is sasl.jaas.config."""
    jars = jars_named(find_kafka("4.1.1"), ("kafka-clients", "slf4j-api"))
    java, path = Path(find_java().path), ":".join(map(str, [directory, *jars]))
    sources = [PROGRAM, *(SOURCES / name for name in ("Lines.java", "Security.java"))]
    javac = [str(java.with_name("javac")), "-nowarn", "-cp", path, "-d", str(directory)]
    subprocess.run([*javac, *map(str, sources)], check=True, timeout=120)
    lines = [json.dumps(each if isinstance(each, str) else asdict(each)) for each in told]
    done = subprocess.run(
        [str(java), "-cp", path, PROGRAM.stem],
        input="\n".join(lines),
        capture_output=True,
        text=True,
        encoding="ascii",
        check=True,
        timeout=120,
    )
    return [json.loads(line) for line in done.stdout.splitlines()]
