"""What a client does not promise is told with the place where its documentation says so."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests import promises_page
from tests.unit.front.test_cells import CLEAN, OUT, result

from highwater.cells import Cell
from highwater.checkers.attempts import NO_IDEMPOTENCE
from highwater.checkers.catalogue import claims
from highwater.checkers.overtaking import NO_ORDER
from highwater.harness.foreign.languages import KNOWN
from highwater.harness.foreign.programs import JAVA, NAMES, OURS
from highwater.harness.model import Answer, Verdict
from highwater.harness.versions.catalogue import find_kafka
from highwater.promised import TOLD, libraries, not_promised, reference
from highwater.reports.cells import read_cells, remarks
from highwater.reports.page import write_report
from highwater.scenarios.catalogue import find_scenario

ROOT = Path(__file__).parents[3]
WRITER = reference("kafka-go")


def held(claim: str, reason: str) -> Verdict:
    return Verdict(claim=claim, answer=Answer.HELD, considered=7, reason=reason)


TWICE = held("duplicate", f"3 {NO_IDEMPOTENCE} (allowed)")
OVERTAKEN = held("reordered", f"2 {NO_ORDER} (allowed)")


def test_every_client_has_a_place_where_its_promises_stand() -> None:
    named = [client for each in libraries() for client in each.clients]

    assert sorted(named) == sorted({*NAMES, *KNOWN, JAVA, OURS})
    assert all(each.reference.startswith("https://") for each in libraries())
    assert reference("java:2.8.2") == reference("java") != ""
    assert reference("./my-adapter") == ""


def test_what_is_said_is_said_of_claims_that_there_are() -> None:
    known = {each.name for each in claims()}

    assert all(set(TOLD) <= set(each.says) <= known for each in libraries())


def test_the_page_has_the_tables_that_are_made_of_it() -> None:
    page = (ROOT / promises_page.PAGE).read_text()

    assert promises_page.rendered(page) == page
    assert all(page.count(each.reference) for each in libraries())


def test_a_table_of_the_page_that_is_not_so_is_put_right() -> None:
    page = (ROOT / promises_page.PAGE).read_text()

    wrong = page.replace("no idempotence; a call", "idempotence; a call")

    assert wrong != page
    assert promises_page.rendered(wrong) == page


@pytest.mark.parametrize(
    ("verdicts", "told"),
    [
        ([TWICE], {"duplicate": WRITER}),
        ([TWICE, OVERTAKEN, TWICE], {"duplicate": WRITER, "reordered": WRITER}),
        ([held("duplicate", "3 handed out twice (allowed)")], {}),  # that is no client's promise
        ([held("lost-write", f"3 {NO_IDEMPOTENCE} (allowed)")], {}),
        ([], {}),
    ],
)
def test_what_was_told_and_not_charged_has_its_reference(
    verdicts: list[Verdict], told: dict[str, str]
) -> None:
    assert not_promised("kafka-go", verdicts) == told


def test_the_terminal_and_the_report_name_it_with_a_link(tmp_path: Path) -> None:
    kafka, scenario = find_kafka("4.1.1"), find_scenario("client-answer-lost")
    where = Cell(scenario=scenario, kafka=kafka, control="client=kafka-go")
    silent = Cell(scenario=scenario, kafka=kafka, control="client=java")
    rows = [
        result(where, CLEAN, CLEAN, verdicts=[TWICE]).row(OUT.parent),
        result(silent, CLEAN).row(OUT.parent),
    ]

    cells = read_cells(rows)
    page = write_report(tmp_path, rows, []).read_text()

    words = (
        "duplicate in client-answer-lost on 4.1.1 + client=kafka-go is told and not charged, "
        "for its client does not promise it:"
    )
    assert remarks(cells) == [f"{words} {WRITER}"]
    assert page.count("is told and not charged") == 1
    assert f'<a href="{WRITER}" rel="noreferrer">' in page


def test_of_what_no_client_plays_nothing_is_told() -> None:
    cell = Cell(scenario=find_scenario("unclean-election"), kafka=find_kafka("4.1.1"), control=None)

    assert result(cell, CLEAN, verdicts=[TWICE]).row(OUT.parent)["not_promised"] == {}
