"""A cluster says how much memory its JVMs may take, and has it of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from highwater.harness.cluster import LEAST_HEAP_MIB, ClusterSpec
from highwater.harness.errors import UsageError
from highwater.harness.jvm.java import Java
from highwater.harness.jvm.runtime import BROKER, HEAP_MIB, MOST_HEAP_MIB, Runtime
from highwater.harness.processes.site import ProcessSite
from highwater.harness.sites import Program
from highwater.harness.versions.catalogue import find_kafka


def _heaps(tmp_path: Path, program: Program) -> Sequence[str]:
    java = Java("java", 17, "openjdk")
    site: Any = ProcessSite(Runtime(find_kafka("4.1.1"), java, ()), tmp_path, options=())
    site._warden = SimpleNamespace(group=0)
    made = site.node(program)
    return [word for word in made._command.line if word.startswith("-Xmx")]


def test_the_last_heap_on_the_line_is_that_of_the_spec(tmp_path: Path) -> None:
    usual = Program(
        number=1, name="broker-1", main=BROKER, properties=tmp_path / "properties", published=()
    )

    assert _heaps(tmp_path, usual) == [f"-Xmx{MOST_HEAP_MIB}m"]
    assert _heaps(tmp_path, replace(usual, heap_mib=1_536))[-1] == "-Xmx1536m"


def test_clusters_with_other_heaps_are_not_shared() -> None:
    assert ClusterSpec(heap_mib=512).key == ClusterSpec(heap_mib=512).key
    assert ClusterSpec(heap_mib=512).key != ClusterSpec().key


def test_a_heap_below_what_a_node_begins_with_is_refused() -> None:
    assert LEAST_HEAP_MIB == HEAP_MIB
    with pytest.raises(UsageError, match="has a heap of 96 MiB at least, not of 95"):
        ClusterSpec(heap_mib=95)
