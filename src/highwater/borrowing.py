"""A cluster that docker compose has started, to be borrowed: asked, and held against a play.

Scenarios and chaos tests are refused by the same words, before anything of it is stopped.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from highwater.backends import DOCKER, Backend
from highwater.harness.errors import UsageError

if TYPE_CHECKING:
    from highwater.compose.attached import Project  # it loads Docker's client
    from highwater.harness.cluster import ClusterSpec
    from highwater.harness.versions.catalogue import Kafka

OF_COMPOSE = "compose:"  # before the name of a project, where bootstrap servers may stand as well
# Nobody else started them so.
OF_OUR_BROKERS = ("fake_clock", "obeys_file_modes", "two_log_dirs", "heap_mib")


@dataclass(frozen=True, slots=True)
class Borrowed:
    """What a project runs, and how it is played on."""

    kafka: Kafka
    backend: Backend
    said: tuple[str, ...]  # what whoever plays there has to know, a sentence each


def project_in(attach: str) -> str | None:
    """The PROJECT of compose:PROJECT, "" where it has been left out; None for anything else."""
    return attach.removeprefix(OF_COMPOSE) if attach.startswith(OF_COMPOSE) else None


def borrowed(option: str, project: str, *, owned: bool) -> Borrowed:
    """Ask a project what it runs; nothing is stopped yet.

    `owned`: whoever asks says that it is theirs. Without it nothing is even asked: UsageError, as
    for what cannot be borrowed. InfrastructureError when Docker does not answer.
    """
    if not owned:
        raise UsageError(
            f"{option} {OF_COMPOSE}{project}: while the play lasts its Kafkas stop, are started "
            "with another configuration (with a file of your own, containers stand in for them), "
            "and broken; say that this may be done to them: --i-own-this-cluster"
        )
    from highwater.compose.attached import project_of  # noqa: PLC0415 - loads Docker's client

    there = project_of(project)
    backend = Backend(
        DOCKER,
        project=project,
        voters=there.voters,
        brokers=there.brokers,
        combined=there.combined,
        controller_apart=there.is_ours and not there.kafka.kraft,
        nodes=there.nodes,
    )
    return Borrowed(there.kafka, backend, tuple(_of_its_controllers(project, there)))


def unfit(spec: ClusterSpec, backend: Backend) -> str:
    """Why what needs such a cluster cannot be played on the borrowed one; "" if it can.

    To be read after whoever needs it.
    """
    project = backend.project
    lacking = [name for name in OF_OUR_BROKERS if getattr(spec, name)]
    if lacking:
        return f"needs brokers with {lacking[0]}, and those of {project} have none of that"
    if backend.brokers < spec.brokers:
        return f"needs {spec.brokers} brokers, {project} has {backend.brokers}"
    if backend.voters < spec.voters:
        return f"needs {spec.voters} voters, {project} has {backend.voters}"
    if spec.combined and not backend.combined:
        return f"needs voters that are brokers, and those of {project} are nodes of their own"
    return ""


def _of_its_controllers(project: str, there: Project) -> Iterator[str]:
    if there.combined:
        yield (
            f"the controllers of {project} are brokers: while two of the three are down nobody is "
            "elected, and a trial that needs that proves nothing"
        )
    for broker in there.divided:
        yield f"broker {broker} of {project} is a controller as well: in the play it is two nodes"
