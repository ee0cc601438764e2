"""By which assignor the members of a group deal out their partitions, and what that promises."""

from __future__ import annotations

import json

import pytest

from highwater.harness.clients.settings import STRATEGY, ConsumerSettings
from highwater.harness.errors import UsageError
from highwater.harness.play import Play

pytestmark = [
    pytest.mark.cluster,
    pytest.mark.on_demand(together="tests/cluster/test_assignors.py"),
    pytest.mark.highwater(kafka=">=2.4"),
]


@pytest.mark.parametrize("assignor", ["sticky", "cooperative-sticky"])
def test_members_keep_what_they_have_when_one_more_joins(play: Play, assignor: str) -> None:
    orders = play.topic("orders", partitions=6)
    settings = ConsumerSettings(assignor=assignor)
    with (
        play.load(orders, rate_per_s=200),
        play.group("billing", orders, 2, settings, client="java") as billing,
    ):
        billing.await_handed(100)
        before = [member.assigned for member in billing.members]
        joined = billing.join()
        billing.await_handed(100)
        after = [member.assigned for member in billing.members]

    assert [len(each) for each in before] == [3, 3]
    assert [len(each) for each in after] == [2, 2, 2]
    assert all(kept < had for kept, had in zip(after[:2], before, strict=True))
    assert joined.handed > 0
    (told,) = json.loads((play.record.path / "run.json").read_text())["groups"].values()
    assert told[STRATEGY] == assignor


def test_an_assignor_that_a_library_has_not_is_refused_before_anything_starts(play: Play) -> None:
    orders = play.topic("orders")
    sticky = ConsumerSettings(assignor="sticky")

    with pytest.raises(UsageError, match=r"Unsupported .*strategy: sticky"):
        play.group("billing", orders, settings=sticky)
    with pytest.raises(UsageError, match=r"of aiokafka .* cannot be set to partition\.assignment"):
        play.group("billing", orders, settings=sticky, client="aiokafka")

    with play.load(orders, rate_per_s=100) as load:
        load.await_acked(10)
