"""What is damaged, foreign, unfinished or broken makes only itself unknown."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from highwater.checkers import catalogue
from highwater.checkers.claim import Claim
from highwater.checkers.findings import WITNESSES_KEPT, Findings
from highwater.checkers.judge import judge, judge_claims
from highwater.checkers.parts import POLL, Samples, Values
from highwater.harness.errors import UsageError
from highwater.harness.model import Answer, TopicPartition, Verdict
from highwater.harness.record.reader import StoredRun, find_runs
from highwater.harness.record.writer import RunRecord

pytestmark = pytest.mark.spark

ORDERS = TopicPartition("orders")


def _dislike_13(part: Values) -> Findings:
    polled = part.is_kind(POLL)
    if (part["value"][polled] == 13).any():
        raise ValueError("unlucky")
    return Findings(considered=int(polled.sum()))


def _count(part: Samples) -> Findings:
    return Findings(considered=len(part["replica_states"]))


def _claim(name: str, needs: str, part: type[Any], judge: Callable[[Any], Findings]) -> Claim:
    return Claim(
        name=name, title="", definition="", about="polls", needs=(needs,), part=part, judge=judge
    )


FUSSY = _claim("fussy", "history", Values, _dislike_13)
NONSENSE = _claim("nonsense", "history", Values, lambda part: part["no_such_column"])
ABSENT = _claim("absent", "replica_states", Samples, _count)


def _play(path: Path, sent: range, read: range) -> Path:
    """Two parts of history: what was sent, then what was read."""
    with RunRecord(path, {"scenario": "literal"}) as record:
        record.history.reader("reader", begins_at="earliest")
        sends = record.history.sends("producer", ORDERS, "all", sent)
        sends.invoke(sent, sent)
        for value in sent:
            sends.acknowledged(value, value)
        record.history.flush()
        for value in read:
            record.history.saw("reader", ORDERS, value, (value, value))
        record.history.reached_end("reader", ORDERS, sent.stop)
    return path


def _part(run: Path) -> Path:
    return max((run / "history").glob("part-*.parquet"))


def _judge_all(root: Path) -> dict[str, dict[str, Verdict]]:
    claims = [*catalogue.chosen(["lost-write", "duplicate"]), FUSSY, NONSENSE, ABSENT]
    judged = judge_claims(find_runs(root), claims)
    return {path.name: {one.claim: one for one in each.verdicts} for path, each in judged.items()}


def _kill(path: Path) -> None:
    """A run that wrote its first second and no more."""
    with RunRecord(path, {"scenario": "literal"}) as record:  # nobody says how it ended
        sends = record.history.sends("producer", ORDERS, "all", range(3))
        sends.invoke(range(3), range(3))
        for value in range(2):
            sends.acknowledged(value, value)
        record.history.saw("reader", ORDERS, 0, (0, 0))


def _leave_open(path: Path) -> None:
    """A run in which one send is under way for two seconds: both write of it what they know."""
    with RunRecord(path, {"scenario": "literal"}) as record:
        sends = record.history.sends("producer", ORDERS, "all", range(1))
        sends.invoke(range(1), range(1))
        record.history.flush()
        record.history.flush()
        first, second = sorted((path / "history").glob("part-*.parquet"))
        assert first.read_bytes() == second.read_bytes()
        sends.acknowledged(0, 0)
        record.history.saw("reader", ORDERS, 0, (0, 0))
        record.history.reached_end("reader", ORDERS, 1)


STRANGE = [
    {},
    {"kind": "fault"},
    {"kind": "fault", "at_ns": "noon", "text": "a fault"},
    {"kind": "fault", "at_ns": 1, "text": "a fault", "phase": "opened", "id": 1},
    {"kind": "metadata", "at_ns": 1},
]


@pytest.fixture(scope="module")
def verdicts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Verdict]]:
    root = tmp_path_factory.mktemp("runs")
    _play(root / "good", range(5), range(5))
    _play(root / "lossy", range(200), range(150, 200))
    _play(root / "unlucky", range(14), range(14))
    truncated = _part(_play(root / "truncated", range(5), range(5)))
    truncated.write_bytes(truncated.read_bytes()[:-20])
    foreign = _part(_play(root / "foreign", range(5), range(5)))
    foreign.write_text("not parquet at all", encoding="utf-8")
    narrow = _part(_play(root / "narrow", range(5), range(5)))
    pq.write_table(pq.read_table(narrow).drop_columns(["acks"]), narrow)
    twice = _part(_play(root / "twice", range(5), range(5)))
    shutil.copy(twice, twice.with_name("part-000009.parquet"))
    wordy = _part(_play(root / "wordy", range(5), range(5)))
    rows = pq.read_table(wordy)
    at = rows.column_names.index("offset")
    pq.write_table(rows.set_column(at, "offset", rows["offset"].cast(pa.string())), wordy)
    _play(root / "empty", range(0), range(0))
    for part in (root / "empty" / "history").iterdir():
        part.unlink()
    strange = _play(root / "strange", range(5), range(3, 5)) / "events.jsonl"
    strange.write_text("\n".join(json.dumps(line) for line in STRANGE), encoding="utf-8")
    _kill(root / "killed")
    _leave_open(root / "open")
    return _judge_all(root)


def test_a_good_run_is_judged_beside_the_damaged_ones(
    verdicts: dict[str, dict[str, Verdict]],
) -> None:
    assert verdicts["good"]["lost-write"].answer is Answer.HELD
    assert verdicts["good"]["lost-write"].considered == 5


def test_all_anomalies_are_counted_and_the_first_of_them_shown(
    verdicts: dict[str, dict[str, Verdict]],
) -> None:
    verdict = verdicts["lossy"]["lost-write"]

    assert (verdict.answer, verdict.anomalies) == (Answer.VIOLATED, 150)
    assert [w["offset"] for w in verdict.witnesses] == list(range(WITNESSES_KEPT))


@pytest.mark.parametrize(
    ("run", "reason"),
    [
        ("truncated", "part-000001.parquet cannot be read"),
        ("foreign", "part-000001.parquet cannot be read"),
        ("narrow", "part-000001.parquet has no column acks"),
        ("twice", "part-000009.parquet has the same content as part-000001.parquet"),
        ("wordy", "part-000001.parquet: expected offset to be int64, saw string"),
        ("empty", "the record has no history"),
    ],
)
def test_a_history_that_cannot_be_read_makes_its_run_unknown(
    verdicts: dict[str, dict[str, Verdict]], run: str, reason: str
) -> None:
    for claim in ("lost-write", "duplicate", "fussy"):
        assert verdicts[run][claim].answer is Answer.UNKNOWN
        assert reason in verdicts[run][claim].reason


def test_parts_that_tell_of_the_same_open_send_are_no_copies(
    verdicts: dict[str, dict[str, Verdict]],
) -> None:
    assert verdicts["open"]["lost-write"].answer is Answer.HELD
    assert verdicts["open"]["lost-write"].considered == 1


def test_a_killed_run_is_judged_as_far_as_its_evidence_goes(
    verdicts: dict[str, dict[str, Verdict]],
) -> None:
    assert verdicts["killed"]["duplicate"].answer is Answer.HELD
    assert verdicts["killed"]["lost-write"].answer is Answer.UNKNOWN
    assert "no reader is known to have passed its offset" in verdicts["killed"]["lost-write"].reason


def test_a_timeline_of_another_make_stops_nothing(
    verdicts: dict[str, dict[str, Verdict]],
) -> None:
    assert verdicts["strange"]["lost-write"].answer is Answer.VIOLATED


def test_a_claim_that_breaks_on_one_run_is_judged_on_the_others(
    verdicts: dict[str, dict[str, Verdict]],
) -> None:
    assert verdicts["unlucky"]["fussy"].answer is Answer.UNKNOWN
    assert "unlucky" in verdicts["unlucky"]["fussy"].reason
    assert verdicts["good"]["fussy"].answer is Answer.HELD
    assert verdicts["unlucky"]["lost-write"].answer is Answer.HELD


def test_a_claim_that_cannot_be_understood_is_unknown_everywhere(
    verdicts: dict[str, dict[str, Verdict]],
) -> None:
    assert {run["nonsense"].answer for run in verdicts.values()} == {Answer.UNKNOWN}
    assert "no_such_column" in verdicts["good"]["nonsense"].reason


def test_a_claim_whose_table_is_missing_says_so(verdicts: dict[str, dict[str, Verdict]]) -> None:
    assert verdicts["good"]["absent"].answer is Answer.UNKNOWN
    assert verdicts["good"]["absent"].reason == "the record has no replica_states"


def test_a_claim_that_does_not_exist_is_refused_with_those_that_do() -> None:
    nothing: list[StoredRun] = []

    with pytest.raises(UsageError, match=r"no claim lost-wrote; there are: .*lost-write"):
        judge(nothing, ["lost-wrote"])
