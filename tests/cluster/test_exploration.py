"""Schedules on real brokers: found by chance, shrunk, and played again with a verdict."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path

import pytest

from highwater.exploration.files import read_schedule
from highwater.exploration.findings import Finding
from highwater.exploration.nemesis import Nemesis
from highwater.exploration.storms import Idle
from highwater.exploration.terrain import Terrain
from highwater.exploration.walk import following
from highwater.harness.record.reader import open_run
from highwater.harness.versions.catalogue import find_kafka
from highwater.rounds import Rounds
from highwater.workshop import workshop

pytestmark = pytest.mark.cluster

SCHEDULES = Path(__file__).parents[1] / "schedules"
KIP101_BESIDE = SCHEDULES / "kip101_beside.json"
KIP101, KIP966 = SCHEDULES / "kip101.json", SCHEDULES / "kip966.json"
LOST_COMMIT = SCHEDULES / "lost_commit.json"
LOST_BY_A_MEMBER = SCHEDULES / "lost_by_a_member.json"
RECREATED, REPLACED = SCHEDULES / "recreated.json", SCHEDULES / "replaced_disk.json"
JUMPS = SCHEDULES / "jumps.json"
FORMER_MEMBER = SCHEDULES / "former_member.json"
STALE_POSITION = SCHEDULES / "stale_position.json"
LATE_POSITION = SCHEDULES / "late_position.json"
KIP890, KAFKA19446 = SCHEDULES / "kip890.json", SCHEDULES / "kafka19446.json"
PLAYS = 3


def highwater(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "highwater.cli", *words]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=500)


def findings(schedule: Path, kafka: str) -> list[Finding]:
    """Of each of PLAYS plays, in all of which every step was taken."""
    told = read_schedule(schedule)
    steps, terrain = [each.step for each in told.steps], Terrain.of(told)

    with workshop() as place, Rounds(find_kafka(kafka), place, print, terrain=terrain) as rounds:
        played = [rounds.play(following(steps)) for _ in range(PLAYS)]

    assert all(len(each.taken) == len(steps) for each in played), played
    return [each.finding for each in played]


@pytest.mark.parametrize(("kafka", "loses"), [("0.10.2.2", True), ("0.11.0.3", False)])
def test_the_essence_of_kip_101_loses_a_record_up_to_0_10(kafka: str, loses: bool) -> None:
    found = findings(KIP101, kafka)

    assert any("lost-write" in each.claims for each in found) is loses, found
    assert loses or all(each.is_settled for each in found)


@pytest.mark.on_demand
@pytest.mark.parametrize(("kafka", "loses"), [("0.10.2.2", True), ("0.11.0.3", False)])
def test_what_a_neighbour_loses_is_found_as_well(kafka: str, loses: bool) -> None:
    found = findings(KIP101_BESIDE, kafka)

    assert any(each.claims == ("lost-write",) for each in found) is loses, found
    assert all(each.told.startswith("beside: 1 ack") for each in found if each.found), found
    assert loses or all(each.is_settled for each in found)


@pytest.mark.on_demand
@pytest.mark.parametrize(("kafka", "loses"), [("0.10.2.2", True), ("0.11.0.3", False)])
def test_what_a_group_has_committed_is_lost_as_a_record_is(kafka: str, loses: bool) -> None:
    found = [each.claims for each in findings(LOST_COMMIT, kafka)]

    assert found == [("commit-regression",) if loses else ()] * PLAYS


@pytest.mark.on_demand
@pytest.mark.parametrize(("kafka", "is_behind"), [("3.9.1", False), ("4.4.0", True)])
def test_a_coordinator_of_4_tells_less_than_was_confirmed(kafka: str, is_behind: bool) -> None:
    if not is_behind:
        assert [each.claims for each in findings(STALE_POSITION, kafka)] == [()] * PLAYS
        return
    # Its high watermark may have moved on when it is asked; three times in a row is too seldom.
    tries = (findings(STALE_POSITION, kafka) for _ in range(3))
    assert any(each.found for found in tries for each in found)


@pytest.mark.on_demand
@pytest.mark.parametrize(("kafka", "loses"), [("4.0.0", True), ("4.1.1", False)])
def test_the_last_of_an_isr_loses_power_and_others_have_its_records(
    kafka: str, loses: bool
) -> None:
    steps = [each.step for each in read_schedule(KIP966).steps]

    with workshop() as place, Rounds(find_kafka(kafka), place, print) as rounds:
        played = rounds.play(following(steps))

    assert not played.failures, played.failures
    assert len(played.taken) == len(steps), played
    assert ("lost-write" in played.finding.claims) is loses, played.finding


@pytest.mark.on_demand
@pytest.mark.parametrize(("kafka", "hangs"), [("3.3.2", True), ("3.9.1", False), ("4.4.0", False)])
def test_a_late_record_begins_a_transaction_that_nobody_ends(kafka: str, hangs: bool) -> None:
    found = findings(KIP890, kafka)

    expected = ("hanging-transaction",) if hangs else ()
    assert [each.claims for each in found] == [expected] * PLAYS, found


@pytest.mark.on_demand
@pytest.mark.parametrize(("kafka", "hangs"), [("3.3.2", True), ("3.9.1", False), ("4.4.0", False)])
def test_a_late_position_begins_a_transaction_that_nobody_ends(kafka: str, hangs: bool) -> None:
    found = findings(LATE_POSITION, kafka)

    expected = ("hanging-transaction",) if hangs else ()
    assert [each.claims for each in found] == [expected] * PLAYS, found


@pytest.mark.on_demand
@pytest.mark.parametrize(("kafka", "is_hidden"), [("4.1.1", True), ("4.4.0", False)])
def test_a_marker_that_comes_twice_hides_what_was_committed(kafka: str, is_hidden: bool) -> None:
    found = findings(KAFKA19446, kafka)

    assert [each.claims for each in found] == [("unseen",) if is_hidden else ()] * PLAYS, found


@pytest.mark.on_demand
def test_a_storm_is_a_schedule_that_is_played_again() -> None:
    with workshop() as place, Rounds(find_kafka("3.9.1-zk"), place, print) as rounds:
        storm = rounds.play_by(Nemesis(), random.Random(1))
        again = rounds.play(following(storm.steps))

    assert {"pour", "idle", "isolate"} <= {step.move.name for step in storm.steps}
    assert [str(each) for each in again.steps if isinstance(each.move, Idle)] == [
        str(each) for each in storm.steps if isinstance(each.move, Idle)
    ]
    for played in (storm, again):
        assert played.finding.is_settled, played.finding
        assert not played.finding.found, played.finding
        assert max(filter(None, played.taken[-1].seen["log_end_offsets"].values())) > 10


@pytest.mark.on_demand
def test_a_loss_that_nobody_wrote_down_is_found_shrunk_and_replayed(tmp_path: Path) -> None:
    out = tmp_path / "found"

    searched = highwater(
        "explore", "-k", "0.10.2.2", "--seed", "1", "--budget", "5m", "-n", "1", "--out", str(out)
    )

    assert searched.returncode == 1, searched.stderr
    rounds = [json.loads(line) for line in (out / "rounds.jsonl").read_text().splitlines()]
    assert [each["number"] for each in rounds] == list(range(1, len(rounds) + 1))
    found, small = (read_schedule(out / f"found-1{kind}.json") for kind in ("", ".small"))
    assert found.claims
    assert 2 <= len(small.steps) <= len(found.steps)

    assert (out / "found-1" / "report.html").exists()
    played = json.loads((out / "found-1" / "compare.json").read_text())["cells"]
    assert [cell["kafka"] for cell in played] == ["0.10.2.1", "0.10.2.2", "0.11.0.0"]

    replayed = highwater(
        "replay", str(out / "found-1.small.json"), "-n", "4", "--out", str(tmp_path / "again")
    )

    compared = json.loads((tmp_path / "again" / "compare.json").read_text())
    (cell,) = compared["cells"]
    assert cell["trials"] == 4, replayed.stderr
    assert cell["unexpected"] == []
    written = read_schedule(tmp_path / "again" / cell["runs"][0] / "schedule.json")
    assert {str(each.step) for each in written.steps} <= {str(each.step) for each in small.steps}
    assert (written.claims, written.origin["hits"]) == (small.claims, small.origin["hits"])


@pytest.mark.on_demand
def test_a_search_on_a_good_release_finds_nothing_and_is_gone_on_with(tmp_path: Path) -> None:
    words = ("explore", "-k", "4.1.1", "--budget", "20s", "--out", str(tmp_path))

    first, second = highwater(*words), highwater(*words)

    assert (first.returncode, second.returncode) == (0, 0), first.stderr + second.stderr
    rows = [json.loads(line) for line in (tmp_path / "rounds.jsonl").read_text().splitlines()]
    assert [each["number"] for each in rows] == list(range(1, len(rows) + 1))
    assert f"schedules: {len(rows)}," in second.stderr
    assert sum(each["settled"] for each in rows) >= 0.9 * len(rows)


@pytest.mark.on_demand
@pytest.mark.parametrize("scenario", ["kip101-loss-no-crash", "kip101-loss-strict"])
def test_what_a_scenario_did_is_played_again_from_its_run(tmp_path: Path, scenario: str) -> None:
    one, again = tmp_path / "one", tmp_path / "again"
    highwater("run", scenario, "-k", "0.10.2.2", "-n", "1", "-o", str(one))
    (run,) = one.glob("runs/*/*/1")

    played = highwater(
        "replay", str(run), "-k", "0.10.2.2", "-k", "0.11.0.3", "-n", "2", "-o", str(again)
    )

    cells = json.loads((again / "compare.json").read_text())["cells"]
    assert [cell["reproduced"] for cell in cells] == [2, 0], played.stderr
    assert [cell["clean"] for cell in cells] == [0, 2], played.stderr


@pytest.mark.on_demand
def test_a_replay_without_a_fault_of_its_schedule_proves_nothing(tmp_path: Path) -> None:
    sends = {"move": "send", "records": 5, "acks": "all"}
    steps = [sends, {"move": "inject", "fault": "Kill(broker=9)"}, sends]
    told = {"schema": 1, "kafka": "0.10.2.2", "claims": ["lost-write"], "steps": steps}
    (tmp_path / "kill.json").write_text(json.dumps(told))

    played = highwater(
        "replay", str(tmp_path / "kill.json"), "-k", "4.1.1", "-n", "1", "-o", str(tmp_path / "out")
    )

    (cell,) = json.loads((tmp_path / "out" / "compare.json").read_text())["cells"]
    assert (played.returncode, cell["inconclusive"]) == (3, 1), played.stderr
    assert "a step that the schedule needs was not taken: inject(fault=Kill" in cell["reasons"][0]


@pytest.mark.on_demand
def test_a_replay_of_a_step_that_a_kafka_cannot_have_says_which_and_where(tmp_path: Path) -> None:
    played = highwater("replay", str(KAFKA19446), "-k", "0.10.2.2", "-n", "1", "-o", str(tmp_path))

    (cell,) = json.loads((tmp_path / "compare.json").read_text())["cells"]
    assert (played.returncode, cell["inconclusive"]) == (3, 1), played.stderr
    assert "saw 0.10.2.2, on which there is no claim(producer=1)" in cell["reasons"][0]


def test_a_schedule_that_shows_nothing_is_not_shrunk(tmp_path: Path) -> None:
    shown = highwater("shrink", str(KIP101), "-k", "4.1.1")

    assert shown.returncode == 2
    assert "nothing to shrink" in shown.stderr
    assert "Traceback" not in shown.stderr
    missing = highwater("replay", str(tmp_path / "none.json"))
    assert missing.returncode == 2
    assert "is no schedule" in missing.stderr


@pytest.mark.on_demand
@pytest.mark.parametrize(("kafka", "loses"), [("0.10.2.2", True), ("0.11.0.3", False)])
def test_what_a_member_has_committed_is_lost_as_a_record_is(kafka: str, loses: bool) -> None:
    found = [each.claims for each in findings(LOST_BY_A_MEMBER, kafka)]

    assert found == [("commit-regression",) if loses else ()] * PLAYS


@pytest.mark.on_demand
@pytest.mark.parametrize("kafka", ["0.10.0.1", "2.8.2", "3.9.1", "4.4.0"])
def test_who_was_a_member_before_commits_nothing_more(kafka: str, tmp_path: Path) -> None:
    """Whichever broker coordinates by then, and whatever that broker knew when it was elected."""
    out = tmp_path / "out"

    played = highwater("replay", str(FORMER_MEMBER), "-k", kafka, "-n", "1", "-o", str(out))

    assert played.returncode == 0, played.stderr
    (run,) = (path.parent for path in out.glob("runs/*/*/*/run.json"))
    rows = [
        row for row in open_run(run).table("commits").to_pylist() if row["outcome"] != "invoked"
    ]
    refused = [row for row in rows if row["outcome"] != "ok"]
    assert [(row["client"], row["offset"]) for row in refused] == [("group-1-member-1", 2)], rows
    assert any(each in refused[0]["error"] for each in ("UNKNOWN_MEMBER", "ILLEGAL_GEN")), refused
    confirmed = [(row["client"], row["offset"]) for row in rows if row["outcome"] == "ok"]
    assert confirmed[:3] == [
        ("group-1-member-1", 1),
        ("group-1-member-2", 3),
        ("group-1-member-2", 4),
    ]


@pytest.mark.on_demand
@pytest.mark.parametrize(("kafka", "loses"), [("2.8.2", True), ("3.9.1", False)])
def test_what_stood_in_a_topic_of_yesterday_replaces_what_was_acknowledged(
    kafka: str, loses: bool
) -> None:
    found = [each.claims for each in findings(RECREATED, kafka)]

    assert found == [("lost-write", "replica-divergence") if loses else ()] * PLAYS


@pytest.mark.on_demand
@pytest.mark.parametrize("kafka", ["0.10.2.2", "4.4.0"])
def test_who_is_out_of_sync_may_lose_its_disk(kafka: str) -> None:
    assert [each.claims for each in findings(REPLACED, kafka)] == [()] * PLAYS


@pytest.mark.on_demand
@pytest.mark.parametrize("kafka", ["0.10.2.2", "4.4.0"])
def test_clocks_that_jump_lose_nothing(kafka: str) -> None:
    assert [each.claims for each in findings(JUMPS, kafka)] == [()] * PLAYS
