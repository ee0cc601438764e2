"""Whom a gate of one's own stands before is asked who else there is."""

from __future__ import annotations

import socket

import pytest

from highwater.gating import brokers_of
from highwater.harness.errors import InfrastructureError


def test_a_server_that_does_not_answer_is_named_once() -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))  # taken, and nobody listens
        host, port = silent.getsockname()

        with pytest.raises(InfrastructureError) as refused:
            brokers_of([(host, port)])

    assert str(refused.value).count(f"{host}:{port}: ") == 1
