"""What the articles' page says of failovers in words is what was measured."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest
from tests.articles_page import statements
from tests.bench.keeping import KEPT

Steps = Mapping[str, float]
LARGEST, THOUSANDS = "10000", ("3000", "10000")


@pytest.fixture(scope="module")
def kafkas() -> Mapping[str, Any]:
    found: Mapping[str, Any] = json.loads((KEPT / "failover.json").read_text())["kafkas"]
    return found


def words(number: int) -> str:
    return next(str(each["kafka"]) for each in statements() if each["number"] == number)


def test_how_long_it_takes_to_miss_a_broker_beside_all_the_rest(kafkas: Mapping[str, Any]) -> None:
    times = {}
    for kafka in ("3.9.1-zk", "4.4.0"):
        missed, *rest, _turned = kafkas[kafka][LARGEST]["steps_s"].values()
        times[kafka] = round(2 * missed / sum(rest)) / 2

    assert times == {"3.9.1-zk": 0.5, "4.4.0": 2.5}
    assert "it took half as long to miss it on 3.9.1" in words(40)
    assert "and with KRaft, whose files lay in memory, two and a half times as long" in words(40)
    assert {each["files_on"] for each in kafkas["4.4.0"].values()} == {"tmpfs"}
    assert {each["files_on"] for each in kafkas["3.9.1-zk"].values()} == {"ext4"}


def test_how_long_a_broker_takes_that_hands_over_what_it_leads(kafkas: Mapping[str, Any]) -> None:
    largest = {kafka: kafkas[kafka][LARGEST] for kafka in ("3.9.1-zk", "4.4.0")}

    assert {each["shut_down_led"] for each in largest.values()} == {5000}
    assert [round(each["shutdown_s"]) for each in largest.values()] == [46, 4]
    assert "took 46 s for it with 5,000 partitions to hand over" in words(41)
    assert "and with KRaft 4 s, but with its files in memory" in words(41)


def test_how_long_it_takes_until_brokers_with_thousands_of_partitions_know(
    kafkas: Mapping[str, Any],
) -> None:
    known = [
        sizes[size]["steps_s"]["until all brokers know"]
        for sizes in kafkas.values()
        for size in THOUSANDS
    ]

    assert (round(min(known), 1), round(max(known))) == (0.3, 8)
    assert "know what they are told takes 0.3 s to 8 s" in words(42)


def test_writes_that_wait_for_one_another_take_the_most_where_there_are_enough(
    kafkas: Mapping[str, Any],
) -> None:
    steps = [kafkas["0.10.2.2"][size]["steps_s"] for size in THOUSANDS]
    written, missed = (
        [each[name] for each in steps] for name in ("until the last is written", "missed")
    )

    assert round(missed[0] / written[0]) == 1
    assert (round(written[1]), round(kafkas["0.10.2.2"][LARGEST]["leaderless_s"])) == (20, 26)
    assert "they took 20 s, 2 ms each, and the last partition had no leader for 26 s" in words(40)
    assert written[1] == max(steps[1][name] for name in steps[1] if "turned" not in name)
