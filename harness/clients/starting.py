"""How an application is started: its command and its variables, with the cluster's address."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from highwater.harness.clients.running import Housing
from highwater.harness.errors import UsageError

BOOTSTRAP = "BOOTSTRAP"  # the variable that has the cluster's address
PLACE = "{bootstrap}"  # what stands for it in a command, and in other variables


@dataclass(frozen=True, slots=True)
class Start:
    """Where it runs, and where what it prints is kept."""

    housing: Housing
    log: Path


def words_of(command: Any, bootstrap: str) -> list[str]:
    """The words of a command with the cluster's address in them.

    Raises UsageError for what is none, and for a program that is not there.
    """
    told = told_words(command, bootstrap)
    if shutil.which(command[0]) is None:
        raise UsageError(f"expected a program that can be started, saw {command[0]!r:.120}")
    return told


def told_words(command: Any, bootstrap: str) -> list[str]:
    """The same, wherever its program is."""
    listed = isinstance(command, list | tuple) and len(command) > 0
    if not listed or not all(_is_text(word) and word for word in command):
        raise UsageError(f"expected the words of a command, a list of texts, saw {command!r:.120}")
    return [word.replace(PLACE, bootstrap) for word in command]


def variables_of(env: object, bootstrap: str) -> dict[str, str]:
    """Variables with the cluster's address; raises UsageError for what cannot be one."""
    told = {} if env is None else env
    if not isinstance(told, Mapping) or not all(
        _is_text(each) for pair in told.items() for each in pair
    ):
        raise UsageError(f"expected names and values as texts for env, saw {env!r:.120}")
    for name in told:
        if not name or "=" in name:
            raise UsageError(f"expected names of variables for env, without =, saw {name!r:.120}")
    return {
        BOOTSTRAP: bootstrap,
        **{name: value.replace(PLACE, bootstrap) for name, value in told.items()},
    }


def _is_text(told: object) -> bool:
    """Whether a process can be told it."""
    try:
        return isinstance(told, str) and b"\0" not in os.fsencode(told)
    except UnicodeEncodeError:
        return False
