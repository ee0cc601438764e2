"""What is told of where records without a key went."""

from __future__ import annotations

from tests.bench.partitioners import PARTITIONS, figures
from tests.bench.partitioners_page import section

KEYED = (7, 11, 7, 8)  # of "key-000" to "key-003", as murmur2 has them but for the last


def test_in_turn_each_record_of_a_burst_has_another_partition() -> None:
    told = figures([*[[*range(PARTITIONS)]] * 3, KEYED])

    assert (told["partitions_of_a_burst"], told["records_in_a_row"]) == (12, 1)
    assert (told["least_share"], told["largest_share"]) == (0.083, 0.083)


def test_a_partition_that_is_kept_for_two_bursts_is_one_row() -> None:
    told = figures([[3, 3], [3, 3], [5, 5], KEYED])

    assert (told["records"], told["partitions_of_a_burst"], told["records_in_a_row"]) == (6, 1, 3)
    assert (told["least_share"], told["largest_share"]) == (0.0, 0.667)


def test_the_page_has_a_line_for_each_release() -> None:
    told = figures([[3, 3], [3, 3], [5, 5], KEYED])
    kept = {"command": "c", "played_on": "d", "kafka": "k", "releases": {"2.3.1": told}}

    assert "| 2.3.1 | 1 | 3 | 0.0% and 66.7% | 6 | 3 of 4 |" in section(kept)
