"""What is said of a line through failovers, and of those that are on none."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from tests.bench.failover_page import section

FURTHER = {"acknowledged_s": 3.4, "client_gap_s": 4.0, "shutdown_s": 1.6, "shut_down_led": 5}


def told(leaderless: Mapping[int, float]) -> str:
    sizes: dict[str, Any] = {
        str(led): {
            "led_by_it": led,
            "leaderless_s": seconds,
            "steps_s": {"until the last is written": led * 4e-4, "until all have turned": seconds},
            **FURTHER,
        }
        for led, seconds in leaderless.items()
    }
    kept = {"command": "c", "played_on": "d", "kafkas": {"3.9.1-zk": sizes}}
    return section(kept).splitlines()[-1]


def test_where_they_are_on_a_line_it_says_what_ten_thousand_would_take() -> None:
    said = told({4: 5.7, 34: 5.4, 334: 9.4, 1000: 15.3})

    assert "9.78 ms more for each" in said
    assert "10,000 of them would have none for 103 s" in said
    # Two lines of their own: what is between writes may be more than what a partition takes.
    assert "writes were 0.40 ms apart" in said
    assert "of which" not in said


def test_where_they_are_on_none_nothing_is_reckoned() -> None:
    said = told({4: 3.2, 34: 3.2, 334: 3.1, 1000: 27.2})

    assert "no line goes through these" in said
    assert "10,000" not in said


def test_in_whatever_order_sizes_were_measured_the_smallest_comes_first() -> None:
    seconds = {4: 5.7, 34: 5.4, 334: 9.4, 1000: 15.3}

    assert told(dict(reversed(seconds.items()))) == told(seconds)


def test_through_one_size_there_is_no_line() -> None:
    said = told({4: 5.7})

    assert "measured 1 time, and nothing is reckoned of more" in said
    assert "10,000" not in said


def test_each_column_that_the_steps_of_the_article_are_told_by_is_one_of_the_table() -> None:
    lines = section_of({}).splitlines()
    (head,) = [line for line in lines if line.startswith("| Kafka |")]
    steps = " ".join(lines).partition("An article gives")[2].partition("!")[0]

    named = re.findall(r"\*([a-z ]+)\*", steps)
    assert named == ["shut down", "missed", "written", "last", "known", "turned", "acked"]
    assert {*named} <= {*head.strip("| ").split(" | ")}


def test_whose_files_lay_in_memory_is_told() -> None:
    one = {
        "led_by_it": 4, "leaderless_s": 3.0, "survivors_missed": 1, **FURTHER,
        "steps_s": {"missed": 3.0, "until the last is written": 0.0, "known": 0.1, "turned": 3.1},
    }  # fmt: skip
    more = {**one, "led_by_it": 34}

    told = section_of({"10": one, "100": {**more, "files_on": "tmpfs"}})

    assert "| 10 \\* |" in told
    assert "| 100 \\* † |" in told
    assert told.count("† Files lay in memory") == 1
    assert "†" not in section_of({"10": one, "100": {**more, "files_on": "ext4"}})


def section_of(sizes: dict[str, object]) -> str:
    return section({"command": "c", "played_on": "d", "kafkas": {"4.4.0": sizes}})
