"""The content of a suite.json with a test for each outcome, as the plugin writes it."""

from __future__ import annotations

from typing import Any

VIOLATION = {
    "claim": "lost-write",
    "meaning": "every acknowledged write is still there",
    "anomalies": 10,
    "considered": 11,
    "about": "sends acknowledged with acks=all",
    "witness": "value 2, acknowledged to main with acks=all at offset 1 of t-0, is on no replica",
    "likely": "unclean.leader.election.enable=true: broker 3 was not in the ISR",
}


def row(name: str, outcome: str, pytest: list[str], **more: Any) -> dict[str, Any]:
    return {
        "test": f"folder/test_eight.py::{name}[0.10.2.2]",
        "outcome": outcome,
        "pytest": pytest,
        "reason": "",
        "text": "",
        "violated": [],
        "kafka": "0.10.2.2",
        "trial": 1,
        "backend": "process",
        "seconds": 1.5,
        "command": f"pytest 'folder/test_eight.py::{name}[0.10.2.2]' --kafka 0.10.2.2",
        "run": None,
        **more,
    }


def content(run: str | None = None, **more: Any) -> dict[str, Any]:
    """A suite; `run` is the record of the test that a claim failed."""
    lost = {"reason": "violated: lost-write", "violated": [VIOLATION], "run": run}
    tests = [
        row("test_passes", "passed", ["passed"], run="runs/not-there"),
        row("test_fails_by_a_claim", "failed", ["failed"], text="lost-write: 10 of 11", **lost),
        row("test_fails_by_itself", "failed", ["failed"], reason="assert 3 == 4"),
        row("test_without_evidence", "inconclusive", ["failed"], reason="no evidence for <t>"),
        row("test_with_a_broken_fixture", "error", ["error"], reason="broken", text="a\x1b[b"),
        row("test_is_skipped", "skipped", ["skipped"], reason="not today"),
    ]
    counted = {"failed": 3, "passed": 1, "skipped": 1, "error": 1}
    return {"schema": 1, "pytest": counted, "not_run": [], "tests": tests, **more}


def of_sizes(**more: Any) -> dict[str, Any]:
    """A suite of a test that was given three numbers, on two Kafkas."""
    tests = [
        row(
            "test_dies", "passed", ["passed"], kafka=kafka,
            test=f"wide/test_dies.py::test_a_leader_of_many_dies[{kafka}-{number}]",
            arguments={"partitions": number},
            measures={
                "acked": 4_000, "silent_ms": 2_900.0 + each_ms * number,
                "first_ack_ms": 3_100.0 + each_ms * number, "full_isr_ms": None,
            },
        )
        for kafka, each_ms in (("0.10.2.2", 4.0), ("4.4.0", 0.5))
        for number in (10, 100, 1_000)
    ]  # fmt: skip
    return {"schema": 1, "pytest": {"passed": 6}, "not_run": [], "tests": tests, **more}
