"""`gate`: the gate in front of somebody's brokers, told by HTTP what to do with which frame."""

from __future__ import annotations

import struct
import threading
from collections.abc import Sequence
from contextlib import closing

from highwater import console
from highwater.gate_control import GateControl, listed
from highwater.gate_server import GateServer
from highwater.harness.addresses import addresses, written
from highwater.harness.errors import InfrastructureError, UsageError
from highwater.harness.gate.headers import METADATA
from highwater.harness.gate.metadata import (
    KnownBroker,
    decode_metadata_response,
    encode_metadata_request,
)
from highwater.harness.probes.wire import Wire

VERSIONS = (7, 1)  # of Metadata: what brokers from 2.1 on know, and what older ones do
LOOK_AGAIN_S = 1.0


def gate(upstream: Sequence[str], listen: str, control: str, *, as_json: bool) -> None:
    """Stand in front of every broker of a cluster until the user interrupts.

    Raises InfrastructureError where nobody answers, UsageError for an address that is none.
    """
    host, first = _only(listen)
    control_host, control_port = _only(control)
    servers = [one for each in upstream for one in addresses(each)]
    with GateControl() as opened, GateServer(opened, control_host, control_port) as server:
        for place, broker in enumerate(brokers_of(servers)):
            port = first + place if first else 0
            name, behind = f"broker-{broker.broker_id}", written(broker.host, broker.port)
            opened.open(name, behind, written(host, port), broker.broker_id)
        _tell(opened, server, as_json=as_json)
        told = 0
        while not threading.Event().wait(LOOK_AGAIN_S):
            said = opened.warnings()
            for text in said[told:]:
                console.say(text)
            told = len(said)


def brokers_of(servers: Sequence[tuple[str, int]]) -> list[KnownBroker]:
    """All brokers of a cluster, as the first server tells that answers."""
    silent = []
    for host, port in servers:
        for version in VERSIONS:
            with closing(Wire(host, port)) as wire:
                try:
                    body = wire.ask(METADATA, version, encode_metadata_request((), version))
                    found = decode_metadata_response(body, version).brokers
                except (OSError, ValueError, struct.error) as error:
                    silent.append(f"{written(host, port)}: {error}")
                    continue
            return sorted(found, key=lambda each: each.broker_id)
    raise InfrastructureError(
        f"no broker answers without encryption and passwords: {'; '.join(dict.fromkeys(silent))}"
    )


def _only(text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":")
    if not host or not port.isdecimal() or int(port) >= 1 << 16:
        raise UsageError(f"expected HOST:PORT, saw {text!r:.80}")
    return host.strip("[]"), int(port)


def _tell(opened: GateControl, server: GateServer, *, as_json: bool) -> None:
    proxies = listed(opened)
    bootstrap = ",".join(each["listen"] for each in proxies.values())
    if as_json:
        console.print_json(
            {
                "control": f"http://{server.address}",
                "bootstrap.servers": bootstrap,
                "proxies": proxies,
            }
        )
        return
    for name, each in proxies.items():
        console.out.print(
            f"{name}: {each['listen']} in front of {each['upstream']}", soft_wrap=True
        )
    console.out.print(f"bootstrap.servers={bootstrap}", soft_wrap=True)
    console.out.print(f"control: http://{server.address}/proxies", soft_wrap=True)
    console.out.print("Ctrl-C ends it.")
