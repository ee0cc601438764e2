"""What we write for machines is what docs/schemas says, and the ledger names the same fields."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pyarrow as pa
import pytest
from tests.pytest_runs import run_pytest
from tests.unit.front.test_cells import REPRODUCED, cell, result, verdict

from highwater.harness.measurements import LAGS, MEASURES, REBALANCES, RECOVERIES
from highwater.harness.model import Answer
from highwater.harness.record.writer import RunRecord, write_verdicts

DOCS = Path(__file__).parents[3] / "docs"
SCHEMAS = {path.name.removesuffix(".schema.json"): path for path in DOCS.glob("schemas/*.json")}
CHAOS = """
import pytest

pytestmark = pytest.mark.highwater


@pytest.mark.parametrize("odd", [True, False])
def test_that_runs(odd):
    assert odd
"""


def schema(name: str) -> Any:
    return json.loads(SCHEMAS[name].read_text(encoding="utf-8"))


def validate(name: str, content: Any) -> None:
    jsonschema.Draft202012Validator(schema(name)).validate(content)


def fields_in_ledger(section: str, table: int = 0) -> set[str]:
    """The first column of one of the tables below a heading of docs/ledger.md."""
    text = (DOCS / "ledger.md").read_text(encoding="utf-8").split(f"\n## {section}\n")[1]
    tables = re.findall(r"(?:^\|.*\n)+", text.split("\n## ")[0], re.MULTILINE)
    rows = [line.split("|")[1] for line in tables[table].splitlines()[2:]]
    return {name.strip() for row in rows for name in row.split(",")}


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_schema_is_one(name: str) -> None:
    jsonschema.Draft202012Validator.check_schema(schema(name))


def test_the_ledger_names_the_fields_of_the_schemas() -> None:
    cells = schema("compare")["properties"]["cells"]["items"]["properties"]
    suite = schema("suite")["properties"]
    tests_of_pytest = {"test", "command", "needs_evidence_for"}

    assert set(schema("run")["properties"]) == fields_in_ledger("run.json") | tests_of_pytest
    assert set(cells) == fields_in_ledger("compare.json")
    assert set(suite) == fields_in_ledger("suite.json")
    assert set(suite["tests"]["items"]["properties"]) == fields_in_ledger("suite.json", 1)


@pytest.mark.parametrize(
    ("name", "table"),
    [
        ("measures", MEASURES), ("recoveries", RECOVERIES),
        ("rebalances", REBALANCES), ("lags", LAGS),
    ],
)  # fmt: skip
def test_what_was_measured_is_as_the_tables_have_it(name: str, table: pa.Schema) -> None:
    kinds = {"string": "string", "int32": "integer", "int64": "integer", "double": "number",
             "bool": "boolean"}  # fmt: skip
    row = schema("check")["items"]["properties"][name]["items"]

    assert row["properties"] == {
        one.name: {"type": [kinds[str(one.type)], "null"] if one.nullable else kinds[str(one.type)]}
        for one in table
    }
    assert row["required"] == table.names


def test_a_cell_and_verdicts_are_as_the_schemas_say(tmp_path: Path) -> None:
    shown = result(cell("0.10.2.2"), REPRODUCED, verdicts=[verdict("lost-write", Answer.VIOLATED)])
    (shown_trial,) = shown.trials
    row = shown.row(shown_trial.played.path.parent)

    validate("compare", {"schema": 1, "cells": [row]})
    assert set(row) <= set(schema("compare")["properties"]["cells"]["items"]["properties"])
    write_verdicts(tmp_path, [verdict("lost-write", Answer.VIOLATED, 1)])
    validate("verdicts", json.loads((tmp_path / "verdicts.json").read_text()))


def test_a_run_is_as_its_schema_says(tmp_path: Path) -> None:
    with RunRecord(tmp_path, {"kafka": "4.3.1", "mode": "kraft", "claims": ["lost-write"]}):
        pass

    content = json.loads((tmp_path / "run.json").read_text())
    validate("run", content)
    assert set(content) <= set(schema("run")["properties"])


def test_a_suite_is_as_its_schema_says(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(CHAOS)

    run_pytest(tmp_path, "--highwater-report", "report")

    content = json.loads((tmp_path / "report" / "suite.json").read_text())
    validate("suite", content)
    assert [test["outcome"] for test in content["tests"]] == ["passed", "failed"]
    assert set(content) <= set(schema("suite")["properties"])
    for test in content["tests"]:
        assert set(test) <= set(schema("suite")["properties"]["tests"]["items"]["properties"])


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("compare", {"schema": 1, "cells": [{"scenario": "s"}]}),
        ("compare", {"schema": 1, "cells": [{"scenario": "s", "kafka": "4.3.1", "clean": -1}]}),
        ("verdicts", {"schema": 1, "verdicts": [{"claim": "lost-write", "answer": "MAYBE"}]}),
        ("check", [{"run": "r", "unreadable": {}, "verdicts": [], "measures": [{"acked": 1}]}]),
        ("run", {"schema": "1"}),
        ("suite", {"schema": 1, "tests": [{"test": "t", "outcome": "green"}]}),
    ],
)
def test_anything_else_is_refused(name: str, content: Any) -> None:
    with pytest.raises(jsonschema.ValidationError):
        validate(name, content)
