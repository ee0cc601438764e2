"""What some of the scenarios ask that any client can play, besides what all of them do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from highwater.harness.foreign.lines import PIPELINING
from highwater.harness.model import Scenario


def pipelining(played: Scenario) -> Scenario:
    """Of these, one for who has several requests of a partition under way at once."""
    return replace(played, any_client=PIPELINING)


def without(*clients: str) -> Callable[[Scenario], Scenario]:
    """Of these, one that clients of these names cannot be lined up with."""
    return lambda played: replace(played, not_lined_up_with=clients)


def tolerating(claim: str, why: str) -> Callable[[Scenario], Scenario]:
    """Of these, one that this claim is not asked of."""

    def tolerant(played: Scenario) -> Scenario:
        asked = tuple(each for each in played.claims if each != claim)
        return replace(played, claims=asked, tolerates={**played.tolerates, claim: why})

    return tolerant


def failing(ours: str, *others: str) -> Callable[[Scenario], Scenario]:
    """Of these, one that our client fails on these Kafkas, and others by these names on all."""
    return lambda played: replace(played, reproduces=ours, reproduces_with=others)
