"""docs/results.md: what it says that it was played with can be typed as it stands."""

from __future__ import annotations

import importlib.util
import json
import shlex
from collections.abc import Sequence
from typing import Any

import pytest
from tests import bisected
from typer.testing import CliRunner

from highwater import client_ladder, playing
from highwater.cells import Cell
from highwater.cli import app
from highwater.harness.foreign import roles
from highwater.harness.scenario import expectation
from highwater.harness.versions.catalogue import find_kafka
from highwater.scenarios.catalogue import find_scenario

ABLE = {
    "roles": ["producer", "member"],
    "member": ["max.poll.interval.ms"],
    "transactions": ["transactional.id", "transaction.timeout.ms"],
    "flush": True,
}


def test_each_command_of_the_results_runs_as_it_stands(
    tree: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    played: list[Sequence[Cell]] = []

    def noted(cells: Sequence[Cell], _options: playing.Options) -> int:
        played.append(cells)
        return 0

    monkeypatch.setattr(playing, "play_cells", noted)  # as far as to what would be played
    monkeypatch.setattr(client_ladder, "play_cells", noted)
    for module in (client_ladder, roles):
        monkeypatch.setattr(module, "command_of", lambda *_: ())
    monkeypatch.setattr(roles, "describe", lambda _: {"capabilities": ABLE})
    kept = [json.loads(path.read_text()) for path in sorted(tree.root.glob("docs/results/*.json"))]
    told = [each["command"] for each in kept if isinstance(each, dict) and "command" in each]
    commands = [shlex.split(line) for text in told for line in text.splitlines()]

    refused = [shlex.join(words) for words in commands if not _runs(words)]

    assert refused == []
    assert len(played) == sum(words[0] == "highwater" for words in commands) > 0
    assert all(played)


def _runs(words: Sequence[str]) -> bool:
    if words[:2] == ["python", "-m"]:
        return importlib.util.find_spec(words[2]) is not None
    return words[0] == "highwater" and CliRunner().invoke(app, words[1:]).exit_code == 0


def test_each_flip_lies_where_its_scenario_expects_it(tree: Any) -> None:
    """Expectations are written from tickets, KIPs and source; bisections saw what they saw."""
    kept = json.loads((tree.root / "docs" / "results" / "bisect.json").read_text())
    found = [flip for flip in kept["flips"] if flip["last"]]
    other = {"holds": "fails", "fails": "holds"}

    for flip in bisected.every_flip(found):
        scenario, first = find_scenario(flip["scenario"]), flip["first_answer"]
        for name, answer in ((flip["first"], first), (flip["last"], other[first])):
            awaited = expectation(scenario, find_kafka(name), None)
            assert (awaited == "reproduced") is (answer == "fails"), (flip["scenario"], name)
    assert len(found) == len(kept["flips"])
    wanted = sorted(" ".join(flip.words) for flip in bisected.flips())
    assert sorted(flip["command"] for flip in kept["flips"]) == wanted
