"""An application of the user's in a container: started, killed, frozen and started again.

It is on the network of this machine. There clients find brokers of either backend under the
address that brokers tell them, and the gate as well.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

import docker
from docker.errors import APIError, ImageNotFound
from docker.models.containers import Container as Made
from docker.utils.socket import frames_iter
from requests.exceptions import RequestException

from highwater.compose.images import engine
from highwater.compose.labels import owned_by_us
from highwater.compose.watchdog import Watchdog
from highwater.harness.clients.running import Begin, Housing
from highwater.harness.clients.starting import told_words
from highwater.harness.errors import InfrastructureError, UsageError
from highwater.harness.wait import wait_until

GONE_TIMEOUT_S = 30.0
FREEZE_TIMEOUT_S = 5.0
HOST_NETWORK = "host"
REFUSED = (400, 404, 409)  # what was asked for cannot be; the rest is the engine's fault


@dataclass(frozen=True, slots=True)
class Container:
    """An image of the user's, and the words of a command in place of the image's own.

    For `play.application`. `volumes` are directories and files of this machine, and where they are
    inside.
    """

    image: str
    command: Sequence[str] | None = None
    volumes: Mapping[str, str] | None = None

    def housing(self, name: str, env: Mapping[str, str], bootstrap: str) -> Housing:
        """Where it will run; raises UsageError for an image that cannot be had, and for no words.

        InfrastructureError when Docker does not answer.
        """
        if not isinstance(self.image, str) or not self.image:
            raise UsageError(f"expected the name of an image for {name}, saw {self.image!r:.120}")
        words = None if self.command is None else told_words(self.command, bootstrap)
        mounted = _mounted(self.volumes)
        with engine() as client:
            identity = _identity_of(client, self.image)
        made: dict[str, Any] = {
            "image": identity,
            "command": words,
            "environment": dict(env),
            "network_mode": HOST_NETWORK,
            "volumes": mounted,
        }
        return partial(_housed, self.image, name, made)


class Life:
    """One life of a container, from its start until it has ended."""

    def __init__(self, container: Made, image: str, name: str) -> None:
        """Starts it; raises UsageError for a command that is not in the image."""
        self._container = container
        self._name = name
        # Before it starts, so that nothing is missed of what it prints, and nothing told twice.
        streams = {"stdout": 1, "stderr": 1, "stream": 1}
        self._printed: Any = None
        try:
            self._printed = container.client.api.attach_socket(container.id, streams)
            container.start()
        except (APIError, RequestException) as error:
            if self._printed is not None:
                _close(self._printed)
            raise _refused(f"{name}, a container of {image}, cannot be started", error) from error

    @property
    def pid(self) -> int:
        """Of its first process, as this machine counts."""
        return int(self._state()["Pid"])

    def exit_code(self) -> int | None:
        """None as long as it runs."""
        state = self._state()
        return None if state["Running"] else int(state["ExitCode"])

    def output(self) -> Generator[bytes]:
        """Line by line, also those of other processes in it; a long one comes in several pieces."""
        rests: dict[int, bytes] = {}  # by stream: the other one's lines may come in between
        try:
            for stream, said in frames_iter(self._printed, tty=False):
                *lines, rests[stream] = (rests.get(stream, b"") + said).split(b"\n")
                yield from (line + b"\n" for line in lines)
        finally:
            _close(self._printed)
        yield from filter(None, rests.values())

    def terminate(self) -> None:
        """The signal that its image says, else SIGTERM."""
        signal = self._container.attrs["Config"].get("StopSignal") or "SIGTERM"
        self._signal(signal)

    def kill(self) -> None:
        """SIGKILL, which ends all that is in it, frozen or not."""
        if self.exit_code() is None:
            self._signal("SIGKILL")
        wait_until(lambda: self.exit_code() is not None, f"{self._name} to end", GONE_TIMEOUT_S)

    def freeze(self) -> None:
        """The cgroup's freezer; returns when the engine says that it is frozen."""
        self._asked(self._container.pause)
        wait_until(lambda: self._state()["Paused"], f"{self._name} to be frozen", FREEZE_TIMEOUT_S)

    def thaw(self) -> None:
        """Let it go on; one that has ended meanwhile does not."""
        if self._state()["Paused"]:
            self._asked(self._container.unpause)
        wait_until(
            lambda: not self._state()["Paused"], f"{self._name} to run again", FREEZE_TIMEOUT_S
        )

    def _signal(self, signal: str) -> None:
        try:
            self._asked(partial(self._container.kill, signal))
        except UsageError:
            if self.exit_code() is None:
                raise  # else it has ended by itself meanwhile

    def _state(self) -> dict[str, Any]:
        self._asked(self._container.reload)
        state: dict[str, Any] = self._container.attrs["State"]
        return state

    def _asked(self, ask: Any) -> None:
        try:
            ask()
        except (APIError, RequestException) as error:
            raise _refused(f"Docker, asked for the container of {self._name}", error) from error


def _close(printed: Any) -> None:
    """The client hands out a file, behind which its connection stays open."""
    connection = printed._sock  # noqa: SLF001 - nothing else closes it
    printed.close()
    connection.close()


@contextmanager
def _housed(image: str, name: str, asked: Mapping[str, Any]) -> Generator[Begin]:
    """The container, which keeps what it has written from one life to the next."""
    session = uuid.uuid4().hex
    with engine() as client, Watchdog(session):  # leaving it takes the container away
        try:
            container = client.containers.create(
                name=f"highwater-{session[:8]}-{name}", labels=owned_by_us(session), **asked
            )
        except (APIError, RequestException) as error:
            raise _refused(f"{name}, a container of {image}, cannot be made", error) from error
        yield partial(Life, container, image, name)


def _mounted(volumes: object) -> dict[str, dict[str, str]]:
    """What Docker is told of them; it would make a directory, as root, of what is not there."""
    told = {} if volumes is None else volumes
    if not isinstance(told, Mapping):
        raise UsageError(f"expected places here and inside for volumes, saw {volumes!r:.120}")
    for pair in told.items():
        for place in pair:
            if not isinstance(place, str) or not place.startswith("/") or {":", "\0"} & {*place}:
                raise UsageError(
                    "expected absolute paths, here and inside, without colons for volumes, saw "
                    f"{place!r:.120}"
                )
        if not os.path.lexists(pair[0]):
            raise UsageError(f"expected what is on this machine for volumes, saw {pair[0]!r:.120}")
    return {here: {"bind": there} for here, there in told.items()}


def _identity_of(client: docker.DockerClient, image: str) -> str:
    """Of an image that is here, or is pulled; so that a tag that moves is asked for once."""
    try:
        try:
            found = client.images.get(image)
        except ImageNotFound:
            found = client.images.pull(image)
    except (APIError, RequestException) as error:
        told = getattr(error, "explanation", None) or error
        raise UsageError(
            f"expected an image that is here or can be pulled, saw {image!r:.120}: {told}; "
            "see: docker image ls"
        ) from error
    return str(found.id)


def _refused(what: str, error: Exception) -> UsageError | InfrastructureError:
    """What Docker says in one line, and whose fault it is."""
    told = " ".join(str(getattr(error, "explanation", None) or error).split())
    is_asked = isinstance(error, APIError) and error.status_code in REFUSED
    return (UsageError if is_asked else InfrastructureError)(f"{what}: {told}")
