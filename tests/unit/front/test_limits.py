"""Limits that a test sets: exceeded, kept, and such that nobody can say."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from highwater import measured, testing
from highwater.account import Account
from highwater.grounds import Grounds
from highwater.harness.errors import UsageError
from highwater.harness.measurements import LAGS, MEASURES, REBALANCES, RECOVERIES
from highwater.harness.model import Answer, Verdict
from highwater.harness.record.writer import RunRecord, write_measures
from highwater.harness.tables import FINAL_READER
from highwater.harness.trial import Played
from highwater.limits import NAMES, OF_CLIENTS, OF_FAULTS, kept
from highwater.marking import LASTING, Marked, read_marker
from highwater.testing import ChaosTest, Suite

Row = dict[str, Any]


def client(name: str = "load", **told: Any) -> Row:
    counts = dict.fromkeys(("acked", "failed", "unknown", "handed"), 0)
    return {**dict.fromkeys(MEASURES.names), "client": name, "topic": "orders", **counts, **told}


def fault(partition: int | None = 0, **told: Any) -> Row:
    named = {"fault_id": "1", "fault": "Kill(1)", "from_ns": 12_340_000_000, "sent_on": True}
    place = {"topic": "orders", "partition": partition}
    return {**dict.fromkeys(RECOVERIES.names), **named, **place, **told}


def test_a_limit_may_be_set_on_what_both_tables_have_in_milliseconds() -> None:
    assert [*OF_CLIENTS] == [name for name in MEASURES.names if name.endswith("_ms")]
    assert [*OF_FAULTS] == [name for name in RECOVERIES.names if name.endswith("_ms")]


@pytest.mark.parametrize("name", OF_CLIENTS)
@pytest.mark.parametrize(("took_ms", "saw"), [(499.0, ""), (500.0, ""), (500.5, "500.5")])
def test_what_a_client_took_may_be_as_long_as_its_limit_and_no_longer(
    name: str, took_ms: float, saw: str
) -> None:
    found = kept({name: 500}, [{**client(), name: took_ms}], [])

    said = f"{name} of load on orders: expected at most 500 ms, saw {saw} ms; see measures.parquet"
    assert (found.exceeded, found.unmeasured) == ([said] * bool(saw), [])


@pytest.mark.parametrize("name", OF_FAULTS)
@pytest.mark.parametrize(("took_ms", "saw"), [(500.0, ""), (500.000_001, "500.000001")])
def test_what_came_of_a_fault_may_be_as_long_as_its_limit_and_no_longer(
    name: str, took_ms: float, saw: str
) -> None:
    found = kept({name: 500}, [], [{**fault(3, isr_shrank=True), name: took_ms}])

    said = (
        f"{name} of orders-3 after Kill(1) at 12.3 s: expected at most 500 ms, saw {saw} ms; "
        "see recoveries.parquet"
    )
    assert (found.exceeded, found.unmeasured) == ([said] * bool(saw), [])


def test_of_several_above_a_limit_the_worst_is_told() -> None:
    rows = [client("a", ack_max_ms=7.0), client("b", ack_max_ms=12_345.6), client("c")]

    (said,) = kept({"ack_max_ms": 5}, [*rows, client("d", ack_max_ms=4.0)], []).exceeded

    assert said == (
        "ack_max_ms of b on orders: expected at most 5 ms, saw 12,345.6 ms, and 1 more above it; "
        "see measures.parquet"
    )


def test_single_partitions_and_seconds_of_clients_and_whole_topics_of_faults_do_not_count() -> None:
    rows = [client(partition=0, ack_p99_ms=9.0), client(second=0, ack_p99_ms=9.0)]
    limits = {"ack_p99_ms": 5, "silent_ms": 10}

    found = kept(limits, rows, [fault(None, silent_ms=99.0)])

    assert found.exceeded == []
    assert found.unmeasured == [
        "ack_p99_ms: nothing was measured: nothing was acknowledged",
        "silent_ms: nothing was measured: there is no fault after which somebody sent on",
    ]


@pytest.mark.parametrize("name", NAMES)
def test_a_limit_of_which_nothing_was_measured_is_never_kept(name: str) -> None:
    found = kept({name: 500}, [client()], [fault(sent_on=False)])

    assert found.exceeded == []
    (said,) = found.unmeasured
    assert said.startswith(f"{name}: nothing was measured: ")


def test_when_an_acknowledgement_that_never_came_would_have_come_nobody_knows() -> None:
    other = fault(1, first_ack_ms=20.0, silent_ms=5.0)

    found = kept({"first_ack_ms": 500}, [], [other, fault(silent_ms=900.0)])

    (said,) = found.unmeasured
    assert "of orders-0 after Kill(1)" in said
    assert "saw none, though somebody sent on" in said
    assert found.exceeded == []


@pytest.mark.parametrize(
    ("name", "other", "saw"),
    [
        ("ack_max_ms", client("z", failed=47, unknown=1), "saw none of 48 records acknowledged"),
        ("end_to_end_p50_ms", client("z", handed=9), "saw 9 records, and of none when it was sent"),
    ],
)
def test_a_client_of_which_nothing_was_measured_is_not_kept_in_silence(
    name: str, other: Row, saw: str
) -> None:
    fine = client("a", acked=1, handed=1, ack_max_ms=5.0, end_to_end_p50_ms=5.0)

    found = kept({name: 1000}, [fine, other], [])

    (said,) = found.unmeasured
    assert said == (
        f"{name} of z on orders: expected at most 1,000 ms, {saw}; see measures.parquet"
    )


@pytest.mark.parametrize(("limit", "took"), [("499.96", 500), ("0.04", 0.041), ("1e-07", 1)])
def test_a_limit_is_told_as_it_was_set(limit: str, took: float) -> None:
    said = f"at most {limit} ms, saw {took} ms"
    (sentence,) = kept({"ack_max_ms": float(limit)}, [client(ack_max_ms=took)], []).exceeded

    assert said in sentence


@pytest.mark.parametrize("told", [{"isr_shrank": False}, {"isr_shrank": True, "full_isr_ms": 4.0}])
def test_an_isr_that_never_shrank_was_full_all_the_time(told: Row) -> None:
    found = kept({"full_isr_ms": 500}, [], [fault(1), fault(**told)])

    assert (found.exceeded, found.unmeasured) == ([], [])


def test_an_isr_that_nobody_saw_full_again_is_a_doubt() -> None:
    found = kept({"full_isr_ms": 500}, [], [fault(1, isr_shrank=False), fault(isr_shrank=True)])

    assert found.exceeded == []
    (said,) = found.unmeasured
    assert said == (
        "full_isr_ms of orders-0 after Kill(1) at 12.3 s: expected at most 500 ms, saw that it "
        "shrank, and no look that saw it full; see recoveries.parquet"
    )


@pytest.mark.parametrize(
    ("limits", "said"),
    [
        (("longest_gap_ms", 10), "expected names and numbers"),
        ({"longest_gap": 10}, "nothing is measured as 'longest_gap'; did you mean 'longest_gap_ms"),
        ({"ack_p99_ms": 5, "acked": 5}, "nothing is measured as 'acked'"),
        ({7: 1}, "nothing is measured as 7"),
        ({"9" * 5000: 1}, "nothing is measured as '999"),
        (
            {"longest_gap_ms": 0},
            "expected a number above 0, and at most 1000000000000, for longest",
        ),
        ({"longest_gap_ms": -1}, "saw -1"),
        ({"ack_p99_ms": True}, "saw True"),
        ({"ack_p99_ms": "500"}, "saw '500'"),
        ({"ack_p99_ms": None}, "saw None"),
        ({"ack_p99_ms": float("nan")}, "saw nan"),
        ({"ack_p99_ms": float("inf")}, "saw inf"),
        ({"ack_p99_ms": 10**5000}, "saw <int, of which no text can be made"),
        (
            {"longest_gap_ms": 9.9},
            "what is shorter than 10 ms is not measured; expected 10 or more",
        ),
        ({"silent_ms": 9}, "expected 10 or more"),
        ({"first_ack_ms": 9}, "expected 10 or more"),
        ({"leaderless_ms": 99}, "expected 100 or more"),
        ({"full_isr_ms": 99}, "expected 100 or more"),
    ],
)
def test_a_limit_that_cannot_be_is_refused(limits: Any, said: str) -> None:
    with pytest.raises(UsageError, match=re.escape(said)) as refused:
        read_marker((), {"limits": limits})

    assert str(refused.value).startswith("the marker highwater, limits=")
    assert len(str(refused.value)) < 1000


def test_a_limit_that_can_be_is_taken_as_it_is() -> None:
    limits = {**dict.fromkeys(NAMES, 100), "longest_gap_ms": 10, "ack_p50_ms": 0.001}

    assert read_marker((), {"limits": limits}).limits == limits
    assert Marked().limits == {}


# -- as a test is told


def verdicts(lost_write: Answer) -> list[Verdict]:
    answers = dict.fromkeys(LASTING, Answer.HELD) | {"lost-write": lost_write}
    return [
        Verdict(claim=claim, answer=answer, considered=1, reason="?")
        for claim, answer in answers.items()
    ]


HELD, VIOLATED, UNKNOWN = Answer
SLOW, QUICK = {"ack_p99_ms": 5.0}, {"ack_p99_ms": 500.0}
SAID = "ack_p99_ms of load on orders: expected at most 5 ms, saw 20 ms; see measures.parquet"
Judged = Callable[..., Account]


@pytest.fixture
def record(tmp_path: Path) -> Path:
    """Of a play in which acknowledgements took 20 ms, and the final reader was 9 s late."""
    with RunRecord(tmp_path / "run", {}) as record:
        for name, client_id in (("load", "load"), ("last", FINAL_READER)):
            row = {"client": name, "role": "consumer", "client_id": client_id}
            record.history.clients.append(row)
    rows = [client(ack_p99_ms=20.0), client("last", end_to_end_p99_ms=9_000.0)]
    nothing = [schema.empty_table() for schema in (RECOVERIES, REBALANCES, LAGS)]
    write_measures(tmp_path / "run", pa.Table.from_pylist(rows, MEASURES), *nothing)
    return tmp_path / "run"


@pytest.fixture
def judged(record: Path, monkeypatch: pytest.MonkeyPatch) -> Judged:
    """What a test with these limits is told, by what the judge says of lost writes."""

    def of(limits: Mapping[str, float], said: Answer = HELD, unfinished: str = "") -> Account:
        answers = {record: verdicts(said)}
        monkeypatch.setattr(testing, "judge_beside", lambda _runs: answers)
        played = Played(record, not unfinished, unfinished, 1.0, cluster_usable=True)
        marked = Marked(limits=limits)
        test = ChaosTest(node_id="t", name="t", command="", kafka="4.1.1", trial=1, marked=marked)
        suite = Suite(record, Grounds(out=record), ExitStack())
        return suite.judge(played, test)

    return of


@pytest.mark.parametrize(
    ("asked", "outcome", "reason"),
    [
        ((QUICK,), "passed", ""),
        (({},), "passed", ""),
        ((SLOW,), "failed", f"above a limit: {SAID}"),
        ((SLOW, UNKNOWN), "failed", f"above a limit: {SAID}"),
        ((SLOW, VIOLATED), "failed", "violated: lost-write"),
        ((SLOW, HELD, "no leader"), "inconclusive", "no leader"),
        ((QUICK, UNKNOWN), "inconclusive", "no evidence for a claim that must hold: lost-write: ?"),
    ],
)
def test_a_test_fails_above_its_limits_unless_its_play_proves_nothing(
    judged: Judged, record: Path, asked: tuple[Any, ...], outcome: str, reason: str
) -> None:
    told = judged(*asked)

    assert (told.outcome, told.reason) == (outcome, reason)
    assert (SAID in told.text) is (asked[0] is SLOW)
    assert (f"the record: {record}" in told.text) is (outcome != "passed")


def test_a_limit_that_only_the_final_reader_met_was_not_measured(judged: Judged) -> None:
    told = judged({**QUICK, "end_to_end_p99_ms": 5})

    assert told.outcome == "inconclusive"
    assert told.reason == (
        "no evidence for a limit: end_to_end_p99_ms: nothing was measured: nobody was handed "
        "what somebody sent, but for who reads everything at last"
    )


def test_several_limits_have_a_sentence_each(
    judged: Judged, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(measured, "FINAL_READER", "nobody")

    told = judged({**SLOW, "end_to_end_p99_ms": 8_000})

    late = "end_to_end_p99_ms of last on orders: expected at most 8,000 ms, saw 9,000 ms"
    assert told.reason == f"above a limit: {SAID}, and 1 more of its limits"
    assert told.text.splitlines()[:3] == ["above limits:", SAID, f"{late}; see measures.parquet"]


def test_what_cannot_be_read_takes_no_violation_along(judged: Judged, record: Path) -> None:
    (record / "recoveries.parquet").write_bytes(b"PAR1")

    assert judged(SLOW, VIOLATED).reason == "violated: lost-write"
    assert judged(SLOW).outcome == "inconclusive"
    assert "recoveries.parquet cannot be read" in judged(SLOW).reason
