"""Who a run says it is; what is not as the ledger has it is left out, and told on the page."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from highwater.harness.record.reader import StoredRun
from highwater.reports.forms import by_name, is_count
from highwater.reports.wording import UNSEEN

MOST = 1 << 62
Form = tuple[str, Callable[[Any], bool]]  # in words, and whether something has it


def identity_of(run: StoredRun) -> tuple[Mapping[str, Any], Sequence[str]]:
    """What can be shown of a run.json, and in words what cannot.

    A field that is null is not there, but for `played`: there it says that nobody told the ending.
    """
    told = {name: value for name, value in run.identity.items() if value is not None}
    strange = [name for name, (_, fits) in FORMS.items() if name in told and not fits(told[name])]
    problems = [
        f"{run.path / 'run.json'}: expected {name} to be {FORMS[name][0]}, saw {told[name]!r:.120}"
        for name in strange
    ]
    known = {name: value for name, value in told.items() if name not in strange}
    if "played" in run.identity:
        known.setdefault("played", None)
    return known, problems


def _is_text(told: object) -> bool:
    return isinstance(told, str)


def _is_name(told: object) -> bool:
    return isinstance(told, str) and told.isprintable() and not UNSEEN.search(told)


def _is_list(told: object) -> bool:
    return isinstance(told, list) and all(map(_is_text, told))


def _is_mapping(told: object) -> bool:
    return isinstance(told, Mapping)


def _is_ending(told: object) -> bool:
    if not isinstance(told, Mapping):
        return False
    complete, reason, seconds = (told.get(name) for name in ("complete", "reason", "seconds"))
    is_number = type(seconds) in (int, float) and 0 <= seconds <= MOST  # type: ignore[operator]
    return (
        (complete is None or isinstance(complete, bool))
        and (reason is None or isinstance(reason, str))
        and (seconds is None or is_number)
    )


TEXT: Form = ("a text", _is_text)
NAME: Form = ("a text on one line", _is_name)
LIST: Form = ("a list of names", _is_list)
MAPPING: Form = ("an object", _is_mapping)
FORMS: Mapping[str, Form] = {
    **dict.fromkeys(("scenario", "test", "kafka", "control", "backend"), NAME),
    **dict.fromkeys(
        ("tool", "title", "story", "source", "mode", "image", "project", "started_at"), TEXT
    ),
    "command": ("a text, or a list of words", lambda told: _is_text(told) or _is_list(told)),
    **dict.fromkeys(("claims", "needs_evidence_for"), LIST),
    **dict.fromkeys(("settings", "topic_settings", "tolerates", "jars", "releases"), MAPPING),
    "rewritten": ("an object of numbers", by_name(is_count)),
    "topics": (
        "an object of objects",
        lambda told: _is_mapping(told) and all(map(_is_mapping, told.values())),
    ),
    "expected": ("reproduced or clean", lambda told: told in ("reproduced", "clean")),
    "played": ('{"complete": true or false, "reason": a text, "seconds": a number}', _is_ending),
}
