"""Where a connection for questions by hand leads to."""

from __future__ import annotations

import socket
import struct
import threading

import pytest

from highwater.harness.addresses import written
from highwater.harness.errors import UsageError
from highwater.harness.probes.wire import Wire

FAMILIES = {"127.0.0.1": socket.AF_INET, "::1": socket.AF_INET6}


def _answer(server: socket.socket) -> None:
    """With the correlation id that was asked with, and one more number."""
    connection, _ = server.accept()
    with connection, connection.makefile("rb") as stream:
        stream.read(struct.unpack(">i", stream.read(4))[0])
        connection.sendall(struct.pack(">iii", 8, 1, 42))


@pytest.mark.parametrize("host", FAMILIES)
def test_a_wire_leads_to_an_address_as_it_is_written(host: str) -> None:
    try:
        server = socket.create_server((host, 0), family=FAMILIES[host])
    except OSError:
        pytest.skip(f"this machine has no {host}")
    with server:
        answering = threading.Thread(target=_answer, args=(server,), daemon=True)
        answering.start()
        wire = Wire.at(written(host, server.getsockname()[1]))

        assert wire.ask(19, 0, b"").int32() == 42

        wire.close()
        answering.join(5)


@pytest.mark.parametrize("address", ["", "localhost", ":9092", "a:x", "a:0"])
def test_what_is_no_address_is_refused(address: str) -> None:
    with pytest.raises(UsageError, match="HOST:PORT"):
        Wire.at(address)


def test_a_broker_that_stands_still_is_waited_for_as_long_as_is_said() -> None:
    with socket.create_server(("127.0.0.1", 0)) as frozen:
        wire = Wire.at(written(*frozen.getsockname()), timeout_s=0.2)

        with pytest.raises(TimeoutError):
            wire.ask(19, 0, b"")

        wire.close()
