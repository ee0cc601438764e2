"""Where the gate replaced an answer after the deed, the page says that a broker was made to lie."""

from __future__ import annotations

import json
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, cast

import pytest

from highwater.harness.record.reader import open_run
from highwater.harness.record.rewritten import rewritten_answers
from highwater.harness.record.writer import RunRecord
from highwater.pytest_plugin.listening import Listener
from highwater.pytest_plugin.outcomes import ATTACHED_AS
from highwater.reports.junit import write_junit, write_suite_junit
from highwater.reports.page import write_report
from highwater.reports.rewritten import LIES, rewritten_of, sentences
from highwater.reports.suite import read_suite
from highwater.reports.suite_page import write_suite_page
from highwater.reports.summary import write_suite_summary, write_summary

AFTER = {"event": "answered", "stage": "response", "api": 0, "error": 7}
BEFORE = {**AFTER, "stage": "request"}
TOLD = {"Produce REQUEST_TIMED_OUT": 2}
SAID = (
    "2 answers to Produce became REQUEST_TIMED_OUT at the gate, after the broker had done what it "
    "was asked"
)


def recorded(path: Path, events: list[dict[str, Any]], *, killed: bool = False) -> None:
    with RunRecord(path, {"scenario": "client-told-late", "kafka": "4.1.1"}) as record:
        for each in events:
            record.event("gate", "answered", **each)
        if not killed:
            record.end({"complete": True, "reason": None, "seconds": 1.0})


def test_only_what_was_replaced_after_the_deed_is_a_lie() -> None:
    assert rewritten_answers([AFTER, BEFORE, AFTER, {"event": "passed"}]) == TOLD
    assert rewritten_answers([{**AFTER, "api": 999, "error": None}]) == {"999 ?": 1}


def test_an_answer_that_names_another_leader_has_no_error() -> None:
    (said,) = sentences(rewritten_answers([{**AFTER, "api": 3, "error": 0}]))

    assert said.startswith("1 answer to Metadata named another leader at the gate, after ")


def test_run_json_is_believed_where_it_says_that_none_was_replaced() -> None:
    assert rewritten_of({"rewritten": {}}, lambda: [AFTER]) == {}
    assert rewritten_of({}, lambda: [AFTER]) == {"Produce REQUEST_TIMED_OUT": 1}


def test_run_json_says_so_when_the_play_has_ended_and_else_says_nothing(tmp_path: Path) -> None:
    recorded(tmp_path / "lies", [AFTER, BEFORE, AFTER])
    recorded(tmp_path / "refuses", [BEFORE])

    assert json.loads((tmp_path / "lies" / "run.json").read_text())["rewritten"] == TOLD
    assert "rewritten" not in json.loads((tmp_path / "refuses" / "run.json").read_text())


@pytest.mark.parametrize("killed", [False, True], ids=["ended", "killed"])
def test_a_page_says_it_at_its_top_and_at_the_run(tmp_path: Path, *, killed: bool) -> None:
    recorded(tmp_path / "runs" / "one", [AFTER, AFTER], killed=killed)
    run = open_run(tmp_path / "runs" / "one")
    row = {
        "scenario": "client-told-late",
        "kafka": "4.1.1",
        "runs": ["runs/one"],
        "trials": 1,
        "clean": 1,
    }

    page = write_report(tmp_path, [row if killed else {**row, "rewritten": TOLD}], [run])

    html = page.read_text(encoding="utf-8")
    assert html.count(LIES) == (1 if killed else 2)
    assert html.count(SAID) == (1 if killed else 2)
    top = html.index("<h1>"), html.index("<main") if "<main" in html else len(html)
    assert killed or top[0] < html.index(LIES)


def test_a_page_of_brokers_that_said_the_truth_has_no_such_word(tmp_path: Path) -> None:
    recorded(tmp_path / "runs" / "one", [BEFORE])
    run = open_run(tmp_path / "runs" / "one")
    row = {
        "scenario": "client-refused",
        "kafka": "4.1.1",
        "runs": ["runs/one"],
        "trials": 1,
        "clean": 1,
    }

    assert LIES not in write_report(tmp_path, [row], [run]).read_text(encoding="utf-8")
    assert LIES not in write_summary(tmp_path, [row]).read_text(encoding="utf-8")


def test_the_summaries_for_ci_say_it(tmp_path: Path, suites: ModuleType) -> None:
    row = {
        "scenario": "client-told-late",
        "kafka": "4.1.1",
        "trials": 1,
        "clean": 1,
        "rewritten": TOLD,
    }
    content = suites.content()
    content["tests"][0]["rewritten"] = TOLD
    suite = read_suite(content)

    assert LIES in write_summary(tmp_path, [row]).read_text(encoding="utf-8")
    assert LIES in write_suite_summary(tmp_path, suite).read_text(encoding="utf-8")
    for junit in (write_junit(tmp_path, [row], []), write_suite_junit(tmp_path, suite)):
        assert f"{LIES} {SAID}" in junit.read_text(encoding="utf-8")
    page = write_suite_page(tmp_path, suite, []).read_text(encoding="utf-8")
    assert page.index("<h1>") < page.index(SAID) < page.index('<h2 id="results">')


def test_a_session_of_pytest_says_it_at_its_end_for_each_test_once() -> None:
    told: dict[str, Any] = {"account": {"rewritten": TOLD}}
    config = SimpleNamespace(getoption=lambda _name: None)
    outcomes = SimpleNamespace(heard=lambda _report: None)
    listener = Listener(cast("Any", config), cast("Any", outcomes))
    for nodeid, account in (("a.py::lies", told), ("a.py::lies", told), ("a.py::true", None)):
        report = SimpleNamespace(nodeid=nodeid, when="call", **{ATTACHED_AS: json.dumps(account)})
        listener.pytest_runtest_logreport(cast("Any", report))

    assert list(listener._lies()) == [f"brokers were made to lie in a.py::lies: {SAID}"]
