"""Members that take groups over, and those that groups go on without; with a literal group."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from highwater.exploration import members as of_members
from highwater.exploration.asking import Asking
from highwater.exploration.choosing import Guided
from highwater.exploration.committing import Commit, is_of_groups
from highwater.exploration.findings import finding_of
from highwater.exploration.ground import Ground
from highwater.exploration.members import Former, Member, Members
from highwater.exploration.nemesis import storms
from highwater.exploration.positions import Positions
from highwater.exploration.proposals import MOVE_SETS, PROPOSALS
from highwater.exploration.steps import Move, Step
from highwater.exploration.taking_over import CommitAsFormer, CommitAsMember, TakeOver
from highwater.exploration.topologies import terrain_of
from highwater.exploration.views import Positioned, View, danger_of, state_of
from highwater.harness.errors import UsageError
from highwater.harness.model import PartitionState, TopicPartition
from highwater.harness.play import Play
from highwater.harness.probes.coordinators import Joined
from highwater.harness.probes.wire import AnswerError
from highwater.harness.record.reader import open_run
from highwater.harness.record.writer import RunRecord

WHERE = TopicPartition("round-7")
ILLEGAL_GENERATION, UNKNOWN_MEMBER_ID = 22, 25
MOVES = [TakeOver(1), CommitAsMember(1), CommitAsFormer(1)]
WAITED_S = 10


class Coordinator:
    """Of one group with one member at most; where it `is_lenient` anybody's commit will do."""

    def __init__(self, *, is_lenient: bool = False) -> None:
        self.is_lenient = is_lenient
        self.generation, self.member = 0, ""
        self.positions: list[int] = []
        self.away = 0  # how many questions nobody answers
        self.asked: list[str] = []

    def coordinator(self, question: Callable[[object], Any]) -> Any:
        if self.away:
            self.away -= 1
            raise TimeoutError("no answer")
        return question(None)

    def join(self, *_: object, **__: object) -> Joined:
        self.asked.append("join")
        self.generation += 1
        self.member = f"m{self.generation}"
        return Joined(self.generation, self.member, self.member, (self.member,))

    def leave(self, _wire: object, group: str, member: str) -> None:
        self.asked.append(f"leave {member}")
        if member != self.member:
            raise AnswerError("leaving", UNKNOWN_MEMBER_ID)
        self.member, self.generation = "", self.generation + 1

    def commit(self, *asked: Any) -> None:
        *_, position, (generation, name) = asked
        if not self.is_lenient and (generation, name) != (self.generation, self.member):
            raise AnswerError("a position", ILLEGAL_GENERATION)
        self.positions.append(position)


@pytest.fixture
def played(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Played]:
    with RunRecord(tmp_path / "run", {}) as record:
        yield Played(monkeypatch, record)


class Played:
    """A group on a literal coordinator."""

    def __init__(self, patch: pytest.MonkeyPatch, record: RunRecord) -> None:
        self.coordinator, self.notes = Coordinator(), list[str]()
        cluster = SimpleNamespace(kafka=None, address=lambda _broker: "127.0.0.1:1")  # nobody there
        play = SimpleNamespace(cluster=cluster, record=record, note=self.notes.append)
        self.positions = Positions(cast("Play", play), WHERE)
        self.group, self.members = self.positions.of(1), self.positions.members_of(1)
        self.group.asking = cast("Asking", self.coordinator)
        patch.setattr(of_members, "join_group", self.coordinator.join)
        patch.setattr(of_members, "leave_group", self.coordinator.leave)
        patch.setattr(of_members, "sync_group", lambda *_: b"")
        patch.setattr(of_members, "find_coordinator", lambda *_: 2)
        patch.setattr(of_members, "commit_as_member", self.coordinator.commit)

    def do(self, *steps: Callable[[], None]) -> None:
        for each in steps:
            each()
            self.group.wait(WAITED_S)


def test_a_member_that_a_group_has_gone_on_without_commits_nothing(played: Played) -> None:
    members = played.members

    played.do(members.take_over, members.commit, members.take_over, members.commit)
    assert (str(members), members.former) == (
        "member overtaken",
        Former(Member("group-1-member-1", (1, "m1"), 2), 2),
    )
    played.do(members.commit_as_former)

    told = "group-1-member-1: a position was answered with error 22 (ILLEGAL_GENERATION)"
    assert played.coordinator.positions == [1, 3]
    assert played.group.confirmed == {1, 3}
    assert played.notes == [told]
    assert (played.positions.seen({}).back, str(members)) == ((), "member")


def test_who_is_confirmed_less_than_the_next_one_was_has_gone_back(played: Played) -> None:
    played.coordinator.is_lenient = True
    members = played.members

    played.do(members.take_over, members.take_over, members.commit, members.commit_as_former)

    told = "group-1-member-1 was confirmed 1, and 2 was confirmed before"
    assert played.positions.seen({}).back == (told,)
    view = a_view(played.positions.seen({}))
    assert finding_of(view).claims == ("commit-regression",)
    assert finding_of(view).told == told


def test_what_nobody_has_gone_beyond_is_no_step_back(played: Played) -> None:
    played.coordinator.is_lenient = True
    members = played.members

    played.do(members.take_over, members.commit, members.take_over, members.commit_as_former)

    assert played.group.confirmed == {1, 2}
    assert played.positions.seen({}).back == ()


def test_each_member_is_on_the_record_by_its_own_name(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with RunRecord(tmp_path / "run", {}) as record:
        played = Played(monkeypatch, record)
        members = played.members
        played.do(members.take_over, members.commit, members.take_over, members.commit)

    rows = open_run(tmp_path / "run").table("commits").to_pylist()
    assert [(row["client"], row["offset"], row["outcome"]) for row in rows] == [
        ("group-1-member-1", 1, "ok"),
        ("group-1-member-2", 3, "ok"),
    ]


def test_one_that_its_coordinator_has_forgotten_needs_not_be_told_out(played: Played) -> None:
    members = played.members
    played.do(members.take_over)
    played.coordinator.member = ""

    played.do(members.take_over)

    assert played.coordinator.asked == ["join", "leave m1", "join"]
    assert members.present == Member("group-1-member-2", (2, "m2"), 2)


def test_nobody_takes_over_while_nobody_says_that_the_one_before_is_out(played: Played) -> None:
    members = played.members
    played.do(members.take_over)
    played.coordinator.away = 1

    played.do(members.take_over)
    assert (members.present, str(members)) == (None, "nobody")  # nobody has told it out
    assert played.coordinator.asked == ["join"]

    played.do(members.take_over)
    assert played.coordinator.asked == ["join", "leave m1", "join"]
    assert members.present is not None


def test_in_the_end_nobody_is_in_the_group(played: Played) -> None:
    members = played.members
    played.do(members.take_over, members.take_over)

    members.leave()
    members.leave()

    assert played.coordinator.asked == ["join", "leave m1", "join", "leave m3"]
    assert members.present is None


# -- how they stand, and what fits


def a_view(positioned: Positioned) -> View:
    return View(
        partition=PartitionState(1, 0, (1, 2, 3), (1, 2, 3)),
        ends=dict.fromkeys((1, 2, 3), 0),
        marks=dict.fromkeys((1, 2, 3), 0),
        logs=dict.fromkeys((1, 2, 3), ()),
        positioned=positioned,
    )


@pytest.mark.parametrize(("broker", "level"), [(1, 1), (2, 2)])
def test_who_is_overtaken_is_near_to_a_step_back(broker: int, level: int) -> None:
    """Nearer where it asks a broker that leads no more."""
    view = a_view(Positioned(standings=("group member overtaken",), overtaken={4: broker}))

    assert (danger_of(view).level, danger_of(view).overtaken) == (level, 4)
    assert state_of(view)[-1] == "group member overtaken"


def test_where_nobody_is_overtaken_there_is_no_danger() -> None:
    assert danger_of(a_view(Positioned(standings=("group member former",)))).level == 0


def test_a_search_has_the_overtaken_one_commit() -> None:
    view = a_view(Positioned(overtaken={4: 2}))
    guided, chosen = Guided(MOVE_SETS["members"]), set[str]()
    ground = cast("Ground", SimpleNamespace())

    for seed in range(40):
        guided.begin(random.Random(seed))
        with suppress(AttributeError):  # a step by chance asks what there is, and there is nothing
            chosen.add(str(guided(0, ground, view)))

    assert "commit_as_former(group=4)" in chosen


@pytest.mark.parametrize(
    ("present", "former", "fitting"),
    [
        (False, False, {"take_over"}),
        (True, False, {"take_over", "commit_as_member"}),
        (True, True, {"take_over", "commit_as_member", "commit_as_former"}),
        (False, True, {"take_over", "commit_as_former"}),
    ],
)
def test_who_is_there_commits(present: bool, former: bool, fitting: set[str]) -> None:
    stands = SimpleNamespace(present=present or None, former=former or None)

    assert {each.name for each in MOVES if each.may(cast("Members", stands))} == fitting


@pytest.mark.parametrize(
    ("leader", "busy", "of_groups", "fits"),
    [
        (1, False, True, True),
        (-1, False, True, False),
        (1, True, True, False),
        (1, False, False, False),
    ],
)
def test_one_request_of_a_group_is_under_way_at_a_time(
    leader: int, busy: bool, of_groups: bool, fits: bool
) -> None:
    groups = SimpleNamespace(of=lambda _: SimpleNamespace(is_busy=busy), members_of=lambda _: None)
    ground = SimpleNamespace(positions=groups if of_groups else None)
    view = SimpleNamespace(leader=leader)

    assert TakeOver(1).fits(cast("Ground", ground), cast("View", view)) is fits


def test_a_group_that_has_had_members_commits_as_none_no_more(played: Played) -> None:
    ground = SimpleNamespace(positions=played.positions, down={}, frozen=[])
    view = cast("View", SimpleNamespace(leader=1))
    assert Commit(1).fits(cast("Ground", ground), view)

    played.do(played.members.take_over)

    assert not Commit(1).fits(cast("Ground", ground), view)


@pytest.mark.parametrize("move", MOVES)
def test_a_move_is_read_as_it_was_written(move: Move) -> None:
    assert Step.from_json(Step(move).to_json()) == Step(move)
    assert is_of_groups([Step(move)])


@pytest.mark.parametrize("name", ["take_over", "commit_as_member", "commit_as_former"])
@pytest.mark.parametrize("number", [0, -1, 10**9])
def test_no_group_has_a_number_that_no_log_is_read_by(name: str, number: int) -> None:
    with pytest.raises(UsageError, match="a group from 1 on, of nine digits at most"):
        Step.from_json({"move": name, "group": number})


def test_they_are_a_set_of_moves_of_the_log_of_positions() -> None:
    weights = MOVE_SETS["members"]

    assert terrain_of("members").of_groups
    assert not storms(weights)
    assert {*weights} <= {*PROPOSALS}
    assert {"take over", "commit as member", "commit as former", "lead", "mute"} <= {*weights}
    assert "commit position" not in weights
