"""A page on a finding has what a maintainer needs to see it, repeat it and mend it."""

from __future__ import annotations

import re
from typing import Any

import pytest

# A section is begun by these words; of a page that says it in others, all that it may begin with.
SECTIONS = {
    "seen with": ("Seen with",),
    "what happens": ("What happens.",),
    "how often, or how to see it": ("How often.", "How to see it"),
    "what the record says": ("What the record says",),
    "how to repeat it": ("How to repeat it.", "How to repeat it by hand.", "How to see it"),
    "why": ("Why.", "Why, as far as it was read."),
    "what would help": ("What would help.",),
    "not known": ("Not known.",),
}
# What pages lack that are older than this list. It becomes shorter, and nothing else.
LACK = {
    "confluent-js-commit-is-not-awaited": {"what the record says"},
}


def lacking(page: str) -> set[str]:
    begun = set(re.findall(r"^\*\*([^*]+)\*\*", page, re.MULTILINE))
    return {name for name, words in SECTIONS.items() if not begun & set(words)}


def pages(tree: Any) -> dict[str, str]:
    found = [path for path in tree.files if path.parent.name == "findings"]
    return {path.stem: path.read_text(encoding="utf-8") for path in found}


def test_a_page_has_what_a_maintainer_needs_or_is_known_to_lack_it(tree: Any) -> None:
    told = {name: lacking(page) for name, page in pages(tree).items()}

    assert told
    assert {name: lacks for name, lacks in told.items() if lacks} == LACK


@pytest.mark.parametrize("section", SECTIONS)
def test_a_page_without_a_section_is_noticed(section: str) -> None:
    every = {name: words[0] for name, words in SECTIONS.items()}
    whole = "".join(f"**{words}** Text.\n" for words in every.values())

    assert lacking(whole) == set()
    assert section in lacking(whole.replace(f"**{every[section]}**", every[section]))
