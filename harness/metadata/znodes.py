"""A session with ZooKeeper: znodes are read and written, and nobody waits for ever."""

from __future__ import annotations

import json
import logging
import socket
from collections.abc import Sequence
from concurrent.futures import wait
from typing import Any

from kazoo.client import KazooClient
from kazoo.exceptions import (
    ConnectionLoss,
    KazooException,
    NodeExistsError,
    NoNodeError,
    SessionExpiredError,
)
from kazoo.handlers.threading import KazooTimeoutError

from highwater.harness.background import Background
from highwater.harness.errors import DeadlineError
from highwater.harness.patience import SLICE_S, left_s
from highwater.harness.wait import wait_until

CONNECT_TIMEOUT_S = 30
SESSION_S = 30.0
MOVING_SESSION_S = 3.0  # of several servers one that is frozen is left after two thirds of that
ANSWER_TIMEOUT_S = 2.0
CLOSE_TIMEOUT_S = 5.0

logging.getLogger("kazoo").setLevel(logging.CRITICAL)


class Znodes:
    """Those of the ZooKeeper whose servers listen at `addresses`: any of them is talked to.

    All are under `root`, such as "/kafka"; "" for ZooKeeper's own root.

    Every method raises TimeoutError where ZooKeeper does not answer (it may be down or frozen), and
    ConnectionError for what it or its client refuses.
    """

    def __init__(self, addresses: Sequence[str], root: str = "") -> None:
        retry = {"max_tries": -1, "delay": 0.05, "backoff": 1, "max_delay": 0.1}
        self._addresses = addresses
        session_s = SESSION_S if len(addresses) == 1 else MOVING_SESSION_S
        hosts = ",".join(addresses) + root
        self._client = KazooClient(hosts, timeout=session_s, connection_retry=retry)

    def connect(self) -> None:
        """Raises DeadlineError when ZooKeeper does not come up.

        Its servers are asked for their mode first: a session opened while one is still starting
        hangs for the whole session timeout (seen with 3.5.9).
        """
        wait_until(
            lambda: all(_serves(*each.split(":")) for each in self._addresses),
            "ZooKeeper to serve",
            CONNECT_TIMEOUT_S,
        )
        connected = self._client.start_async()
        wait_until(connected.is_set, "a session with ZooKeeper", CONNECT_TIMEOUT_S)

    def close(self) -> None:
        """Raises DeadlineError when the client does not end: ZooKeeper is frozen, perhaps."""
        closer = Background("zookeeper-close")
        ended = closer.submit(self._end)
        wait([ended], max(SLICE_S, left_s(CLOSE_TIMEOUT_S)))
        closer.close()
        if not ended.done():
            raise DeadlineError(f"waited {CLOSE_TIMEOUT_S} s for ZooKeeper's client to end")
        ended.result()

    def _end(self) -> None:
        self._client.stop()
        self._client.close()

    def children(self, node: str) -> Sequence[str]:
        """The names below a znode; none where there is no such znode."""
        try:
            found: Sequence[str] = _answered(self._client.get_children_async(node))
        except NoNodeError:
            return ()
        return found

    def ask(self, node: str) -> Any:
        """For the content of a znode, which `read_answer` waits for."""
        return self._client.get_async(node)

    def read(self, node: str) -> dict[str, Any] | None:
        """The content of a znode; None where there is none."""
        return read_answer(self.ask(node))

    def exists(self, node: str) -> bool:
        return _answered(self._client.exists_async(node)) is not None

    def write(self, node: str, content: Any) -> None:
        """See `create`."""
        self.create(node, json.dumps(content).encode())

    def replace(self, node: str, content: Any) -> None:
        """Another content for a znode that is there."""
        _answered(self._client.set_async(node, json.dumps(content).encode()))

    def create(self, node: str, content: bytes = b"") -> None:
        """With the znodes above it; raises FileExistsError when it is there."""
        try:
            _answered(self._client.create_async(node, content, makepath=True))
        except NodeExistsError as error:
            raise FileExistsError(f"ZooKeeper has {node} already") from error

    def append(self, node: str, content: Any) -> None:
        """A znode whose name begins so, and ends with the next number of its parent."""
        _answered(self._client.create_async(node, json.dumps(content).encode(), sequence=True))

    def delete(self, node: str) -> None:
        """Does nothing where there is none."""
        try:
            _answered(self._client.delete_async(node))
        except NoNodeError:
            return


def read_answer(question: Any) -> dict[str, Any] | None:
    """What was asked for; None where there is no such znode."""
    try:
        content: dict[str, Any] = json.loads(_answered(question)[0])
    except NoNodeError:
        return None
    return content


def _answered(question: Any) -> Any:
    """What ZooKeeper answers.

    Raises NoNodeError and NodeExistsError, and what Znodes says.
    """
    try:
        return question.get(timeout=left_s(ANSWER_TIMEOUT_S))
    except (NoNodeError, NodeExistsError):
        raise
    except (ConnectionLoss, SessionExpiredError, KazooTimeoutError) as error:
        raise TimeoutError(f"ZooKeeper does not answer: {error!r}") from error
    except KazooException as error:
        raise ConnectionError(f"ZooKeeper refuses: {error!r}") from error


def _serves(host: str, port: str) -> bool:
    """Whether the four-letter word `srvr` is answered with a mode."""
    with socket.create_connection((host, port), timeout=1) as connection:
        connection.sendall(b"srvr")
        return b"Mode:" in connection.makefile("rb").read()
