"""What took a lost record's place."""

from __future__ import annotations

from highwater.checkers.whereabouts import Found, together


def test_of_several_records_at_an_offset_the_smallest_is_told_in_whatever_order() -> None:
    place = (("orders", 0), 7)
    parts: list[Found] = [{place: 30}, {place: 20}, {}, {place: 40}]

    assert together(parts) == together(reversed(parts)) == {place: 20}
