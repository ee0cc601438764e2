"""What becomes of what an adapter says when that cannot be kept."""

from __future__ import annotations

from pathlib import Path
from subprocess import run

import pytest
from tests.unit.foreign.scripts import KEEPS, command

from highwater.harness.errors import HighwaterError, InfrastructureError
from highwater.harness.foreign.lines import BreachError, Event
from highwater.harness.foreign.talk import Talk, describe


def test_what_cannot_be_kept_is_no_good_end(tmp_path: Path) -> None:
    def hear(event: Event) -> None:
        raise ValueError(f"no room for {event['event']}")

    with (
        pytest.raises(InfrastructureError, match="said cannot be kept: ValueError: no room for he"),
        Talk(command(KEEPS, tmp_path / "log"), hear) as talk,
    ):
        talk.await_(lambda: talk.rules.is_ready, "say that it is ready", 20)


def test_what_is_wrong_by_its_own_words_is_told_in_them(tmp_path: Path) -> None:
    def hear(event: Event) -> None:
        raise HighwaterError("the disk is full")

    with Talk(command(KEEPS, tmp_path / "log"), hear) as talk:
        talk.awaits_end(20)

    assert str(talk.wrong) == "the disk is full"
    assert not isinstance(talk.wrong, BreachError)


@pytest.mark.parametrize("script", ["sleep {}; true", "sleep {} & exit 0"])
def test_an_adapter_that_is_no_adapter_leaves_no_process_behind(script: str) -> None:
    unlike_others = "4711.0815"

    with pytest.raises(BreachError):
        describe(["sh", "-c", f"echo hi; {script.format(unlike_others)}"])

    assert run(["pgrep", "-f", f"^sleep {unlike_others}"], check=False).returncode == 1
