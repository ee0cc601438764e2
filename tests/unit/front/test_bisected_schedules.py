"""What a bisection asks of a schedule that was found, and which it refuses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.unit.front.told_releases import Told, options, searched

from highwater import probing
from highwater.bisecting import Ends, bisect
from highwater.exploration.files import write_schedule
from highwater.exploration.steps import Schedule, Step, Taken
from highwater.exploration.topologies import setting_of
from highwater.exploration.transacting import Claim
from highwater.harness.errors import UsageError
from highwater.harness.versions.catalogue import find_kafka
from highwater.probing import probe_of


def test_a_schedule_fails_where_it_was_found_and_is_bisected_in_that_mode(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    told = Told("<3.6", fails_on="3.3.2-zk")

    _, found = searched(monkeypatch, told, tmp_path / "own")
    _, named = searched(monkeypatch, told, tmp_path / "named", bad="3.4.0-zk")

    assert (found["bad"], found["good"], found["first"]) == ("3.3.2-zk", "3.9.2-zk", "3.6.0-zk")
    assert (named["bad"], named["good"]) == ("3.4.0-zk", "3.9.2-zk")
    with pytest.raises(UsageError, match=r"not played on 3\.3\.2-zk beside the first mode"):
        searched(monkeypatch, told, tmp_path / "other", good="4.1.1")


SCHEDULES = Path(__file__).parents[2] / "schedules"


def test_a_schedule_is_asked_of_releases_that_have_its_cluster(tmp_path: Path) -> None:
    plain = probe_of(str(SCHEDULES / "kip101.json"), options(tmp_path))
    combined = tmp_path / "combined.json"
    told = {
        **json.loads((SCHEDULES / "kip966.json").read_text()),
        "setting": setting_of("combined"),
    }
    combined.write_text(json.dumps(told))

    assert (plain.fails_on, plain.why_not(find_kafka("4.4.0"))) == ("0.10.2.2", "")
    of_quorums = probe_of(str(combined), options(tmp_path))
    assert "combined=True needs KRaft" in of_quorums.why_not(find_kafka("2.8.2"))
    assert of_quorums.why_not(find_kafka("4.0.0")) == ""


def test_a_name_of_a_scenario_is_one_whatever_lies_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "kip101-loss-strict").mkdir()

    assert probe_of("kip101-loss-strict", options(tmp_path)).about == ""


@pytest.mark.parametrize(
    ("change", "ends", "told"),
    [
        ({"setting": {"heap_mib": 1}}, {}, r"found\.json cannot be played: a JVM of a cluster"),
        ({"kafka": "9.9.9"}, {}, r"found\.json: no Kafka '9\.9\.9'"),
        ({}, {"mode": "kraft"}, r"was found on 0\.10\.2\.2, which is no kraft; leave --mode out"),
    ],
)
def test_what_cannot_be_bisected_is_refused_with_its_reason(
    tmp_path: Path, change: dict[str, Any], ends: dict[str, str], told: str
) -> None:
    schedule = json.loads((SCHEDULES / "kip101.json").read_text())
    (tmp_path / "found.json").write_text(json.dumps({**schedule, **change}))
    named = Ends(**{"good": None, "bad": None, "mode": None, **ends})

    with pytest.raises(UsageError, match=told):
        bisect(str(tmp_path / "found.json"), named, options(tmp_path / "out"))


def test_an_end_that_cannot_have_a_step_is_refused_with_that_step(tmp_path: Path) -> None:
    steps = [Taken(Step(Claim(1)))]
    write_schedule(tmp_path / "found.json", Schedule(kafka="2.8.0", steps=steps))
    ends = Ends(good="0.10.2.2", bad=None, mode=None)

    with pytest.raises(UsageError, match=r"no claim\(producer=1\); name another end than 0\.10"):
        bisect(str(tmp_path / "found.json"), ends, options(tmp_path / "out"))


def test_plays_of_another_schedule_of_that_name_are_no_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found, out = tmp_path / "found.json", tmp_path / "out"
    told = json.loads((SCHEDULES / "kip101.json").read_text())
    found.write_text(json.dumps(told))
    monkeypatch.setattr(
        probing.ScheduleProbe,
        "tally",
        lambda _self, kafka: Told("<0.11").tally(kafka),
    )
    ends = Ends(good=None, bad=None, mode=None)
    bisect(str(found), ends, options(out))
    found.write_text(json.dumps({**told, "steps": told["steps"][:2]}))

    with pytest.raises(UsageError, match=r"found\.json has changed since it was bisected"):
        bisect(str(found), ends, options(out, resume=True))


def test_what_is_no_schedule_is_not_bisected(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"nowhere\.json is no schedule"):
        probe_of(str(tmp_path / "nowhere.json"), options(tmp_path))
