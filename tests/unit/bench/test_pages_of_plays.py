"""What docs/results.md tells of acks and of failovers, from figures that are known."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree as ET

import pytest
from tests.bench import acks_page, failover_page

ROW = {
    "producer": "1", "min_isr": 2, "sent": 1200, "acked": 1100, "lost": 7, "duplicated": 2,
    "reordered": 0, "acked_per_s": 199.6, "p50_ms": 3.0, "p99_ms": 1234.5, "longest_gap_s": 2.25,
    "violated": [], "gave_up": "",
}  # fmt: skip
ACKS: dict[str, Any] = {
    "command": "COMMAND",
    "played_on": "TODAY",
    "kafkas": {"4.4.0": {"kill": [ROW, {**ROW, "lost": 9}], "pause": [{**ROW, "gave_up": "why"}]}},
}
STEPS = {"missed": 3.0, "first": 0.1, "last": 0.4, "known": 0.5}


def _size(led: int, leaderless_s: float) -> dict[str, Any]:
    steps = {**STEPS, "until the last is written": led / 500, "turned": 4.5}
    return {
        "led_by_it": led,
        "leaderless_s": leaderless_s,
        "steps_s": steps,
        "acknowledged_s": 4.4,
        "client_gap_s": 4.2,
        "shutdown_s": 2.5,
        "shut_down_led": led // 2,
    }


FAILOVER: dict[str, Any] = {
    "command": "COMMAND",
    "played_on": "TODAY",
    "kafkas": {"3.9.1-zk": {"10": _size(10, 3.01), "1000": _size(1_000, 4.0)}},
}


def test_a_cell_says_what_each_round_lost_and_the_last_rounds_times() -> None:
    told = acks_page.section(ACKS)

    assert "| fault | acks=1, min 2 |" in told
    assert "| kill | 7, 9 lost of 1,100, 4 twice<br>200/s; 3 / 1,234 ms; 2.2 s |" in told
    assert "| pause | 7 lost of 1,100, 2 twice, and its producer gave up<br>" in told


def test_what_a_dead_broker_led_is_told_with_the_line_through_it() -> None:
    told = failover_page.section(FAILOVER)

    assert "| 3.9.1-zk | 1,000 | 3.00 s |" in told
    assert "| 4.00 s | 4.50 s | 4.40 s | 4.20 s | 2.50 s, 500 |" in told
    assert "for 3.0 s and 1.00 ms more for each" in told
    assert "writes were 2.00 ms apart" in told
    assert "for 13 s" in told


@pytest.mark.parametrize("drawn", [acks_page.picture(ACKS), failover_page.picture(FAILOVER)])
def test_a_picture_is_one(drawn: str) -> None:
    assert ET.fromstring(drawn).tag.endswith("svg")
