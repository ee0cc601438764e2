"""A cluster that is attached by its address, as the options of pytest say."""

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
