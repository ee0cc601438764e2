"""Connections to single brokers, for what a scenario asks by hand."""

from collections.abc import Generator
from contextlib import ExitStack, contextmanager

from highwater.harness.play import Play
from highwater.harness.probes.wire import Wire

PATIENCE_S = 15.0  # a coordinator waits for members, and a broker for others


@contextmanager
def wires(play: Play, *brokers: int) -> Generator[list[Wire]]:
    """One for each of these; a broker answers one question after the other on each."""
    with ExitStack() as stack:
        opened = []
        for broker in brokers:
            wire = Wire.at(play.cluster.address(broker), PATIENCE_S)
            stack.callback(wire.close)
            opened.append(wire)
        yield opened
