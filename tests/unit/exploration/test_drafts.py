"""A schedule as a draft of a scenario: Python in the style of the house, with what was seen."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from highwater.exploration.drafts import draft
from highwater.exploration.ground import QUORUM
from highwater.exploration.moves import (
    Cut,
    Lead,
    Mute,
    Prefer,
    Release,
    Send,
    Shrink,
    StartBroker,
)
from highwater.exploration.quorums import Blind, Depose, HoldIsr, KillVoter
from highwater.exploration.steps import MOVES, Schedule, Step, Taken
from highwater.exploration.topologies import setting_of
from highwater.exploration.transacting import (
    Arrive,
    Claim,
    Coordinate,
    End,
    Withhold,
    Write,
    WriteLate,
)
from highwater.exploration.words import WORDS
from highwater.harness.model import Scenario

RUFF = str(Path(sys.executable).parent / "ruff")


def seen(*ends: int | None, leader: int = 1, isr: tuple[int, ...] = (1, 2, 3)) -> dict[str, object]:
    offsets = {str(broker): end for broker, end in enumerate(ends, start=1)}
    told = {"log_end_offsets": offsets, "high_watermarks": offsets}
    return {"leader": leader, "isr": list(isr), **told}


SCHEDULE = Schedule(
    kafka="3.9.1-zk",
    steps=(
        Taken(Step(Prefer(3)), seen=seen(0, 0, 0)),
        Taken(Step(Mute(2, after_records=True)), seen=seen(0, 0, 0)),
        Taken(Step(Cut(3), waits=False), seen=seen(0, 0, 0)),
        Taken(Step(Send(3, "all")), seen=seen(3, 3, None)),
        Taken(Step(Send(1, "1")), seen=seen(4, 3, 0)),
        Taken(Step(Shrink()), seen=seen(4, 3, 0, isr=(1, 2))),
        Taken(Step(Release("mute", 2, deliver=True)), seen=seen(4, 4, 0)),
        Taken(Step(Lead(2)), seen=seen(4, 4, 0, leader=2)),
    ),
    claims=("lost-write",),
    told="3 acknowledged records are gone",
)


def test_a_draft_has_the_words_of_a_scenario_and_what_was_seen() -> None:
    text = draft("found-1", SCHEDULE)

    body = [line.strip() for line in text.split('"""\n')[-1].splitlines()]
    assert body[0] == "one, two, three = partition.replicas"
    assert "partition.prefer(three, one, two)" in body
    muted = "HoldAnswers(None, two, after_records=True, deliver=True)"
    assert f"mute_two = play.inject({muted})" in body
    at = body.index("play.inject(BlockLink(three))")  # which nothing ends before the end
    assert body[at + 1] == "partition.request(3)"  # the step before does not wait
    assert "ends={one: 3, two: 3}," in body  # nobody knows of the third
    assert "partition.request(1, Acks.ONE)" in body
    assert "partition.await_isr(one, two)" in body
    assert "play.heal(mute_two)" in body
    assert body.index("partition.move_leader(two)") < body.index("partition.await_leader(two)")
    assert body[-1] == "play.heal()"
    assert 'reproduces="==3.9.1",' in text
    assert 'claims=("lost-write",),' in text


def test_a_draft_is_a_scenario_that_ruff_and_python_read(tmp_path: Path) -> None:
    path = tmp_path / "found_1.py"
    path.write_text(draft("found-1", SCHEDULE), encoding="utf-8")

    names: dict[str, object] = {}
    exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), names)

    found = names["found_1"]
    assert isinstance(found, Scenario)
    assert found.name == "found-1"
    assert found.topic_settings == {"min.insync.replicas": "2"}
    for words in (["check", "--select", "E,F,I,W"], ["format", "--diff"]):
        style = ["--no-cache", "--line-length", "100", str(path)]
        told = subprocess.run([RUFF, *words, *style], capture_output=True, text=True, check=False)
        assert told.returncode == 0, told.stdout


def test_a_draft_of_transactions_has_the_words_of_producers() -> None:
    moves = (Claim(1), Write(1, 1), WriteLate(1), End(1, commit=False), Arrive(1), Coordinate(2))
    steps = tuple(Taken(Step(move, waits=False)) for move in moves)

    text = draft("found-2", Schedule(kafka="3.3.2", steps=steps))

    body = [line.strip() for line in text.split('"""\n')[-1].splitlines()]
    assert "late_1 = play.inject(HoldProduce(producer_1.name))" in body
    assert body.index("producer_1.abort()") < body.index("play.heal(late_1)")
    assert "coordinator_is(play, (two, one, three), TRANSACTIONS)" in body
    for word in ("hold_produce import HoldProduce", "import coordinator_is", "import TRANSACTIONS"):
        assert word in text
    compile(text, "found_2.py", "exec")


def test_a_draft_of_voters_has_who_leads_them(tmp_path: Path) -> None:
    released = Release("depose", QUORUM, deliver=False)
    moves = (Depose(), Blind(2), HoldIsr(1), released, KillVoter())
    steps = tuple(Taken(Step(move, waits=False)) for move in moves)
    schedule = Schedule(kafka="4.1.1", steps=steps, setting=setting_of("voters"))

    text = draft("found-3", schedule)

    body = [line.strip() for line in text.split('"""\n')[-1].splitlines()]
    deposed = "depose_quorum = play.inject(PartitionQuorum(play.await_quorum_leader()))"
    assert body.index(deposed) < body.index("play.heal(depose_quorum)")
    assert "play.inject(HoldDecisions(two))" in body
    assert "play.inject(KillMetadata())" in body
    assert "    voters=3,\n    gated_metadata=True,\n" in text
    compile(text, str(tmp_path / "found_3.py"), "exec")


def test_a_schedule_that_was_written_by_hand_has_its_replicas_named() -> None:
    text = draft("by-hand", Schedule(kafka="4.1.1", steps=(Taken(Step(Lead(2))),)))

    assert "one, two, three = partition.replicas" in text
    assert "partition.await_leader(two)" in text
    assert 'claims=("lost-write",),' in text


def test_a_draft_of_what_a_scenario_did_is_in_its_setting() -> None:
    setting = {"replicas": 2, "broker_settings": {1: {"replica.lag.time.max.ms": "3000"}}}
    schedule = Schedule(kafka="2.0.0", steps=(Taken(Step(Lead(2))),), setting=setting)

    text = draft("again", schedule)

    assert "one, two = partition.replicas" in text
    assert "    replicas=2,\n" in text
    assert '    broker_settings={1: {"replica.lag.time.max.ms": "3000"}},\n' in text


@pytest.mark.parametrize("name", MOVES)
def test_every_move_has_words(name: str) -> None:
    assert name in WORDS


def test_a_marker_that_was_withheld_comes_before_its_fault_ends() -> None:
    moves = (Withhold(2), Release("withhold", 2, deliver=True))
    steps = tuple(Taken(Step(move, waits=False)) for move in moves)

    body = draft("found-3", Schedule(kafka="3.3.2", steps=steps)).splitlines()

    told = [line.strip() for line in body if "withhold_two" in line]
    assert told[1:] == ["withhold_two.rule.pass_on()", "play.heal(withhold_two)"]


def test_a_broker_that_is_not_there_has_no_words() -> None:
    with pytest.raises(LookupError, match="about no broker"):
        draft("found-4", Schedule(kafka="3.3.2", steps=(Taken(Step(Coordinate(9))),)))


def test_a_draft_ends_nothing_that_it_has_not_opened() -> None:
    moves = (
        StartBroker(2), Release("depose", QUORUM, deliver=False), Arrive(1),
        Release("withhold", 3, deliver=True), Depose(), Release("depose", QUORUM, deliver=False),
    )  # fmt: skip
    steps = tuple(Taken(Step(move, waits=False)) for move in moves)

    text = draft("found-5", Schedule(kafka="4.1.1", steps=steps, setting=setting_of("voters")))

    ended = [line.strip() for line in text.splitlines() if "heal(" in line or "pass_on" in line]
    assert ended == ["play.heal(depose_quorum)", "play.heal()"]


def test_a_draft_of_one_replica_has_a_tuple_of_it() -> None:
    steps = (Taken(Step(Prefer(1), waits=False)), Taken(Step(Coordinate(1), waits=False)))

    text = draft("found-6", Schedule(kafka="4.1.1", steps=steps, setting={"replicas": 1}))

    assert "(one,) = partition.replicas" in text
    assert "partition.prefer(one)\n" in text
    assert "coordinator_is(play, (one,), TRANSACTIONS)" in text


def test_a_draft_says_of_features_what_no_scenario_can() -> None:
    steps = (Taken(Step(Lead(2))),)
    setting = {"replicas": 3, "features": {"kraft.version": "1\n"}}
    names: dict[str, object] = {}

    exec(draft("found-6", Schedule(kafka="4.1.1", steps=steps, setting=setting)), names)

    assert isinstance(names["found_6"], Scenario)
