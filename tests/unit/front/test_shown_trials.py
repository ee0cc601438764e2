"""What is kept of a play of the chaos tests that pages show."""

from __future__ import annotations

import pytest
from tests.shown_trials import whole

from highwater.harness.errors import InfrastructureError

BLOCK = "def test_one(play): ...\n\ndef test_other(play): ...\n"
ENDED = {"outcome": "passed", "violated": []}


def test_a_play_that_was_interrupted_is_not_kept() -> None:
    with pytest.raises(InfrastructureError, match="expected the end of test_other"):
        whole({"test_one": ENDED}, [BLOCK])


def test_each_test_of_a_whole_play_is_kept() -> None:
    told = whole({"test_one": ENDED, "test_other": {**ENDED, "outcome": "failed"}}, [BLOCK])

    assert told == {"test_one": ("passed", []), "test_other": ("failed", [])}
