"""What every scenario asks that any client can play that can be a member of a group."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from highwater.harness.foreign.lines import MEMBER
from highwater.harness.model import Scenario
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario


def any_member(
    source: str,
    *,
    settings: Mapping[str, str] | None = None,
    tolerates: str = "",
    gated_clients: bool = False,
    who: str = MEMBER,
) -> Callable[[Callable[[Play, Partition], None]], Scenario]:
    """A scenario that every client can play that can be a member of a group.

    With `tolerates` two members may process one record, which that is the reason of. `who` can play
    it: with POLLING, say, only those can whose library has max.poll.interval.ms.
    """
    return scenario(
        source=source,
        claims=("unprocessed", "commit-regression", "stuck-group"),
        plays_on=">=0.11",
        any_client=who,
        calm="client-group-undisturbed",
        gated_clients=gated_clients,
        settings=settings or {},
        tolerates={"two-owners": tolerates} if tolerates else {},
        topic_settings={"min.insync.replicas": "2"},
    )
