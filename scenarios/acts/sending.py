"""A client that sends while something goes wrong, whichever library it is made of."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from highwater.harness.clients.load import Load
from highwater.harness.partition import Partition
from highwater.harness.play import Play

RATE_PER_S = 100
ENOUGH_RECORDS = 100  # a second before, during and after


@contextmanager
def sending(play: Play, partition: Partition) -> Generator[Load]:
    """It sends before and after what goes wrong inside, and nothing of it fails."""
    with play.load(play.topics[0], RATE_PER_S, client=play.client) as load:
        load.await_acked(ENOUGH_RECORDS)
        yield load
        load.await_acked(ENOUGH_RECORDS)
    partition.require("nothing has failed", load.failed == 0, failed=load.failed)
