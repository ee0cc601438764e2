"""What brokers are told of a share group: for how long, and on whose cluster."""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import cast

import pytest

from highwater.compose.attached import AttachedSite
from highwater.compose.stand_ins import StandInSite
from highwater.harness.clients.group_settings import RESET, begun_at_earliest
from highwater.harness.cluster import ClusterSpec
from highwater.harness.errors import InfrastructureError
from highwater.harness.kafka_cluster import KafkaCluster
from highwater.harness.model import Altered
from highwater.harness.processes.site import ProcessSite
from highwater.harness.scene import Scene
from highwater.harness.sites import Site
from highwater.harness.versions.catalogue import find_kafka

GROUP = Altered("group", "t-workers")
EARLIEST, TAKEN_BACK = (GROUP, {RESET: "earliest"}), (GROUP, {RESET: None})


class Told:
    """What brokers are told, of which they leave one thing without an answer, if they are to."""

    def __init__(self, *, ours: bool, unanswered: str | None = "nothing") -> None:
        self.changes: list[tuple[Altered, Mapping[str, str | None]]] = []
        self.notes: list[str] = []
        self.metadata, self.keeps_data = self, not ours
        self.cluster, self.note, self._unanswered = self, self.notes.append, unanswered

    def alter(self, what: Altered, settings: Mapping[str, str | None]) -> None:
        self.changes.append((what, settings))
        if settings[RESET] == self._unanswered:
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
    theirs = Told(ours=False, unanswered=None)
    own, begun = LookupError("the play's own"), begun_at_earliest(theirs.scene, "t-workers")
    with pytest.raises(LookupError, match="the play's own"), begun:
        raise own

    assert theirs.changes[-1] == TAKEN_BACK
    assert theirs.notes == [f"the share group t-workers keeps {RESET}=earliest: nobody answers"]


def test_what_nobody_has_answered_may_be_set_and_is_taken_back() -> None:
    theirs = Told(ours=False, unanswered="earliest")
    with (
        pytest.raises(InfrastructureError, match="nobody answers"),
        begun_at_earliest(theirs.scene, "t-workers"),
    ):
        pytest.fail("it has begun")

    assert theirs.changes == [EARLIEST, TAKEN_BACK]


@pytest.mark.parametrize(
    ("site", "is_lent"), [(AttachedSite, True), (StandInSite, True), (ProcessSite, False)]
)
def test_a_project_that_is_borrowed_is_somebody_elses(site: type[Site], is_lent: bool) -> None:
    runtime = SimpleNamespace(kafka=find_kafka("4.1.1"))
    ground = SimpleNamespace(holds_data=site.holds_data, runtime=runtime)

    assert KafkaCluster(cast("Site", ground), ClusterSpec()).keeps_data == is_lent
