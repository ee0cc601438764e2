"""What a line of events.jsonl has to be, for a page that is drawn from it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from highwater.reports.forms import MOST, Form, is_count, or_nothing, several

NUMBERS = (
    "broker", "leader", "follower", "leader_epoch", "id", "acked", "end_offset", "position",
)  # fmt: skip


def is_event(told: Mapping[str, Any]) -> bool:
    """Whether it has a time, and nothing that pages read is of another type than we write."""
    return is_moment(told.get("at_ns")) and all(
        fits(told[name]) for name, fits in FORMS.items() if name in told
    )


def is_moment(told: object) -> bool:
    return type(told) is int and -MOST <= told <= MOST


def _is_text(told: object) -> bool:
    return isinstance(told, str)


FORMS: Mapping[str, Form] = {
    **dict.fromkeys(("kind", "text", "event", "phase", "stage", "client", "fault"), _is_text),
    **dict.fromkeys(NUMBERS, or_nothing(is_moment)),
    "api": or_nothing(lambda told: _is_text(told) or is_count(told)),
    "isr": or_nothing(several(is_moment)),
}
