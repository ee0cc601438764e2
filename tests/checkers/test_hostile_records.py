"""Every case of `hostile.jsonl` is answered as it should be, and both opinions agree on it."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from tests.checkers.conftest import by_name
from tests.checkers.hostile import Case, cases

from highwater.checkers.judge import judge
from highwater.checkers.second_opinion.opinions import disagreements
from highwater.harness.model import Answer, Verdict
from highwater.harness.record.files import write_json, write_parquet
from highwater.harness.record.reader import StoredRun, open_run
from highwater.harness.tables import TABLES

pytestmark = pytest.mark.spark

CASES = {case.name: case for case in cases()}


def _written(path: Path, case: Case) -> StoredRun:
    path.mkdir(parents=True)
    write_json(path / "run.json", {"schema": 2, "tool": "hostile", **case.run})
    for table, schema in TABLES.items():
        rows = [row for name, row in case.rows if name == table]
        if rows:
            part = path / table / "part-000000.parquet"
            write_parquet(part, pa.Table.from_pylist(rows, schema=schema))
    return open_run(path)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, StoredRun]:
    root = tmp_path_factory.mktemp("hostile")
    return {name: _written(root / name, case) for name, case in CASES.items()}


@pytest.fixture(scope="module")
def said(runs: dict[str, StoredRun]) -> dict[str, dict[str, Verdict]]:
    return by_name(judge(list(runs.values())))


@pytest.mark.parametrize("name", CASES)
def test_a_hostile_record_is_answered_as_it_should_be(
    name: str, said: dict[str, dict[str, Verdict]]
) -> None:
    case, verdicts = CASES[name], said[name]

    violated = {claim for claim, one in verdicts.items() if one.answer is Answer.VIOLATED}
    others = {
        claim: verdicts[claim].answer.value
        for claim, wanted in case.answers.items()
        if (verdicts[claim].answer.value == wanted.strip("!")) is wanted.startswith("!")
    }

    assert violated == case.violated, case.why
    assert others == {}, case.why
    assert [one for one in verdicts.values() if "broke" in one.reason] == []


@pytest.mark.parametrize("name", CASES)
def test_the_second_opinion_agrees_on_a_hostile_record(
    name: str, runs: dict[str, StoredRun], said: dict[str, dict[str, Verdict]]
) -> None:
    assert disagreements(runs[name], list(said[name].values())) == []
