"""What brokers are told of a share group: for how long, and on whose cluster."""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import cast

import pytest

from highwater.harness.clients.group_settings import RESET, begun_at_earliest
from highwater.harness.cluster import FILES
from highwater.harness.errors import InfrastructureError
from highwater.harness.model import Altered
from highwater.harness.scene import Scene

GROUP = Altered("group", "t-workers")
EARLIEST, TAKEN_BACK = (GROUP, {RESET: "earliest"}), (GROUP, {RESET: None})


class Told:
    """What brokers are told, of which they refuse what takes something back, if they are to."""

    def __init__(self, *, ours: bool, refuses: bool = False) -> None:
        self.changes: list[tuple[Altered, Mapping[str, str | None]]] = []
        self.notes: list[str] = []
        self.metadata, self.has = self, {FILES} if ours else frozenset()
        self.cluster, self.note, self._refuses = self, self.notes.append, refuses

    def alter(self, what: Altered, settings: Mapping[str, str | None]) -> None:
        self.changes.append((what, settings))
        if self._refuses and settings[RESET] is None:
            raise InfrastructureError("nobody answers")

    @property
    def scene(self) -> Scene:
        return cast("Scene", SimpleNamespace(cluster=self.cluster, note=self.note))


def test_a_cluster_of_somebody_else_is_given_back_as_it_was() -> None:
    theirs, ours = Told(ours=False), Told(ours=True)
    with begun_at_earliest(theirs.scene, "t-workers"), begun_at_earliest(ours.scene, "t-workers"):
        assert theirs.changes == ours.changes == [EARLIEST]

    assert theirs.changes == [EARLIEST, TAKEN_BACK]
    assert ours.changes == [EARLIEST]


def test_it_is_given_back_whatever_happens_and_hides_nothing_of_it() -> None:
    theirs = Told(ours=False, refuses=True)
    own, begun = LookupError("the play's own"), begun_at_earliest(theirs.scene, "t-workers")
    with pytest.raises(LookupError, match="the play's own"), begun:
        raise own

    assert theirs.changes[-1] == TAKEN_BACK
    assert theirs.notes == [f"the share group t-workers keeps {RESET}=earliest: nobody answers"]
