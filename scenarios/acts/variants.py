"""What some of the scenarios ask that any client can play, besides what all of them do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from highwater.harness.foreign.lines import PIPELINING
from highwater.harness.model import Scenario

# Clients that are made of it, besides ours.
LIBRDKAFKA = ("confluent-kafka", "confluent-kafka:2.3.0", "confluent-js", "rdkafka")


def pipelining(played: Scenario) -> Scenario:
    """Of these, one for who has several requests of a partition under way at once."""
    return replace(played, any_client=PIPELINING)


def calm(name: str = "") -> Callable[[Scenario], Scenario]:
    """Of these, one whose control without a fault is called so; "": it is one itself."""
    return lambda played: replace(played, calm=name)


def without(*clients: str) -> Callable[[Scenario], Scenario]:
    """Of these, one that clients of these names cannot be lined up with."""
    return lambda played: replace(played, not_lined_up_with=clients)


def tolerating(claim: str, why: str) -> Callable[[Scenario], Scenario]:
    """Of these, one that this claim is not asked of."""

    def tolerant(played: Scenario) -> Scenario:
        asked = tuple(each for each in played.claims if each != claim)
        return replace(played, claims=asked, tolerates={**played.tolerates, claim: why})

    return tolerant


def failing(*clients: str, ours: str = "") -> Callable[[Scenario], Scenario]:
    """Of these, one that clients of these names fail on all Kafkas, and ours on a range of them."""

    def known(played: Scenario) -> Scenario:
        others = (*played.reproduces_with, *clients)
        return replace(played, reproduces=ours or played.reproduces, reproduces_with=others)

    return known
