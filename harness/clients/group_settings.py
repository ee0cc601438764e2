"""What brokers are told of one share group, for as long as a play has members in it."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from highwater.harness.errors import ENVIRONMENT, in_words
from highwater.harness.model import Altered
from highwater.harness.scene import Scene

RESET = "share.auto.offset.reset"


@contextmanager
def begun_at_earliest(scene: Scene, group: str) -> Generator[None]:
    """A share group begins at the end unless brokers are told otherwise, of the group itself.

    A cluster that somebody else runs, or has lent, is told so no more when its members have gone:
    brokers keep such a setting for good, and may have it where no answer came. Of one that is
    thrown away nothing is asked, for it may not be well.
    """
    alter, whom = scene.cluster.metadata.alter, Altered("group", group)
    try:
        alter(whom, {RESET: "earliest"})
        yield
    finally:
        if scene.cluster.keeps_data:
            try:
                alter(whom, {RESET: None})
            except ENVIRONMENT as error:
                kept = f"the share group {group} keeps {RESET}=earliest: {in_words(error)}"
                scene.note(kept)
