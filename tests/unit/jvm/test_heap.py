"""A cluster says how much memory its JVMs may take, and has it of its own."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from highwater.harness.cluster import LARGEST_HEAP_MIB, LEAST_HEAP_MIB, ClusterSpec
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


@pytest.mark.parametrize("heap", [95, 1_048_577, -1, True, 512.0, float("nan"), "512", [512]])
def test_a_heap_that_is_no_whole_number_or_that_no_node_has_is_refused(heap: Any) -> None:
    why = f"has a heap of a whole number of MiB, from 96 to 1048576, not of {heap!r}"
    with pytest.raises(UsageError, match=re.escape(why)):
        ClusterSpec(heap_mib=heap)


@pytest.mark.parametrize("heap", [LEAST_HEAP_MIB, LARGEST_HEAP_MIB, None])
def test_a_heap_from_what_a_node_begins_with_to_a_tebibyte_is_taken(heap: int | None) -> None:
    assert LEAST_HEAP_MIB == HEAP_MIB
    assert ClusterSpec(heap_mib=heap).heap_mib == heap
