"""A cluster's ground on this machine: every node is a process, everything listens on 127.0.0.1."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from highwater.harness.jvm.runtime import BROKER, Runtime, limiting, sharing
from highwater.harness.jvm.wrapping import wrapper_of
from highwater.harness.lifetime import Lifetime
from highwater.harness.processes.node import Command, ProcessNode
from highwater.harness.processes.ports import HOST
from highwater.harness.processes.warden import Warden
from highwater.harness.sites import Program


class ProcessSite(Lifetime):
    """JVMs of one Kafka; `options` are for brokers, and by default use the class archive."""

    clients_at = HOST
    members = None
    holds_data = False
    gate_at = HOST
    keeps_release = ""

    def __init__(
        self, runtime: Runtime, directory: Path, options: Sequence[str] | None = None
    ) -> None:
        super().__init__()
        self.runtime = runtime
        self.directory = directory
        self.nodes: dict[int, ProcessNode] = {}
        self._options = options

    def _begin(self) -> None:
        self._ending.callback(self._reap)  # runs when the warden has killed them
        self._warden = self._ending.enter_context(Warden())
        shutil.rmtree(self.directory, ignore_errors=True)
        self.directory.mkdir(parents=True)

    @property
    def inside(self) -> Path:
        return self.directory

    @property
    def group(self) -> int:
        return self._warden.group

    @property
    def identity(self) -> Mapping[str, Any]:
        return {"java": self.runtime.java.description, "jars": self.runtime.described}

    def address(self, node: int) -> str:  # noqa: ARG002 - they share one machine
        return HOST

    def ports(self, node: int) -> tuple[int, ...]:  # noqa: ARG002 - any will do
        return ()

    def node(self, program: Program) -> ProcessNode:
        runtime = program.runtime or self.runtime
        options = sharing(runtime.archive) if self._options is None else self._options
        options = [*(options if program.main == BROKER else ()), *limiting(program.heap_mib)]
        line = runtime.line(program.main, [str(program.properties)], options)
        wrapper = wrapper_of(program.clock, obeys_file_modes=program.obeys_file_modes)
        command = Command(line, self.directory, self.group, wrapper)
        made = ProcessNode(program.name, command)
        self.nodes[program.number] = made
        return made

    def _reap(self) -> None:
        for node in self.nodes.values():
            node.reap()
