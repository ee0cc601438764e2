"""Schedules with three voters on real clusters: at odds, and together again."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from highwater.exploration.files import read_schedule
from highwater.exploration.ground import QUORUM
from highwater.exploration.moves import KillBroker, Lead, Release, Send, StartBroker
from highwater.exploration.quorums import Blind, Depose, HoldIsr, KillVoter
from highwater.exploration.steps import Schedule, Step, Taken
from highwater.exploration.topologies import COMBINED, VOTERS, terrain_of
from highwater.exploration.walk import following
from highwater.harness.versions.catalogue import find_kafka
from highwater.rounds import Rounds
from highwater.workshop import workshop

pytestmark = [pytest.mark.cluster, pytest.mark.on_demand]

TERRAIN = terrain_of("quorum")
SEND = Send(1, "all")
AT_ODDS = [
    Step(each)
    for each in (
        SEND, Depose(), SEND, Release("depose", QUORUM, deliver=False),
        KillVoter(), SEND, Release("kill_voter", QUORUM, deliver=False),
        HoldIsr(1), KillBroker(3), SEND, Release("hold_isr", 1, deliver=True), StartBroker(3),
        Blind(2), Lead(2), SEND,
    )
]  # fmt: skip


@pytest.mark.parametrize("kafka", ["3.7.2", "4.4.0"])
def test_voters_fall_apart_die_and_are_not_heard_and_nothing_is_lost(kafka: str) -> None:
    with workshop() as place, Rounds(find_kafka(kafka), place, print, terrain=TERRAIN) as rounds:
        played = rounds.play(following(AT_ODDS))

    assert not played.failures, played.failures
    assert [str(each) for each in played.steps] == [str(each) for each in AT_ODDS]
    after = {str(each.step): each.after for each in played.taken}
    assert after["depose()"][-1] == "quorum depose"
    assert after["kill_voter()"][-1] == "quorum kill_voter"
    assert any("blind" in words for words in after["lead(broker=2)"])
    assert played.finding.is_settled, played.finding
    assert not played.finding.found, played.finding


OF_VOTERS = [
    Step(each)
    for each in (
        SEND, KillBroker(1), SEND, StartBroker(1), KillBroker(2), SEND, StartBroker(2),
        KillBroker(3), SEND, StartBroker(3), Lead(2), SEND,
    )
]  # fmt: skip


@pytest.mark.parametrize("kafka", ["3.9.1", "4.4.0"])
def test_brokers_that_are_voters_die_one_after_the_other_and_nothing_is_lost(kafka: str) -> None:
    terrain = terrain_of("rough", COMBINED)
    with workshop() as place, Rounds(find_kafka(kafka), place, print, terrain=terrain) as rounds:
        played = rounds.play(following(OF_VOTERS))

    assert not played.failures, played.failures
    assert [str(each) for each in played.steps] == [str(each) for each in OF_VOTERS]
    assert played.finding.is_settled, played.finding
    assert not played.finding.found, played.finding


def highwater(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "highwater.cli", *words]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=400)


def test_a_search_and_a_replay_have_three_voters(tmp_path: Path) -> None:
    out = tmp_path / "searched"

    searched = highwater("explore", "--moves", "quorum", "--budget", "20s", "--out", str(out))

    assert searched.returncode == 0, searched.stderr
    assert json.loads((out / "search.json").read_text())["topology"] == VOTERS

    asked = Schedule(
        kafka="4.4.0", steps=[Taken(each) for each in AT_ODDS[:4]], setting=TERRAIN.setting
    )
    (tmp_path / "asked.json").write_text(json.dumps(asked.to_json()))
    replayed = highwater(
        "replay", str(tmp_path / "asked.json"), "-n", "1", "--out", str(tmp_path / "again")
    )

    compared = json.loads((tmp_path / "again" / "compare.json").read_text())
    (cell,) = compared["cells"]
    assert (cell["reproduced"], cell["inconclusive"]) == (0, 0), replayed.stderr
    written = read_schedule(tmp_path / "again" / cell["runs"][0] / "schedule.json")
    assert written.setting is not None
    assert written.setting["voters"] == 3
    assert [str(each.step) for each in written.steps] == [str(each) for each in AT_ODDS[:4]]
