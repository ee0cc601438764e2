"""How far groups lagged behind: literal histories."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.checkers.conftest import Row, _write_run, assigned, commit, judgement_under, send
from tests.checkers.groups import EARLIEST, NOBODY, Lag, acked, acks, done, event, seen
from tests.checkers.timelines import MS

from highwater import judging
from highwater.harness.measurements import LAGS
from highwater.harness.record.place import Place
from highwater.harness.record.reader import RunAt, open_run

Lags = Callable[..., dict[tuple[int | None, int | None], Lag]]


@pytest.fixture
def lags(tmp_path: Path) -> Lags:
    """By partition and second; of all of them, and of the whole run, None."""

    def of(rows: Sequence[Row], *events: dict[str, Any], **identity: Any) -> Any:
        run = _write_run(
            tmp_path / str(len(list(tmp_path.iterdir()))), rows, **{"groups": EARLIEST, **identity}
        )
        said = judgement_under(run, events)
        assert said.unreadable == {}
        return {
            (row["partition"], row["second"]): (row["lag_records"], row["last_records"])
            for row in said.lags.to_pylist()
        }

    return of


MINE = assigned(0)
NINE = acks((0, 100), (4, 200), (8, 300))


def test_it_is_the_largest_of_each_second_and_what_was_left_at_its_end(lags: Lags) -> None:
    rows = [*NINE, done(7, 500), *acks((9, 1_100)), done(10, 1_200), acked(14, 3_050)]

    told = lags([MINE, *rows])

    assert told == {
        (None, None): (9, 5), (None, 0): (9, 2), (None, 1): (3, 0), (None, 3): (5, 5),
        (0, None): (9, 5), (0, 0): (9, 2), (0, 1): (3, 0), (0, 3): (5, 5),
    }  # fmt: skip


def test_what_was_there_when_a_second_began_counts_in_it(lags: Lags) -> None:
    told = lags([MINE, *NINE, done(9, 1_500)])

    assert (told[0, 0], told[0, 1]) == ((9, 9), (9, 0))


def test_all_partitions_together_are_their_sum_at_each_moment(lags: Lags) -> None:
    rows = [assigned(0, partition=1), *acks((5, 100)), *acks((7, 400), partition=1)]

    told = lags([MINE, *rows, done(6, 300), done(2, 800, partition=1)])

    assert (told[0, None], told[1, None], told[None, None]) == ((6, 0), (8, 6), (8, 6))


def test_a_row_tells_for_how_long_it_was_above_half_of_the_largest(
    tmp_path: Path,
) -> None:
    rows = [MINE, *acks((4, 1_000), (9, 2_000)), done(5, 3_500), done(10, 4_000)]

    table = judgement_under(_write_run(tmp_path / "run", rows, groups=EARLIEST), []).lags

    assert table.schema.equals(LAGS)
    whole = table.to_pylist()[0]
    assert whole["above_half_ms"] == 1_500
    assert (whole["from_ns"], whole["until_ns"]) == (1_000 * MS, 4_010 * MS)


@pytest.mark.parametrize(
    ("rows", "lag"),
    [
        # Nobody promised those with acks=1, or that never ended, or failed, or have no offset.
        ([*NINE, acked(20, 400, acks="1"), acked(30, 400, outcome="failed")], (9, 9)),
        ([*NINE, send(77, None, (400, 500)), send(78, 40, (400, None), outcome="unknown")], (9, 9)),
        ([*NINE, send(77, 50, (500 * MS, 400 * MS))], (9, 9)),
        # A look at any replica sees what was committed.
        ([*NINE, seen(400, 12), seen(410, 11, broker=2), seen(420, None)], (12, 12)),
        ([seen(400, 12), done(12, 500)], (12, 0)),
        # What is committed beyond what is known to be there was there.
        ([*NINE, done(12, 500)], (9, 0)),
        # Of commits that were refused, or of which nobody knows, nothing is taken.
        ([*NINE, done(3, 500), done(9, 600, outcome="failed")], (9, 6)),
        ([*NINE, done(3, 500), done(9, 600, outcome="unknown"), done(9, 600, outcome="invoked")],
         (9, 6)),
        ([*NINE, done(3, 500), commit(9, (700 * MS, 600 * MS)), commit(9, (600 * MS, None))],
         (9, 6)),
        # A group that goes back lags behind again.
        ([*NINE, done(9, 500), done(2, 600)], (9, 7)),
        # Nothing was there.
        ([seen(0, 0), seen(900, 0)], (0, 0)),
    ],
)  # fmt: skip
def test_what_is_known_of_logs_and_of_commits(lags: Lags, rows: list[Row], lag: Lag) -> None:
    assert lags([MINE, *rows])[0, None] == lag


@pytest.mark.parametrize(
    ("rows", "identity", "lag"),
    [
        # Where it begins is not known: not known before the first commit, unless nothing was there.
        (NINE, {"groups": {}}, NOBODY),
        (NINE, {"groups": {"billing": {"auto.offset.reset": "latest"}}}, NOBODY),
        (NINE, {"topic_settings": {"retention.ms": "1000"}}, NOBODY),
        ([*NINE, done(7, 350)], {"groups": {}}, (2, 2)),
        ([seen(50, 0), seen(900, 0)], {"groups": {}}, (0, 0)),
        ([seen(50, 0), *NINE, done(8, 350)], {"groups": {}}, (1, 1)),
        # Nobody knows where the log ended.
        ([done(7, 350)], {}, NOBODY),
        ([seen(50, None)], {}, NOBODY),
        ([acked(5, 100, acks="1")], {}, NOBODY),
    ],
)
def test_where_there_is_no_evidence_nobody_knows(
    lags: Lags, rows: list[Row], identity: dict[str, Any], lag: Lag
) -> None:
    told = lags([MINE, *rows], **identity)

    assert told[0, None] == told[None, None] == lag


def test_where_there_is_no_group_there_is_none(lags: Lags) -> None:
    assert lags([*NINE, seen(400, 12)]) == {}


def test_a_topic_that_was_created_anew_has_none_that_is_known(lags: Lags) -> None:
    looks = [seen(100, 50, topic_id="a"), seen(400, 3, topic_id="b")]

    assert lags([MINE, *NINE, *looks, done(3, 500)])[0, None] == NOBODY


def test_without_assignments_it_is_asked_from_the_first_commit_on(lags: Lags) -> None:
    assert lags([*NINE, done(2, 250), done(9, 400)])[0, None] == (7, 0)


def test_it_is_not_asked_while_the_group_is_ending(lags: Lags) -> None:
    rows = [MINE, *NINE, done(8, 350), acked(20, 600), done(21, 700)]
    stopping = event(400, "billing-1", "stopping")
    anew = [assigned(650 * MS, "billing-1.2"), acked(30, 690)]

    assert lags(rows, stopping)[0, None] == (9, 1)
    assert lags([*rows, *anew], stopping)[0, None] == (23, 10)


def test_who_is_assigned_something_while_its_group_is_ending_has_no_lag(lags: Lags) -> None:
    late = assigned(450 * MS, "billing-2", partition=1)
    stopping = [event(400, f"billing-{number}", "stopping") for number in (1, 2)]

    told = lags([MINE, late, *NINE, acked(3, 500, partition=1)], *stopping)

    assert {partition for partition, _ in told} == {None, 0}


def test_a_topic_that_is_to_be_read_no_more_has_no_lag_from_then_on(lags: Lags) -> None:
    rows = [MINE, *NINE, done(8, 350), acked(20, 600)]
    gone = event(400, "billing-1", "subscribed", topics=["returns"])

    assert lags(rows, gone)[0, None] == (9, 1)


def test_who_replaces_a_member_that_was_killed_is_to_read_no_other_topic(lags: Lags) -> None:
    rows = [MINE, *NINE, done(8, 350), acked(20, 500), acked(30, 900)]
    told = event(400, "billing-1", "subscribed", topics=["returns"])
    killed, came = event(450, "billing-1", "killed"), event(700, "b", "started", topics=["returns"])

    assert lags(rows, told, killed, came)[0, None] == (9, 1)


def test_what_no_log_can_hold_breaks_nothing(lags: Lags) -> None:
    far = (1 << 63) - 1
    rows = [send(1, far, (0, 1)), send(2, far, (0, 1 << 62), partition=1), done(far, 20)]

    told = lags([assigned(-(1 << 62)), assigned(0, partition=1), *rows])

    assert (told[0, None], told[1, None]) == ((1 << 52, 0), (1 << 52, 1 << 52))


def test_check_has_a_line_for_each_group_and_the_same_for_machines(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [MINE, *acks((4, 1_000), (9, 2_000)), done(5, 3_500), done(10, 4_000)]
    said = judgement_under(_write_run(tmp_path / "run", rows, groups=EARLIEST), [])
    run: RunAt[Place] = open_run(tmp_path / "run")

    judging._show([run], {run.path: said}, {}, as_json=False)
    text = " ".join(capsys.readouterr().out.split())
    judging._show([run], {run.path: said}, {}, as_json=True)
    (told,) = json.loads(capsys.readouterr().out)

    most = "10 records at most, above half of that for 1.5 s, 0 at the end"
    assert f"lag of billing on orders: {most}" in text
    (row,) = told["lags"]
    assert (row["group"], row["partition"], row["lag_records"]) == ("billing", None, 10)
