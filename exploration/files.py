"""Schedules in files."""

from __future__ import annotations

import json
from pathlib import Path

from highwater.exploration import hardware as _hardware  # noqa: F401
from highwater.exploration import injections as _injections  # noqa: F401
from highwater.exploration import moves as _moves  # noqa: F401 - then each has its name
from highwater.exploration import neighbours as _neighbours  # noqa: F401
from highwater.exploration import numbering as _numbering  # noqa: F401
from highwater.exploration import quorums as _quorums  # noqa: F401
from highwater.exploration import storms as _storms  # noqa: F401
from highwater.exploration import taking_over as _taking_over  # noqa: F401
from highwater.exploration import topics as _topics  # noqa: F401
from highwater.exploration import transacting as _transacting  # noqa: F401
from highwater.exploration.committing import require_one_log
from highwater.exploration.steps import Schedule
from highwater.harness.errors import UsageError
from highwater.harness.record.files import write_json


def read_schedule(path: Path) -> Schedule:
    """Raises UsageError for a file that is none, or whose steps cannot be played together."""
    try:
        schedule = Schedule.from_json(json.loads(path.read_text(encoding="utf-8")))
        require_one_log([each.step for each in schedule.steps])
    except (OSError, ValueError, RecursionError, UsageError) as error:
        raise UsageError(f"{path} is no schedule: {error}") from error
    return schedule


def write_schedule(path: Path, schedule: Schedule) -> None:
    write_json(path, schedule.to_json())
