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

    assert times == {"3.9.1-zk": 1.0, "4.4.0": 1.5}
    assert "it took about as long to miss the broker" in words(40)
    assert "and with KRaft one and a half times as long" in words(40)


def test_how_long_it_takes_until_brokers_with_thousands_of_partitions_know(
    kafkas: Mapping[str, Any],
) -> None:
    known = [
        sizes[size]["steps_s"]["until all brokers know"]
        for sizes in kafkas.values()
        for size in THOUSANDS
    ]

    assert (round(min(known), 1), round(max(known))) == (0.2, 3)
    assert "know what they are told takes 0.2 s to 3 s" in words(42)


def test_writes_that_wait_for_one_another_take_the_most_where_there_are_enough(
    kafkas: Mapping[str, Any],
) -> None:
    steps = [kafkas["0.10.2.2"][size]["steps_s"] for size in THOUSANDS]
    written, missed = (
        [each[name] for each in steps] for name in ("until the last is written", "missed")
    )

    assert round(missed[0] / written[0]) == 3
    assert written[1] == max(steps[1][name] for name in steps[1] if "turned" not in name)
