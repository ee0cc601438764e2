"""A run.json that is not as the ledger has it is drawn as far as it goes, and the page says so."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from highwater import cli, drawing
from highwater.harness.record.reader import open_run
from highwater.harness.record.writer import RunRecord
from highwater.reports.cells import read_cells
from highwater.reports.environments import environments
from highwater.reports.exhibit import exhibit
from highwater.reports.junit import write_junit

SCHEMA = Path(__file__).parents[3] / "docs" / "schemas" / "run.schema.json"
FIELDS = sorted(json.loads(SCHEMA.read_text(encoding="utf-8"))["properties"])
STRANGE: tuple[Any, ...] = (
    3,
    "x",
    None,
    [],
    {},
    [[]],
    [{}],
    {"a": 3},
    {"a": None},
    True,
    -1.5,
    "a\x1b\n",
)
Report = Callable[[], tuple[int, str]]  # the exit code, and what was said


@pytest.fixture
def run(tmp_path: Path) -> Path:
    identity = {
        "scenario": "s", "title": "t", "story": "t\n\nMore.", "kafka": "4.1.1", "control": "a=b",
        "claims": ["lost-write"], "tolerates": {"duplicate": "so"}, "expected": "clean",
        "settings": {"a": "b"}, "topics": {"t": {"a": "b"}}, "jars": {"digest": "d"},
    }  # fmt: skip
    with RunRecord(tmp_path / "run", identity) as record:
        record.end({"complete": True, "reason": None, "seconds": 1.0})
    verdict = {
        "claim": "lost-write", "answer": "HELD", "considered": 1, "anomalies": 0,
        "reason": "", "witnesses": [],
    }  # fmt: skip
    content = json.dumps({"schema": 1, "verdicts": [verdict]})
    (tmp_path / "run" / "verdicts.json").write_text(content)
    return tmp_path / "run"


@pytest.fixture
def report(
    run: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Report:
    def draw() -> tuple[int, str]:
        monkeypatch.setattr("sys.argv", ["highwater", "report", str(run)])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        return int(ended.value.code or 0), capsys.readouterr().err

    return draw


def change(run: Path, **fields: object) -> None:
    content = json.loads((run / "run.json").read_text())
    (run / "run.json").write_text(json.dumps({**content, **fields}))


def test_a_sound_record_has_nothing_that_cannot_be_read(run: Path, report: Report) -> None:
    assert report() == (0, "")
    assert "run.json: expected" not in (run / "report.html").read_text()


@pytest.mark.parametrize("field", [each for each in FIELDS if each != "schema"])
def test_every_field_may_be_of_a_strange_type(run: Path, field: str) -> None:
    sound = open_run(run)
    for strange in STRANGE:
        told = replace(sound, identity={**sound.identity, field: strange})

        rows = drawing._rows(run, [told])

        assert len(read_cells(rows)) == 1, strange
        write_junit(run, rows, [told])
        environments([exhibit(told, run, brief=True).identity])


@pytest.mark.parametrize(
    ("field", "strange"),
    [
        ("played", 3),
        ("played", {"complete": True, "seconds": "long"}),
        ("claims", 3),
        ("tolerates", []),
        ("expected", "x"),
        ("topics", {"t": 3}),
        ("story", {}),
        ("kafka", ["4.1.1"]),
    ],
)
def test_the_page_says_what_it_cannot_read(
    run: Path, report: Report, field: str, strange: Any
) -> None:
    change(run, **{field: strange})

    assert report() == (0, "")
    page = (run / "report.html").read_text()
    assert f"run.json: expected {field} to be " in page


def test_an_ending_that_cannot_be_read_proves_nothing(run: Path, report: Report) -> None:
    report()
    assert "never recorded how it ended" not in (run / "report.html").read_text()

    change(run, played=3)
    report()

    assert "never recorded how it ended" in (run / "report.html").read_text()
