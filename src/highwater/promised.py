"""What the documentation of each client library says of what a claim is about, and where."""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from highwater.checkers.attempts import NO_IDEMPOTENCE
from highwater.checkers.overtaking import NO_ORDER
from highwater.harness.model import Verdict

TABLE = Path(__file__).with_name("promised.toml")
# What is told of a client and not charged, by the claim: what its library does not promise.
TOLD = {"duplicate": NO_IDEMPOTENCE, "reordered": NO_ORDER}


@dataclass(frozen=True, slots=True)
class Library:
    """Of one library, or of several that are made of it; `says` has its words by claim."""

    clients: Sequence[str]
    reference: str
    says: Mapping[str, str]


@functools.cache
def libraries() -> Sequence[Library]:
    """In the order of the page."""
    told = tomllib.loads(TABLE.read_text(encoding="utf-8"))["library"]
    return [_library(**each) for each in told]


def _library(clients: Sequence[str], reference: str, **says: Any) -> Library:
    return Library(clients, reference, says)


def reference(client: str) -> str:
    """Where the promises of a client stand, of whatever version; "" for one of the user's own."""
    name = client.partition(":")[0]
    return next((each.reference for each in libraries() if name in each.clients), "")


def not_promised(client: str, verdicts: Iterable[Verdict]) -> dict[str, str]:
    """Claims of which something was told and not charged, each with where that stands."""
    return {
        verdict.claim: reference(client)
        for verdict in verdicts
        if verdict.claim in TOLD and TOLD[verdict.claim] in verdict.reason
    }
