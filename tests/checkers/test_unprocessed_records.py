"""What groups left undone: the claim accepts, refuses and declines to decide."""

from __future__ import annotations

import pytest
from tests.checkers.conftest import (
    HELD,
    UNKNOWN,
    VIOLATED,
    Row,
    Say,
    commit,
    consumer,
    poll,
    processed,
    replicas,
    send,
    stored,
)

pytestmark = pytest.mark.spark


HANDED = [poll(value, value) for value in range(6)]


def test_what_is_below_a_committed_position_and_was_processed_is_in_order(both_say: Say) -> None:
    said = both_say("unprocessed", HANDED, processed(0, 3), processed(3, 6), commit(5))

    assert (said.answer, said.considered, said.anomalies) == (HELD, 5, 0)


def test_what_a_group_has_committed_and_nobody_processed_is_left_undone(both_say: Say) -> None:
    gaps = [processed(0, 2), processed(3, 4, client="billing-2")]
    commits = [commit(2), commit(6, (4, 5), client="billing-2"), commit(5, (2, 3))]

    said = both_say("unprocessed", HANDED, gaps, commits)

    assert (said.answer, said.considered, said.anomalies) == (VIOLATED, 6, 3)
    found = [(one["offset"], one["committed"], one["client"]) for one in said.witnesses]
    assert sorted(found) == [(2, 5, "billing-1"), (4, 5, "billing-1"), (5, 6, "billing-2")]
    assert {one["group"] for one in said.witnesses} == {"billing"}


def test_another_member_may_have_processed_it_but_no_other_group(both_say: Say) -> None:
    own = [processed(0, 2), processed(2, 4, client="billing-2"), commit(4)]
    of_others = [processed(0, 1, group="audit"), commit(3, group="audit"),
                 processed(0, 6, group="stock"), processed(0, 9, partition=1)]  # fmt: skip

    said = both_say("unprocessed", HANDED, own, of_others)

    assert (said.answer, said.considered, said.anomalies) == (VIOLATED, 7, 2)
    assert {(one["group"], one["offset"]) for one in said.witnesses} == {("audit", 1), ("audit", 2)}


def test_what_is_not_known_to_be_committed_may_still_be_processed(both_say: Say) -> None:
    commits = [commit(6, outcome=outcome) for outcome in ("failed", "unknown", "invoked")]

    said = both_say("unprocessed", HANDED, processed(0, 2), commit(2), commits)

    assert (said.answer, said.considered) == (HELD, 2)


def _began(word: object) -> dict[str, object]:
    return {"billing": {"auto.offset.reset": word}}


def test_what_lies_below_where_a_group_began_it_left_behind_if_it_began_at_the_earliest(
    both_say: Say,
) -> None:
    rows = [*HANDED, processed(4, 6), commit(6)]
    words: list[object] = ["earliest", "latest", "none", ["earliest"], {}, None]

    answers = {str(word): both_say("unprocessed", rows, groups=_began(word)) for word in words}

    found = {word: (one.answer, one.considered) for word, one in answers.items()}
    unknown = dict.fromkeys(("none", "['earliest']", "{}", "None"), (UNKNOWN, 6))
    assert found == {"earliest": (VIOLATED, 6), "latest": (HELD, 2), **unknown}
    assert {one["offset"] for one in answers["earliest"].witnesses} == {0, 1, 2, 3}
    assert "4 undecided, nobody told where the group began" in answers["None"].reason


@pytest.mark.parametrize("groups", [None, [], {"billing": "earliest"}, {"audit": {}}])
def test_groups_of_run_json_may_be_anything(both_say: Say, groups: object) -> None:
    said = both_say("unprocessed", HANDED, processed(4, 6), commit(6), groups=groups)

    assert (said.answer, said.considered) == (UNKNOWN, 6)


def test_whoever_commits_before_anything_was_processed_leaves_it_behind(both_say: Say) -> None:
    said = both_say("unprocessed", HANDED, commit(2), commit(6, (2, 3)), processed(4, 6))

    assert (said.answer, said.anomalies) == (VIOLATED, 2)  # below 2 nobody knows


def test_a_group_that_processed_nothing_in_one_partition_is_asked_for_it_too(both_say: Say) -> None:
    elsewhere = [processed(0, 1, partition=1), processed(0, 1, group="audit")]

    said = both_say("unprocessed", HANDED, commit(3), elsewhere, groups=_began("earliest"))

    assert (said.answer, said.considered, said.anomalies) == (VIOLATED, 3, 3)


def test_a_group_that_went_back_comes_again_to_what_lies_above_its_position(both_say: Say) -> None:
    back = [processed(0, 2), commit(6, (2, 3)), commit(2, (4, 5))]

    said = both_say("unprocessed", HANDED, back)

    assert (said.answer, said.considered) == (HELD, 2)


@pytest.mark.parametrize(
    "other",
    [commit(3, (2, 9)), commit(3, (0, None)), commit(3, (2, 1)), commit(3, outcome="unknown"),
     commit(3, (0, None), outcome="invoked"), commit(6, (2, 3))],
    ids=["at once", "untimed", "backwards", "unknown", "not answered", "none"],
)  # fmt: skip
def test_above_the_lowest_position_that_may_be_the_last_nobody_can_tell(
    both_say: Say, other: Row
) -> None:
    last = commit(6, (3, 5))

    above = both_say("unprocessed", HANDED, processed(0, 4), processed(5, 6), last, other)
    below = both_say("unprocessed", HANDED, processed(0, 2), processed(3, 6), last, other)

    is_alone = other[1]["offset"] == 6
    assert above.answer is (VIOLATED if is_alone else UNKNOWN)
    assert (below.answer, below.anomalies) == (VIOLATED, 1)


def test_a_refused_commit_is_no_position(both_say: Say) -> None:
    rows = [processed(0, 4), processed(5, 6), commit(6), commit(3, (2, 3), outcome="failed")]

    assert both_say("unprocessed", HANDED, rows).answer is VIOLATED


DONE = [processed(0, 2), processed(3, 6), commit(6)]


@pytest.mark.parametrize(
    "kept",
    [[], [stored(1, 2, 9)], [stored(1, 2, None, is_control=True)],
     [stored(1, 2, 2, problem="CRC")], [stored(2, 2, 2)]],
    ids=["nothing", "another value", "a marker", "damaged", "a follower's"],
)  # fmt: skip
def test_of_what_the_leaders_log_does_not_have_at_its_offset_nobody_can_tell(
    both_say: Say, kept: list[Row]
) -> None:
    log = [stored(1, offset, offset) for offset in (0, 1, 3, 4, 5)]

    said = both_say("unprocessed", HANDED, DONE, log, kept, replicas(6))
    there = both_say("unprocessed", HANDED, DONE, log, stored(1, 2, 2), replicas(6))

    assert (said.answer, there.answer) == (UNKNOWN, VIOLATED)


def test_where_readers_were_handed_several_values_nobody_can_tell(both_say: Say) -> None:
    other, uncommitted = poll(9, 2, client="other"), consumer("other", isolation="read_uncommitted")

    said = both_say("unprocessed", HANDED, DONE, other)
    known = both_say("unprocessed", HANDED, DONE, other, uncommitted)

    assert (said.answer, known.answer) == (UNKNOWN, VIOLATED)
    assert "readers were handed several values at its offset" in said.reason


def test_a_payload_that_nobody_can_make_out_is_a_record_all_the_same(both_say: Say) -> None:
    handed = [poll(None, offset) for offset in range(6)]

    said = both_say("unprocessed", handed, DONE)

    assert (said.answer, said.anomalies) == (VIOLATED, 1)


def test_offsets_at_which_nobody_was_handed_anything_are_no_records(both_say: Say) -> None:
    markers = [poll(value, value) for value in (0, 1, 5)]

    said = both_say("unprocessed", markers, processed(0, 2), processed(5, 6), commit(6))

    assert (said.answer, said.considered) == (HELD, 3)


def test_of_what_may_be_gone_or_was_aborted_nobody_can_tell(both_say: Say) -> None:
    failed = send(2, None, outcome="failed")
    done = [processed(0, 2), processed(3, 6), commit(6)]

    aborted = both_say("unprocessed", HANDED, failed, done)
    deleted = both_say("unprocessed", HANDED, done, replicas(6, log_start_offset=3))

    assert (aborted.answer, deleted.answer) == (UNKNOWN, UNKNOWN)
    assert "a send that failed" in aborted.reason
    assert "deleted or compacted since" in deleted.reason


@pytest.mark.parametrize("span", [(3, 3), (3, 2), (-2, 1)])
def test_spans_that_hold_nothing_say_nothing(both_say: Say, span: tuple[int, int]) -> None:
    said = both_say("unprocessed", HANDED, processed(*span), commit(6))

    assert (said.answer, said.considered, said.anomalies) == (UNKNOWN, 6, 0)
    assert "nobody told what its group processed" in said.reason


def test_a_group_that_told_nothing_processed_nothing_if_run_json_names_it(both_say: Say) -> None:
    other = [processed(0, 6, group="audit"), commit(6, group="audit")]

    unknown = both_say("unprocessed", HANDED, other, commit(3))
    named = both_say("unprocessed", HANDED, other, commit(3), groups=_began("earliest"))

    assert (unknown.answer, named.answer, named.anomalies) == (UNKNOWN, VIOLATED, 3)


@pytest.mark.parametrize("first", [commit(3, (9, 10)), commit(12, (9, 10))])
def test_a_later_commit_of_a_lower_position_is_not_where_a_group_began(
    both_say: Say, first: Row
) -> None:
    handed = [poll(value, value) for value in range(12)]
    back = [commit(12), commit(3, (2, 3)), commit(12, (4, 5)), first]

    said = both_say("unprocessed", handed, processed(10, 12), back)

    assert (said.anomalies, said.answer) == (0, UNKNOWN)


@pytest.mark.parametrize("outcome", ["ok", "failed"])
def test_what_a_commit_is_told_of_while_it_is_open_is_superseded_by_its_end(
    both_say: Say, outcome: str
) -> None:
    twins = [commit(2, (1, None), outcome="invoked"), commit(2, (1, 2), outcome=outcome)]
    rows = [*HANDED, processed(0, 4), processed(5, 6), twins, commit(6, (4, 5))]

    other = [commit(2, (1, None), outcome="invoked", client="billing-2")]

    assert both_say("unprocessed", *rows).answer is VIOLATED
    assert both_say("unprocessed", *rows, other).answer is UNKNOWN


@pytest.mark.parametrize("order", [1, -1])
def test_a_payload_that_one_reader_could_not_make_out_excuses_as_the_others_do(
    both_say: Say, order: int
) -> None:
    polls = [poll(2, 2), poll(None, 2, client="other")][::order]
    done = [processed(0, 2), processed(3, 6), commit(6)]

    said = both_say("unprocessed", polls, send(2, None, outcome="failed"), done)

    assert said.answer is UNKNOWN


@pytest.mark.parametrize("value", [7, None])
def test_what_nobody_made_out_may_be_what_a_send_that_failed_has_written(
    both_say: Say, value: int | None
) -> None:
    table, failed = send(7, None, outcome="failed")
    done = [processed(0, 2), processed(3, 6), commit(6)]

    said = both_say("unprocessed", poll(None, 2), (table, {**failed, "value": value}), done)

    assert said.answer is UNKNOWN


def test_without_a_word_of_what_was_processed_nothing_is_asked(both_say: Say) -> None:
    said = both_say("unprocessed", HANDED, commit(6))

    assert (said.answer, said.reason) == (UNKNOWN, "the record has no processed")
