"""How many trials of a cell showed the failure, as the pages of what was measured say it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def count(row: Mapping[str, Any]) -> str:
    """`2/3`, or `2/3 ?1` where one of the three proved nothing."""
    unclear = f" ?{row['inconclusive']}" if row["inconclusive"] else ""
    return f"{row['reproduced']}/{row['trials']}{unclear}"
