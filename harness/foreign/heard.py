"""What an adapter has said of the records that it was told to send."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from highwater.harness.errors import PreconditionError
from highwater.harness.foreign.lines import Event


@dataclass(slots=True)
class Heard:
    """In one life."""

    ok: dict[int, int | None] = field(default_factory=dict)  # offsets by ids
    errors: dict[int, Event] = field(default_factory=dict)
    heard_ns: dict[int, int] = field(default_factory=dict)  # by ids: when its outcome was read

    def __call__(self, event: Event) -> None:
        if event["event"] in ("ok", "error"):
            now_ns = time.monotonic_ns()
            self.heard_ns.update(dict.fromkeys((each[0] for each in event["records"]), now_ns))
        if event["event"] == "ok":
            self.ok.update({number: offset for number, offset, _ in event["records"]})
        elif event["event"] == "error":
            self.errors.update({number: event for number, _ in event["records"]})

    @property
    def ended(self) -> int:
        return len(self.ok) + len(self.errors)

    def clear(self) -> None:
        """What was heard until now is forgotten."""
        for each in (self.ok, self.errors, self.heard_ns):
            each.clear()

    def require_ok(self, ids: range) -> None:
        if self.errors:
            first = next(iter(self.errors.values()))
            raise PreconditionError(
                f"expected {len(ids)} records to be acknowledged, saw {dict(first)}"
            )
        if set(self.ok) != set(ids):
            raise PreconditionError(f"expected outcomes of {len(ids)} records, saw {len(self.ok)}")

    def error_of(self, number: int) -> Event:
        """Raises PreconditionError where it was acknowledged."""
        if number not in self.errors:
            raise PreconditionError(
                f"expected an error, saw it acknowledged at offset {self.ok.get(number)}"
            )
        return self.errors[number]
