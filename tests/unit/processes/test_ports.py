"""Ports that are reserved stay ours, and a server of ours may still listen on them."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from highwater.harness.errors import UsageError
from highwater.harness.processes.ports import FIRST, HOST, LAST, Ports


@contextmanager
def listener(port: int) -> Iterator[socket.socket]:
    """A server as JVMs and asyncio open it."""
    with socket.socket() as server:
        server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        server.bind((HOST, port))
        server.listen()
        yield server


def test_a_reserved_port_can_be_listened_on_again_and_again() -> None:
    with Ports() as ports:
        port = ports.free()

        for _ in range(2):
            with listener(port) as server, socket.create_connection((HOST, port)):
                accepted, _ = server.accept()
                accepted.close()


def test_a_reserved_port_is_refused_to_a_second_harness() -> None:
    with Ports() as ours, Ports() as others:
        port = ours.free()

        with pytest.raises(UsageError, match=f"port {port} on {HOST} is taken"):
            others.exactly(port)
        with listener(port), pytest.raises(UsageError):
            others.exactly(port)


def test_nothing_is_reserved_twice_by_one_harness() -> None:
    with Ports() as ports:
        port = ports.free()

        with pytest.raises(UsageError):
            ports.exactly(port)


def test_a_port_on_which_somebody_listens_is_refused_with_a_way_to_see_who() -> None:
    with Ports() as ports:
        port = ports.free()
    with listener(port), Ports() as ports, pytest.raises(UsageError, match="ss -ltnp"):
        ports.exactly(port)


def test_a_connection_is_not_accepted_while_only_the_reservation_is_there() -> None:
    with Ports() as ports, pytest.raises(ConnectionRefusedError):
        socket.create_connection((HOST, ports.free()))


def test_ports_are_released_with_their_context() -> None:
    with Ports() as ports:
        port = ports.free()

    with Ports() as later:
        assert later.exactly(port) == port


def test_free_ports_are_all_different_and_below_those_that_clients_are_given() -> None:
    with Ports() as ports:
        found = [ports.free() for _ in range(50)]

    assert len(set(found)) == len(found)
    assert all(FIRST <= port < LAST for port in found)
