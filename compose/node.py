"""One container: started, stopped, frozen and killed, each with a look that proves it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docker.errors import APIError
from testcontainers.core.container import DockerContainer

from highwater.harness.broker_logs import log_end
from highwater.harness.errors import InfrastructureError
from highwater.harness.wait import wait_until

if TYPE_CHECKING:
    from docker.models.containers import Container

STOP_TIMEOUT_S = 30.0


class ContainerNode:
    """A broker, controller or ZooKeeper in a container, which is made when it first starts."""

    def __init__(self, name: str, log: Path, make: Callable[[], DockerContainer]) -> None:
        self.name = name
        self.log = log
        self._make = make
        self._container: Container | None = None

    @property
    def container(self) -> Container:
        if self._container is None:
            raise InfrastructureError(f"{self.name} was never started")
        return self._container

    @property
    def running(self) -> bool:
        return self._container is not None and self._state()["Running"]

    def start(self) -> None:
        try:
            if self._container is None:
                self._container = self._make().start().get_wrapped_container()
            else:
                self._container.start()
        except APIError as error:
            raise InfrastructureError(
                f"the container of {self.name} does not start: {error.explanation}"
            ) from error

    def kill(self) -> None:
        """SIGKILL; returns when the container has ended."""
        self._signal("SIGKILL")

    def terminate(self) -> None:
        """SIGTERM, for an orderly shutdown; returns when the container has ended."""
        self._signal("SIGTERM")

    def pause(self) -> None:
        """The cgroup's freezer; returns when the engine says that it is frozen."""
        self.assert_running()
        self.container.pause()
        wait_until(lambda: self._state()["Paused"], f"{self.name} to be frozen", 5)

    def resume(self) -> None:
        self.assert_running()
        if self._state()["Paused"]:
            self.container.unpause()
        wait_until(lambda: not self._state()["Paused"], f"{self.name} to run again", 5)

    def assert_running(self) -> bool:
        """True; raises InfrastructureError with the end of the log when the container has ended."""
        if not self.running:
            code = self._state()["ExitCode"] if self._container else None
            raise InfrastructureError(
                f"{self.name} ended by itself (exit code {code}); the end of {self.log}:\n"
                f"{log_end(self.log)}"
            )
        return True

    def _signal(self, name: str) -> None:
        self.assert_running()
        self.container.kill(name)
        what = f"{self.name} to end"
        wait_until(lambda: not self.running, what, STOP_TIMEOUT_S, look=str(self.log))

    def _state(self) -> dict[str, Any]:
        self.container.reload()
        state: dict[str, Any] = self.container.attrs["State"]
        return state
