"""Errors that a person is meant to read: expected, seen, for how long, where to look next.

Two of them map to an exit code of their own: a mistake in what was asked (2) and a failure of the
environment (3). A failed precondition makes a trial inconclusive, never a pass.
"""

from __future__ import annotations


class HighwaterError(Exception):
    """Base of everything raised on purpose; its text is shown without a traceback."""

    exit_code = 3


class UsageError(HighwaterError):
    """What was asked for cannot be asked: refused before anything starts."""

    exit_code = 2


class InfrastructureError(HighwaterError):
    """The environment failed: no Java, no network, a broker that does not come up."""


class DeadlineError(InfrastructureError):
    """A state that was awaited did not come in time."""


class PreconditionError(HighwaterError):
    """The state that a scenario needs was not reached, so its trial proves nothing."""


class RecordError(HighwaterError):
    """A run directory that cannot be read: damaged, foreign, or from a newer schema."""


class Interrupted(BaseException):
    """Ctrl-C or SIGTERM: everything unwinds, nobody takes it for a result."""


# What a machine, a network, a broker or ZooKeeper does to a trial: it makes the trial inconclusive,
# and never ends a campaign. Anything else is a bug, of ours or of the play, or an interruption.
ENVIRONMENT: tuple[type[Exception], ...] = (HighwaterError, OSError, EOFError, LookupError)


def in_words(error: BaseException) -> str:
    """An error in words, with its notes; its type as well unless its text was made to be read."""
    text = str(error) if isinstance(error, HighwaterError) else ""
    name = type(error).__name__
    said = text or (f"{name}: {error}" if str(error) else name)
    return "; ".join([said, *getattr(error, "__notes__", ())])
