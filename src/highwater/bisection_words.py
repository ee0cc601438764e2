"""What a bisection has found, in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from highwater.bisection import Answer


def sentences(described: Mapping[str, Any]) -> list[str]:
    """What bisect.json says, in words."""
    further, untold = described["further"], described["untold"]
    tried, there = len(described["tried"]), len(described["line"])
    was, told = _answers(described)
    flip = f"the last on which it {was} is {described['last']}"
    flip += f", the first on which it {told} is {described['first']}"
    if further:
        flip = f"it {was} on {described['last']} and {told} on {described['first']}"
    between = f"between them nothing could be told of {', '.join(described['unclear'])}"
    beside = f"nothing could be told of {', '.join(untold)}, where it may be otherwise"
    return [
        f"{flip}; {tried} of {there} releases were played",
        *([between] if described["unclear"] else []),
        *(_also(each, described["tried"]) for each in further),
        *([beside] if untold else []),
    ]


def _answers(flip: Mapping[str, Any]) -> tuple[str, str]:
    """Before and after."""
    return ("fails", "holds") if flip["first_answer"] == Answer.HOLDS else ("holds", "fails")


def _also(flip: Mapping[str, Any], tried: Sequence[Mapping[str, Any]]) -> str:
    was, told = _answers(flip)
    text = f"it {was} on {flip['last']} and {told} on {flip['first']}"
    last, first = (
        next(row["built"] for row in tried if row["kafka"] == flip[each])
        for each in ("last", "first")
    )
    if last and first and first < last:
        text += f", which was built before it ({first}, {last})"
    if flip["unclear"]:
        text += f"; nothing could be told of {', '.join(flip['unclear'])}"
    return text
