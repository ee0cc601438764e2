"""What is known of how clients fail: of each client and scenario a page of ours, or a ticket."""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Mapping
from pathlib import Path

TABLE = Path(__file__).with_name("explained.toml")
PAGES = "findings/"  # how a page of ours begins, which stands in docs/


@functools.cache
def explanations() -> Mapping[str, Mapping[str, str]]:
    """By client, with its version where it is not the locked one, and scenario."""
    return tomllib.loads(TABLE.read_text(encoding="utf-8"))


def explanation(client: str, scenario: str) -> str:
    """The address of a ticket, or a page as it is called in this repository; "" where none is."""
    found = explanations().get(client, {}).get(scenario, "")
    return f"docs/{found}" if found.startswith(PAGES) else found
