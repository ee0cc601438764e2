"""One container: started, stopped, frozen and killed, each with a look that proves it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from docker.errors import DockerException
from requests.exceptions import RequestException
from testcontainers.core.container import DockerContainer

from highwater.harness.broker_logs import how_it_ended
from highwater.harness.errors import InfrastructureError, PreconditionError
from highwater.harness.jvm.wrapping import Wrapper
from highwater.harness.wait import wait_until

if TYPE_CHECKING:
    from docker.models.containers import Container

STOP_TIMEOUT_S = 30.0
PERIOD_US = 100_000  # the kernel's own for a control group's quota
UNLIMITED = -1


P = ParamSpec("P")
T = TypeVar("T")


def _answered(
    method: Callable[Concatenate[ContainerNode, P], T],
) -> Callable[Concatenate[ContainerNode, P], T]:
    """Let a daemon that refuses, or has gone away, be told as such."""

    @wraps(method)
    def asked(self: ContainerNode, /, *args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return method(self, *args, **kwargs)
        except (DockerException, RequestException) as error:
            told = getattr(error, "explanation", None) or error
            raise InfrastructureError(
                f"Docker, asked for the container of {self.name}: {told}"
            ) from error

    return asked


@dataclass(frozen=True, slots=True)
class Housing:
    """How a node's container is made, and what it stands on."""

    make: Callable[[], DockerContainer] | None  # None: somebody else has made it
    network: str
    address: str  # there
    wrapper: Wrapper = list  # what every program there runs under


class ContainerNode:
    """A broker, controller or ZooKeeper in a container, which is made when it first starts."""

    def __init__(
        self, name: str, log: Path, housing: Housing, container: Container | None = None
    ) -> None:
        self.name = name
        self.log = log
        self._housing = housing
        self._container = container

    @property
    def container(self) -> Container:
        if self._container is None:
            raise InfrastructureError(f"{self.name} was never started")
        return self._container

    @property
    def running(self) -> bool:
        return self._container is not None and self._state()["Running"]

    @_answered
    def start(self) -> None:
        if self._container is None and self._housing.make is not None:
            self._container = self._housing.make().start().get_wrapped_container()
        else:
            self.container.start()

    def kill(self) -> None:
        """SIGKILL; returns when the container has ended."""
        self._signal("SIGKILL")

    def terminate(self) -> None:
        """SIGTERM, for an orderly shutdown; returns when the container has ended."""
        self._signal("SIGTERM")

    @_answered
    def pause(self) -> None:
        """The cgroup's freezer; returns when the engine says that it is frozen."""
        self.assert_running()
        self.container.pause()
        wait_until(lambda: self._state()["Paused"], f"{self.name} to be frozen", 5)

    @_answered
    def resume(self) -> None:
        self.assert_running()
        if self._state()["Paused"]:
            self.container.unpause()
        wait_until(lambda: not self._state()["Paused"], f"{self.name} to run again", 5)

    @property
    def pid(self) -> int:
        """Of the JVM, which is the only child of what limits its lifetime, or all there is."""
        outer = int(self._state()["Pid"])
        try:
            children = Path(f"/proc/{outer}/task/{outer}/children").read_text().split()
        except OSError as error:
            raise InfrastructureError(
                f"{self.name} is process {outer} of another machine than this: {error}"
            ) from error
        return int(children[0]) if children else outer

    @_answered
    def limit_cpu(self, cores: float | None) -> None:
        """A quota of its control group; None for as much as there is."""
        quota_us = UNLIMITED if cores is None else int(PERIOD_US * cores)
        self.container.update(cpu_period=PERIOD_US, cpu_quota=quota_us)

    @_answered
    def disconnect(self) -> None:
        """Take it off the cluster's network; it keeps its address for when it comes back."""
        self._network().disconnect(self.container)

    @_answered
    def reconnect(self) -> None:
        """Put it back on, unless it is there."""
        network = self._network()
        if self.container.id not in network.attrs["Containers"]:
            network.connect(self.container, ipv4_address=self._housing.address)

    @_answered
    def run(self, words: Sequence[str]) -> str:
        """What a program says there; raises PreconditionError with its output when it fails."""
        code, output = self.container.exec_run(self._housing.wrapper(words))
        said: str = output.decode(errors="replace")
        if code:
            raise PreconditionError(f"{words} on {self.name}: {said[-400:]}")
        return said

    def assert_running(self) -> bool:
        """True; raises InfrastructureError with the end of the log when the container has ended."""
        if not self.running:
            code = self._state()["ExitCode"] if self._container else None
            raise InfrastructureError(how_it_ended(self.name, code, self.log))
        return True

    @_answered
    def _signal(self, name: str) -> None:
        self.assert_running()
        self.container.kill(name)
        what = f"{self.name} to end"
        wait_until(lambda: not self.running, what, STOP_TIMEOUT_S, look=str(self.log))

    def _network(self) -> Any:
        return self.container.client.networks.get(self._housing.network)

    @_answered
    def _state(self) -> dict[str, Any]:
        self.container.reload()
        state: dict[str, Any] = self.container.attrs["State"]
        return state


def java_of(nodes: Iterable[ContainerNode]) -> str:
    """The line of `java -version` that names it, in a container that runs."""
    said = next(node for node in nodes if node.running).run(["java", "-version"])
    return next(line for line in said.splitlines() if "version" in line)
