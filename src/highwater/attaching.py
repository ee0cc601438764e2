"""A cluster that is attached by its address: made, and asked what can be played there."""

from __future__ import annotations

from highwater.backends import Backend
from highwater.harness.attached import AttachedCluster
from highwater.harness.versions.catalogue import Kafka
from highwater.securing import security_of_file


def attached_cluster(kafka: Kafka, backend: Backend) -> AttachedCluster:
    """Not begun yet; raises UsageError for what cannot be attached so."""
    security = security_of_file(backend.security) if backend.security else None
    if backend.hooks is not None:
        backend.hooks.require()
    return AttachedCluster(kafka, backend.bootstrap, security, backend.hooks)


def show_reach(version: str, backend: Backend, *, as_json: bool) -> None:
    """Ask a cluster who its brokers are, and print what can be played there; no hook is run.

    Raises UsageError for what cannot be attached, and InfrastructureError where nobody answers.
    """
    from highwater import console  # noqa: PLC0415 - a plugin of pytest's does without
    from highwater.adopting import kafka_named  # noqa: PLC0415
    from highwater.reach import reach  # noqa: PLC0415

    found = reach(backend.has)
    with attached_cluster(kafka_named(version), backend) as cluster:
        brokers = {str(each): cluster.address(each) for each in cluster.brokers}
    if as_json:
        console.print_json({"schema": 1, "brokers": brokers, **found.described()})
        return
    told = ", ".join(f"{number} at {address}" for number, address in brokers.items())
    for line in (f"brokers: {told}", *found.lines()):
        console.out.print(line, markup=False, highlight=False, soft_wrap=True)
