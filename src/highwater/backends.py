"""Where brokers run: the sites that `--backend` names; each loads what it needs, and only then."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from highwater.harness.cluster import ClusterSpec
    from highwater.harness.hooks import Hooks
    from highwater.harness.jvm.runtime import Runtime
    from highwater.harness.sites import Site

PROCESS = "process"
DOCKER = "docker"
ATTACHED = "attached"


@dataclass(frozen=True, slots=True)
class Backend:
    """What the user chose: processes, containers of an image, or what somebody else runs."""

    name: str = PROCESS
    image: str | None = None  # somebody else's; None: ours, built if need be
    project: str | None = None  # of docker compose: its cluster is borrowed instead of made
    voters: int = 0  # of that project; 0: as many as a scenario asks for
    brokers: int = 0  # of that project; 0: nobody has asked it
    combined: bool = False  # its voters are brokers
    controller_apart: bool = False  # it has a broker more, without data, that is the controller
    nodes: int = 0  # in how many containers of a file that is not ours
    bootstrap: str = ""  # of ATTACHED: where somebody else's cluster is found
    security: Path | None = None  # and the properties that clients need there
    hooks: Hooks | None = None  # and what may be done to it

    @property
    def is_attached(self) -> bool:
        """Whether there is an endpoint and nothing else."""
        return self.name == ATTACHED

    @property
    def has(self) -> frozenset[str]:
        """The capabilities of an attached cluster; all of them of any other."""
        from highwater.harness.cluster import EVERYTHING  # noqa: PLC0415

        if not self.is_attached:
            return EVERYTHING
        return self.hooks.has if self.hooks else frozenset()

    def fitted(self, spec: ClusterSpec) -> ClusterSpec:
        """A cluster as somebody wants it, as it is where it is borrowed."""
        if self.project is None:
            return spec
        return replace(
            spec,
            voters=self.voters or spec.voters,
            combined=self.combined or spec.combined,
            # Left out, it would take to its rest what replicas it has, such as positions of groups.
            quiet_replication_links=self.controller_apart or spec.quiet_replication_links,
        )


def make_site(
    backend: Backend, runtime: Runtime, directory: Path, announce: Callable[[str], None]
) -> Site:
    """Ground for one cluster, with what has to be prepared once for a Kafka.

    Raises InfrastructureError where the backend cannot run here.
    """
    if backend.project is not None:
        return _attached_site(backend.project, backend.nodes, runtime, directory)
    if backend.name == DOCKER:
        return _docker_site(backend.image, runtime, directory, announce)
    return _process_site(runtime, directory, announce)


def _attached_site(project: str, nodes: int, runtime: Runtime, directory: Path) -> Site:
    from highwater.compose.attached import attached_site  # noqa: PLC0415

    return attached_site(project, nodes, runtime, directory)


def _process_site(runtime: Runtime, directory: Path, announce: Callable[[str], None]) -> Site:
    from highwater.harness.archive import ensure_archive  # noqa: PLC0415
    from highwater.harness.processes.site import ProcessSite  # noqa: PLC0415

    if not runtime.archive.exists():
        announce(f"{runtime.kafka.name}: preparing a class archive (once)")
        ensure_archive(runtime)
    return ProcessSite(runtime, directory)


def _docker_site(
    name: str | None, runtime: Runtime, directory: Path, announce: Callable[[str], None]
) -> Site:
    from highwater.compose.images import ensure_image, published_image  # noqa: PLC0415
    from highwater.compose.site import DockerSite  # noqa: PLC0415
    from highwater.harness.archive import make_archive  # noqa: PLC0415

    if name is not None:
        image = published_image(name, runtime.kafka)
    else:
        image = ensure_image(runtime.kafka, runtime.jars, announce=announce)
    if not image.archive.exists():
        announce(f"{runtime.kafka.name}: preparing a class archive for {image.name} (once)")
        make_archive(
            image.archive, lambda place, options: DockerSite(runtime, image, place, options)
        )
    return DockerSite(runtime, image, directory)
