"""The evidence of each anomaly: bounded, linked, and marked where it is a hypothesis."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

from highwater.harness.model import Answer, Verdict
from highwater.harness.record.reader import find_runs
from highwater.reports import write_report
from highwater.reports.contents import RunContents, load
from highwater.reports.evidence import MOST_OF_A_CLAIM, MOST_OF_A_RUN, evidence, lines_of

RUN = "run-x"


def _contents(kip101: ModuleType, root: Path) -> RunContents:
    kip101.write(root, kip101.Trial())
    (run,) = find_runs(root)
    contents = load(run)
    return replace(contents, verdicts=[_verdict(_lost(value)) for value in (3,)])


def _lost(value: int) -> dict[str, Any]:
    return {"topic": "t", "partition": 0, "offset": value, "value": value, "invoked_ns": 0}


def _verdict(*witnesses: dict[str, Any], claim: str = "lost-write", most: int = 0) -> Verdict:
    return Verdict(
        claim=claim,
        answer=Answer.VIOLATED,
        considered=11,
        anomalies=most or len(witnesses),
        witnesses=witnesses,
    )


def test_a_lost_record_has_its_sender_its_replicas_and_the_line_that_cut_it(
    kip101: ModuleType, tmp_path: Path
) -> None:
    contents = _contents(kip101, tmp_path)

    (claim,) = evidence(contents, RUN)

    (anomaly,) = claim.episodes[0].anomalies
    assert anomaly.subject.id == "run-x-lost-write-t-p0-o3-v3"
    assert len(anomaly.sent) == 1
    assert anomaly.sent[0].startswith("main, acks=all, ")
    assert anomaly.sent[0].endswith("acknowledged at offset 3")
    assert anomaly.read == []
    third = next(row for row in anomaly.held if row.broker == 3)
    assert third.stretches == "5.320 to 7.410 s, not any more at 7.460 s"
    assert third.at_the_end == "nothing"
    line = third.cut[0].line
    assert line is not None
    assert contents.events[line]["text"] == "Truncating log t-0 to offset 1."
    assert line in lines_of([claim])


def test_what_is_only_suggested_is_marked_as_a_hypothesis(
    kip101: ModuleType, tmp_path: Path
) -> None:
    (claim,) = evidence(_contents(kip101, tmp_path), RUN)

    why = claim.episodes[0].anomalies[0].why

    assert [each.is_hypothesis for each in why] == [False] * (len(why) - 1) + [True]
    assert why[0].text == "Broker 3 cut its log to offset 1: offset 3 was gone."
    assert why[0].quote == "Truncating log t-0 to offset 1."
    assert why[-1].text.startswith("Broker 3 had cut the record off before it became leader")


def test_of_a_record_that_is_still_there_no_loss_is_supposed(
    kip101: ModuleType, tmp_path: Path
) -> None:
    contents = replace(
        _contents(kip101, tmp_path), verdicts=[_verdict(_lost(0), claim="duplicate")]
    )

    (claim,) = evidence(contents, RUN)

    (anomaly,) = claim.episodes[0].anomalies
    assert [row.at_the_end for row in anomaly.held] == ["this record"] * 3
    assert anomaly.read[0].startswith("reader, ")
    assert not any(each.is_hypothesis for each in anomaly.why)


def test_around_the_moment_stand_log_lines_and_what_the_gate_did(
    kip101: ModuleType, tmp_path: Path
) -> None:
    (claim,) = evidence(_contents(kip101, tmp_path), RUN)

    around = claim.episodes[0].around

    assert around is not None
    assert around.at == "7.450"
    assert {"log", "fault", "broker", "metadata"} <= {row.kind for row in around.rows}
    assert [row.line for row in around.rows] == sorted(row.line for row in around.rows)


def test_an_anomaly_without_a_record_has_what_there_is(kip101: ModuleType, tmp_path: Path) -> None:
    stuck = _verdict({"broker": 2, "at_ns": 7_520_000_000}, claim="stuck-broker")
    contents = replace(_contents(kip101, tmp_path), verdicts=[stuck])

    (claim,) = evidence(contents, RUN)

    (anomaly,) = claim.episodes[0].anomalies
    assert (anomaly.subject.words, anomaly.sent, anomaly.held) == ("broker 2", [], [])
    assert claim.episodes[0].around is not None


def test_links_are_the_same_whatever_else_is_violated_and_never_twice(
    kip101: ModuleType, tmp_path: Path
) -> None:
    contents = _contents(kip101, tmp_path)

    alone = evidence(replace(contents, verdicts=[_verdict(_lost(5))]), RUN)
    others = evidence(replace(contents, verdicts=[_verdict(_lost(4), _lost(5), _lost(5))]), RUN)

    links = [each.id for each in others[0].subjects]
    assert alone[0].subjects[0].id in links
    assert len(set(links)) == 3


def test_a_foreign_name_makes_a_short_link(kip101: ModuleType, tmp_path: Path) -> None:
    strange = _verdict({"client": "<x>" * 900, "topic": 7, "offset": "first"})
    contents = replace(_contents(kip101, tmp_path), verdicts=[strange])

    (claim,) = evidence(contents, RUN)

    assert len(claim.subjects[0].id) < 150
    assert "<" not in claim.subjects[0].id


def test_a_hundred_thousand_violations_are_counted_and_few_are_shown(
    kip101: ModuleType, tmp_path: Path
) -> None:
    contents = _contents(kip101, tmp_path)
    many = [
        _verdict(*map(_lost, range(1, 100)), claim=f"claim-{name}", most=100_000)
        for name in "abcdef"
    ]

    found = evidence(replace(contents, verdicts=many), RUN)

    assert [each.shown for each in found] == [MOST_OF_A_CLAIM] * 3
    assert sum(each.shown for each in found) == MOST_OF_A_RUN
    assert found[0].anomalies == 100_000


def test_the_page_escapes_what_a_witness_and_a_log_line_say(
    kip101: ModuleType, tmp_path: Path
) -> None:
    path = kip101.write(tmp_path, kip101.Trial())
    lines = (path / "events.jsonl").read_text(encoding="utf-8")
    evil = lines.replace("Truncating log t-0 to offset 1.", "Truncating log t-0 to offset 1.<b>x")
    (path / "events.jsonl").write_text(evil, encoding="utf-8")

    page = write_report(tmp_path, [kip101.cell(kip101.Trial())], find_runs(tmp_path)).read_text()

    assert "offset 1.&lt;b&gt;x" in page
    assert "<b>x" not in page
