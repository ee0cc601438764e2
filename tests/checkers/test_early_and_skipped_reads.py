"""What clients were handed of their own before its time, and what readers were not handed."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.checkers.conftest import (  # fmt: skip
    HELD,
    UNKNOWN,
    poll,
    producer,
    send,
)

from highwater.harness.model import Verdict

pytestmark = pytest.mark.spark

Say = Callable[..., Verdict]


# precommitted-read


@pytest.mark.parametrize("other", ["a", "z"])
def test_names_do_not_say_whose_record_a_reader_was_handed(both_say: Say, other: str) -> None:
    """Two clients sent one value: the record may be of either."""
    clients = [producer(name, transactional_id=name) for name in ("m", other)]
    sends = [send(1, 0, (0, 100), client="m"), send(1, None, (0, 10), client=other)]
    early = poll(1, 0, client="m", invoked_ns=50, completed_ns=51)

    said = both_say("precommitted-read", clients, sends, early)

    assert (said.answer, said.considered) == (UNKNOWN, 1)
    assert said.reason == "1 undecided, it was sent more than once"


def test_a_record_of_others_only_is_not_asked_for(both_say: Say) -> None:
    clients = [producer(name, transactional_id=name) for name in "mz"]
    sends = [send(1, 0, (0, 100), client="z"), send(2, 1, (0, 9), client="m")]
    reads = [poll(1, 0, client="m"), poll(2, 1, client="m", invoked_ns=20, completed_ns=21)]

    said = both_say("precommitted-read", clients, sends, reads)

    assert (said.answer, said.considered) == (HELD, 1)
