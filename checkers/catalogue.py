"""Finds the claims by walking their folder; describing them needs no Spark."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from pathlib import Path

from highwater.checkers.claim import Claim
from highwater.harness.errors import UsageError

FOLDER = Path(__file__).with_name("claims")


def claims() -> list[Claim]:
    """Every claim, by name."""
    stems = [path.stem for path in FOLDER.glob("*.py") if path.stem != "__init__"]
    return sorted((_load(stem) for stem in stems), key=lambda claim: claim.name)


def chosen(names: Sequence[str] | None) -> list[Claim]:
    """The claims of these names in the order given, or all.

    Raises UsageError for a name that no claim has.
    """
    known = {claim.name: claim for claim in claims()}
    strange = sorted(set(names or ()) - set(known))
    if strange:
        raise UsageError(f"no claim {', '.join(strange)}; there are: {', '.join(known)}")
    return list(known.values()) if names is None else [known[name] for name in dict.fromkeys(names)]


def _load(stem: str) -> Claim:
    module = importlib.import_module(f"highwater.checkers.claims.{stem}")
    claim = getattr(module, "CLAIM", None)
    if not isinstance(claim, Claim):
        raise TypeError(f"{module.__file__}: expected CLAIM = Claim(...), saw {claim!r}")
    return claim
