"""When and with what something was played, as compare.json and suite.json have it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from highwater.harness.record.reader import StoredRun
from highwater.reports.identities import identity_of

TOLD = ("tool", "java")


def circumstances(runs: Iterable[StoredRun]) -> dict[str, str]:
    """`started_at` of the first of these runs, and their tools and Javas; what none says is not
    there.
    """
    told = [identity_of(run)[0] for run in runs]
    began = min((str(each["started_at"]) for each in told if each.get("started_at")), default="")
    found = {"started_at": began, **{name: _distinct(told, name) for name in TOLD}}
    return {name: words for name, words in found.items() if words}


def joined(contents: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """The same of several files that say it already."""
    began = min((each["started_at"] for each in contents if each.get("started_at")), default="")
    found = {"started_at": began, **{name: _distinct(contents, name) for name in TOLD}}
    return {name: words for name, words in found.items() if words}


def _distinct(told: Iterable[Mapping[str, Any]], name: str) -> str:
    return ", ".join(dict.fromkeys(str(each[name]) for each in told if each.get(name)))
