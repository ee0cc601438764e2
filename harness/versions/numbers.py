"""Version numbers, compared; which facts follow from them stands in the catalogue."""

from __future__ import annotations

import re

from highwater.harness.errors import UsageError


def release_of(version: str) -> tuple[int, ...]:
    """The numbers of a version: "0.11.0-IV1" and "0.11.0.3" both begin with 0, 11, 0."""
    match = re.match(r"\d+(\.\d+)*", version)
    if match is None:
        raise UsageError(f"{version!r} is not a version; expected numbers such as 3.9.1")
    return tuple(int(number) for number in match.group().split("."))


def in_range(version: str, wanted: str) -> bool:
    """Whether a version is in a range such as "<0.11", ">=0.11,<2.0" or "<3.9.1 or ==4.0.0".

    Only as many numbers are compared as the bound names: 2.0.1 is in "<=2.0". "" holds nothing.
    """
    parts = [part.split(",") for part in wanted.split(" or ")] if wanted else []
    met = [[_meets(version, bound.strip()) for bound in part] for part in parts]  # refuses, too
    return any(all(part) for part in met)


def _meets(version: str, bound: str) -> bool:
    match = re.fullmatch(r"(<=|>=|<|>|==)\s*([\d.]+)", bound)
    if match is None:
        raise UsageError(f"{bound!r} is not a bound on versions; expected one such as <0.11")
    comparison, limit = match.group(1), release_of(match.group(2))
    release = release_of(version)[: len(limit)]
    return {
        "<": release < limit,
        "<=": release <= limit,
        "==": release == limit,
        ">=": release >= limit,
        ">": release > limit,
    }[comparison]
