"""What an adapter may say of transactions when, by the steps that it was told."""

from __future__ import annotations

from highwater.harness.foreign.lines import BEGIN, BreachError, Event


class Steps:
    """Of one life of an adapter; one step has its answer before the next one is told."""

    def __init__(self) -> None:
        self._awaited = ""  # the step that has no answer yet

    def ask(self, step: str) -> None:
        """The adapter is about to be told this step."""
        self._awaited = step

    def hear(self, event: Event, open_records: int) -> None:
        """Raises BreachError for what is no answer, or comes before outcomes that it rests upon."""
        step = event["step"]
        if step != self._awaited:
            told = f"{self._awaited!r}" if self._awaited else "none"
            raise BreachError(f"one answer to each step, which is {told} now", f"one to {step!r}")
        if (event["error"] is None) is not (event["demands"] is None):
            raise BreachError(
                "demands of a step that has an error, and of no other",
                f"error {event['error']!r} and demands {event['demands']!r}",
            )
        if event["error"] is None and step != BEGIN and open_records:
            raise BreachError(
                f"an outcome of each record before {step} is answered",
                f"{open_records:,} records without one",
            )
        self._awaited = ""
