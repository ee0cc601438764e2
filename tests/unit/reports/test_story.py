"""The story in plain words: from what is recorded, and from nothing else."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest

from highwater.harness.record.reader import find_runs
from highwater.reports.axis import time_axis
from highwater.reports.contents import RunContents, load
from highwater.reports.cuts import cuts
from highwater.reports.story import MOST_SENTENCES, Story, story
from highwater.reports.told import said

ANSWER = "from offset 11, high watermark 11"


def _contents(kip101: ModuleType, root: Path, trial: object) -> RunContents:
    kip101.write(root, trial)
    (run,) = find_runs(root)
    return load(run)


def _story(contents: RunContents) -> Story:
    place = ("t", 0)
    return story(contents, place, cuts(contents, place), time_axis([0, contents.end_ns]))


def test_a_loss_is_told_from_the_kill_to_the_log_that_was_cut(
    kip101: ModuleType, tmp_path: Path
) -> None:
    told = _story(_contents(kip101, tmp_path, kip101.Trial()))

    (cut,) = [each for each in told.sentences if each.kind == "cut" and "Broker 3" in each.text]
    assert cut.at == "7.450"
    assert cut.quote == "Truncating log t-0 to offset 1."
    assert cut.text == (
        "Broker 3 cut its log to offset 1, which is the high watermark that it knew in the look "
        "before; at 7.410 s its log had ended at offset 11, its high watermark at 1. 10 "
        "acknowledged records had been given offsets that it cut off."
    )
    texts = [each.text for each in told.sentences]
    assert "Broker 1 was killed." in texts
    assert "Broker 3 leads in leader epoch 2; in sync: 3." in texts
    assert texts.index("Broker 1 was killed.") < texts.index(cut.text)


def test_every_sentence_comes_from_an_event_or_a_look(kip101: ModuleType, tmp_path: Path) -> None:
    contents = _contents(kip101, tmp_path, kip101.Trial())

    told = _story(contents).sentences

    looked = {at_ns for (at_ns,) in contents.rows("replica_states", "at_ns")}
    assert len(told) > 15
    assert [each.at_ns for each in told] == sorted(each.at_ns for each in told)
    for each in told:
        if each.line is None:
            assert each.at_ns in looked
        else:
            assert contents.events[each.line]["at_ns"] == each.at_ns


def test_of_a_long_run_what_made_a_difference_stays(kip101: ModuleType, tmp_path: Path) -> None:
    contents = _contents(kip101, tmp_path, kip101.Trial())
    notes = [
        {"at_ns": 6_000_000_000 + number, "kind": "precondition", "text": f"{number}", "met": True}
        for number in range(5000)
    ]
    events = sorted([*contents.events, *notes], key=lambda each: int(each["at_ns"]))
    long = RunContents(contents.identity, events, [], contents.tables, [])

    told = _story(long)

    assert len(told.sentences) == MOST_SENTENCES
    assert told.left_out > 4900
    assert any(each.kind == "cut" for each in told.sentences)


@pytest.mark.parametrize(
    ("event", "sentence"),
    [
        (
            {"kind": "fault", "phase": "opened", "fault": "BlockLink(follower=3, leader=2)"},
            "From now on nothing passes between follower 3 and leader 2.",
        ),
        (
            {"kind": "fault", "phase": "opened", "fault": "Somebodys(own=1)"},
            "Fault injected: Somebodys(own=1).",
        ),
        ({"kind": "fault", "phase": "opened", "fault": "Kill(broker=1)"}, ""),
        ({"kind": "fault", "phase": "failed", "fault": "Kill(broker=1)"},
         "Fault failed: Kill(broker=1)."),
        ({"kind": "precondition", "met": False, "text": "so"}, "Required, and NOT seen: so."),
        ({"kind": "broker", "broker": 2, "event": "paused"}, "Broker 2 was frozen."),
        (
            {"kind": "gate", "event": "standing", "leader": 1, "follower": 3, "api": 1,
             "stage": "response", "partitions": [{"fetch_offset": 11, "high_watermark": 11}]},
            f"The answer of broker 1 to a fetch of broker 3 ({ANSWER}) stands at the gate.",
        ),
        ({"kind": "gate", "event": "seen", "leader": 1, "follower": 3, "api": 1}, ""),
        ({"kind": "another tool's", "text": "word"}, ""),
        (
            {"kind": "send", "client": "p", "acks": "all", "records": 2, "acked": 2,
             "first_offset": 4, "end_offset": 6},
            "p sent 2 records with acks=all; 2 acknowledged, at offsets 4 to 5.",
        ),
        ({"kind": "send", "text": "sent"}, "sent"),
    ],
)  # fmt: skip
def test_an_event_is_told_in_a_sentence(event: dict[str, object], sentence: str) -> None:
    assert said(event) == sentence


MUTED = "HoldAnswers(leader=None, follower=2, after_records=True, deliver=False)"
WAIT = "Answers of whoever leads to follower 2 are to wait at the gate"


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        (
            "BlockLink(follower=1, leader=None)",
            "From now on nothing passes between follower 1 and whoever leads.",
        ),
        (MUTED, f"{WAIT}, from the one after records on."),
        (MUTED.replace("True", "False"), f"{WAIT}."),
    ],
)
def test_a_fault_around_whoever_leads_names_no_leader(fault: str, told: str) -> None:
    assert said({"kind": "fault", "phase": "opened", "fault": fault}) == told
