"""A path that nobody can look at is a mistake of the command line, and no traceback."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from highwater.cli import app
from highwater.harness.errors import InfrastructureError, UsageError
from highwater.search_log import append, open_search, require_same

TOLD = {"kafka": "4.1.1", "seed": 1, "strategy": "guided", "moves": "gentle"}
LONG = "long-" * 60  # more than any file system has in a name; others have no leave to look


@pytest.mark.parametrize(
    "words",
    [
        "replay {}", "shrink {}", "explain {}", "explore --like {}", "check {}", "report {}",
        "report --history {}", "report . {} -o new", "ladder {} --svg x.svg",
        "compare -s kip101-loss-strict --kafka-dir {}", "run kip101-loss-strict --kafka-dir {}",
    ],
)  # fmt: skip
def test_what_cannot_be_looked_at_is_refused_with_its_name(words: str) -> None:
    shown = CliRunner().invoke(app, words.format(LONG).split())

    assert isinstance(shown.exception, UsageError), repr(shown.exception)
    assert str(shown.exception) == f"{LONG} cannot be looked at: File name too long"


def test_a_record_elsewhere_is_looked_for_by_who_reads_it(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[list[str]] = []
    monkeypatch.setattr("highwater.judging.check", lambda places, *_, **__: asked.append(places))

    CliRunner().invoke(app, ["check", place := f"hdfs://host/{LONG}"], catch_exceptions=False)

    assert asked == [[place]]


def test_a_log_of_a_search_that_cannot_be_read_or_written_is_refused(tmp_path: Path) -> None:
    """Before a cluster starts: the first schedule would be lost, and the search with it."""
    open_search(tmp_path, TOLD)
    (tmp_path / "rounds.jsonl").unlink()
    (tmp_path / "rounds.jsonl").mkdir()

    for use in (open_search, require_same):
        with pytest.raises(UsageError, match=r"rounds\.jsonl cannot be (written to|read)"):
            use(tmp_path, TOLD)
    with pytest.raises(InfrastructureError, match=r"rounds\.jsonl cannot be written to"):
        append(tmp_path, {})
