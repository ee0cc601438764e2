"""What is written of a member in another language, and what the harness hears of it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from tests.unit.foreign.scripts import KEEPS, changed, command

from highwater.harness.clients import commits
from highwater.harness.clients.grouping import with_seat
from highwater.harness.clients.member import Member
from highwater.harness.clients.process import FOREIGN, Event, Launch
from highwater.harness.errors import (
    DeadlineError,
    InfrastructureError,
    PreconditionError,
    UsageError,
)
from highwater.harness.foreign import memberships, outcomes
from highwater.harness.model import TopicPartition
from highwater.harness.processes.warden import Warden
from highwater.harness.wait import wait_until
from highwater.harness.workloads import handed
from highwater.harness.workloads.payload import encoder

SENT = 20
TOLD = {"auto.offset.reset": "earliest", "isolation.level": "read_committed"}
WHERE = TopicPartition("conformance", 0, 2)


@contextmanager
def member(
    tmp_path: Path, program: str, heard: list[Event], commits: str = "after"
) -> Iterator[Member]:
    """A member that is this program, and a file for its broker with some records of ours."""
    encode, log = encoder(64), tmp_path / "log"
    rows = [("key", encode(value)[0].decode()) for value in range(1, SENT + 1)]
    log.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    order: dict[str, Any] = {
        "role": "member", "client": "billing-1", "bootstrap": "127.0.0.1:1", "group": "billing",
        "topics": ["conformance"], "incarnations": {"conformance": 2}, "seat": "billing-1",
        "settings": {"commits": commits}, "told": TOLD, "command": command(program, log),
        "commits": commits, "processing_us": 0, "at_once": 500,
        "record": {"directory": str(tmp_path), "origin_ns": 0, "number": 1},
    }  # fmt: skip
    with Warden() as warden:
        launch = Launch(order, tmp_path / "client.log", warden.group, FOREIGN)
        yield Member(launch, lambda _name, event: heard.append(event))


def polled(tmp_path: Path) -> list[Mapping[str, Any]]:
    parts = sorted((tmp_path / "history").glob("part-billing-1-*.parquet"))
    return [row for part in parts for row in pq.read_table(part).to_pylist()]


def said(heard: list[Event], what: str) -> list[Any]:
    return [each["offsets"] for each in heard if each["event"] == what]


@pytest.mark.parametrize("commits", ["after", "before"])
def test_what_a_member_was_handed_and_did_is_on_the_record(tmp_path: Path, commits: str) -> None:
    heard: list[Event] = []

    with member(tmp_path, KEEPS, heard, commits) as billing, billing:
        wait_until(lambda: billing.handed == SENT and bool(billing.committed), "it to commit")
        assert billing.assigned == {WHERE}

    rows = polled(tmp_path)
    assert [(row["value"], row["offset"]) for row in rows] == [(n + 1, n) for n in range(SENT)]
    assert {(row["client"], row["topic"], row["action"]) for row in rows} == {
        ("billing-1", "conformance#2", "poll")
    }
    place = ["conformance#2", 0]
    assert said(heard, "processed") == [[[*place, 0, SENT]]]
    assert said(heard, "commit") == [[[*place, SENT]]]
    assert said(heard, "committed") == [[[*place, SENT, None]]]
    order = [each["event"] for each in heard if each["event"] in ("processed", "committed")]
    assert order == sorted(order, reverse=commits == "after")
    (row,) = [each["row"] for each in heard if each["event"] == "client"]
    assert (row["client"], row["group_id"], row["isolation"]) == (
        "billing-1", "billing", "read_committed",
    )  # fmt: skip


def test_a_reading_began_when_its_member_was_assigned_and_not_when_that_was_heard(
    tmp_path: Path,
) -> None:
    """Else what it was handed at once would seem to be from before, and could not be judged."""
    late = "before = time.monotonic_ns()\n    time.sleep(0.5)\n    "
    late += 'say("assigned", at_ns=before, **where)'
    program = changed('say("assigned", at_ns=time.monotonic_ns(), **where)', late)
    heard: list[Event] = []

    with member(tmp_path, program, heard) as billing, billing:
        wait_until(lambda: billing.handed == SENT, "it to be handed everything")

    (row,) = [each["row"] for each in heard if each["event"] == "client"]
    (assigned,) = [each["at_ns"] for each in heard if each["event"] == "assigned"]
    assert row["began_ns"] == assigned


REFUSED = ("error=error, code=code)", 'error="Fenced", code=82)')
ODD = ("error=error, code=code)", 'error="Timeout", code=None)')
SAYS = ("error=error, code=code)", 'error="FENCED_INSTANCE_ID", code=None)')
LONG = ("error=error, code=code)", 'error="x" * 1_000_000, code=7)')
NAMED = [
    (REFUSED, "FENCED_INSTANCE_ID"),
    (ODD, "Timeout"),
    (SAYS, "FENCED_INSTANCE_ID without its code"),
    (LONG, "x" * 500),
]


@pytest.mark.parametrize(("change", "name"), NAMED)
def test_the_answer_to_a_commit_is_named_as_kafka_does(
    tmp_path: Path, change: tuple[str, str], name: str
) -> None:
    heard: list[Event] = []

    with member(tmp_path, changed(*change), heard) as billing, billing:
        wait_until(lambda: bool(said(heard, "committed")), "it to be answered")

    assert said(heard, "committed") == [[["conformance#2", 0, SENT, name]]]
    assert billing.committed == {}


@pytest.mark.parametrize(("text", "told"), [("", "it says no more"), ("x" * 9_000, "x" * 2_000)])
def test_a_member_can_do_nothing_more_however_much_it_says_of_it(
    tmp_path: Path, text: str, told: str
) -> None:
    program = changed('say("ready", role="member")', f'say("ready"); say("fatal", text="{text}")')
    heard: list[Event] = []

    with member(tmp_path, program, heard) as billing, billing:
        with pytest.raises(PreconditionError, match=f"to go on, and cannot: {told}$"):
            wait_until(lambda: billing.is_well() and False, "it to give up", 20)
        billing.kill()

    assert [each["text"] for each in heard if each["event"] == "fatal"] == [told]


def test_what_decides_by_its_name_is_told_by_codes_alone() -> None:
    names = {*outcomes.COMMIT_REFUSED.values(), handed.ABORTED}

    assert names == commits.REFUSED
    for name in names:
        answer = {"error": name, "code": None}
        assert outcomes.named_code(answer) not in commits.REFUSED


def test_a_member_that_is_killed_leaves_what_it_was_handed(tmp_path: Path) -> None:
    heard: list[Event] = []

    with member(tmp_path, KEEPS, heard) as billing, billing:
        wait_until(lambda: billing.handed == SENT, "it to be handed everything")
        billing.kill()
        assert billing.assigned == frozenset()

    assert len(polled(tmp_path)) == SENT


def test_a_member_holds_nothing_when_it_has_ended_whatever_it_said(tmp_path: Path) -> None:
    program = changed('say("revoked", at_ns=time.monotonic_ns(), **where)', "pass")
    heard: list[Event] = []

    with member(tmp_path, program, heard) as billing, billing:
        wait_until(lambda: bool(billing.committed), "it to commit")
        billing.leave()
        assert billing.assigned == frozenset()

    (told,) = [each for each in heard if each["event"] == "revoked"]
    assert told["partitions"] == [["conformance#2", 0]]


@pytest.mark.on_demand
def test_a_member_that_does_not_end_is_killed_and_what_it_did_is_kept(tmp_path: Path) -> None:
    program = changed("        pass\n    say", "        pass\n    time.sleep(120)\n    say")
    heard: list[Event] = []

    with member(tmp_path, program, heard) as billing, billing:
        wait_until(lambda: bool(billing.committed), "it to commit")

    assert billing.assigned == frozenset()
    assert len(polled(tmp_path)) == SENT
    assert any("did not end within 35 s" in each for each in billing.complaints)


def test_a_member_whose_clock_is_another_one_by_now_is_not_begun(tmp_path: Path) -> None:
    program = changed('clock="monotonic"', 'clock="own"')

    with (
        pytest.raises(InfrastructureError, match="clock of a member to be 'monotonic', saw 'own'"),
        member(tmp_path, program, []) as billing,
        billing,
    ):
        pytest.fail("it has begun")


def test_what_breaks_the_protocol_ends_a_member_and_is_quoted(tmp_path: Path) -> None:
    program = changed('["conformance", 0, at, end]', '["conformance", 0, at, end + 1]')
    heard: list[Event] = []

    with (
        pytest.raises((InfrastructureError, DeadlineError), match="it breaks the protocol"),
        member(tmp_path, program, heard) as billing,
        billing,
    ):
        wait_until(lambda: billing.is_well() and False, "it to end", 20)

    assert len(polled(tmp_path)) == SENT


HELLO = {
    "library": "literal", "version": "1", "clock": "monotonic",
    "capabilities": {"roles": ["producer", "member"], "member": ["isolation.level"]},
}  # fmt: skip


def test_what_a_member_cannot_be_set_to_is_refused_where_it_matters() -> None:
    wanted = {"isolation.level": "read_committed", "metadata.max.age.ms": 1_000}

    assert memberships.fitted(HELLO, wanted) == {"isolation.level": "read_committed"}
    for name in (*memberships.NEEDED[:1], memberships.INSTANCE, memberships.PROTOCOL):
        with pytest.raises(UsageError, match=f"cannot be set to {name}=x"):
            memberships.fitted(HELLO, {name: "x"})
        assert memberships.fitted(HELLO, {name: None}) == {}
    with pytest.raises(UsageError, match=r"to be a member, saw roles \['producer'\]"):
        memberships.fitted({**HELLO, "capabilities": {"roles": ["producer"]}}, wanted)
    with pytest.raises(UsageError, match=r"to be 'monotonic', .* saw 'own'"):
        memberships.fitted({**HELLO, "clock": "own"}, wanted)


def test_who_tells_nobody_what_becomes_of_a_commit_is_left_to_commit() -> None:
    both = [memberships.AUTOMATIC, memberships.INTERVAL]
    able = {"roles": ["producer", "member"], "member": both, "tells_commits": False}
    silent = {**HELLO, "capabilities": able}
    left = {memberships.AUTOMATIC: True, memberships.INTERVAL: 200}

    assert memberships.fitted(silent, left) == left
    with pytest.raises(UsageError, match=r"literal 1 tells nobody .* commits='auto', on a cluster"):
        memberships.fitted(silent, {memberships.AUTOMATIC: None})
    assert memberships.tells_commits(HELLO)


def test_a_static_member_has_its_seat_for_a_group_instance_id() -> None:
    order = {"told": {memberships.INSTANCE: "{seat}"}}

    assert with_seat(order, "billing-2") == {
        "told": {memberships.INSTANCE: "billing-2"}, "seat": "billing-2",
    }  # fmt: skip
    assert with_seat({}, "billing-2") == {"seat": "billing-2"}


def test_who_takes_long_is_handed_few_at_once() -> None:
    assert [memberships.at_once(each) for each in (0, 0.0001, 0.01, 1)] == [500, 500, 10, 1]
