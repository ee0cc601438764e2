"""What one trial showed, where it lies, and how to play it again."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from highwater.harness.judgement import Judgement, judgement
from highwater.harness.model import Verdict


def judged(identity: Mapping[str, Any], verdicts: Sequence[Verdict]) -> Judgement:
    """What the run of this `run.json` showed, by what stands beside it."""
    claims, needs = list(identity.get("claims") or ()), identity.get("needs_evidence_for")
    return judgement(claims, verdicts, _unfinished(identity), needs)


def _unfinished(identity: Mapping[str, Any]) -> str:
    """Why a play did not complete; another tool's record need not say that it did."""
    if "played" not in identity:
        return ""
    played = identity["played"]
    if not isinstance(played, Mapping):
        return "the run was killed: it never recorded how it ended"
    if played.get("complete"):
        return ""
    return str(played.get("reason") or "the play did not complete")


def relative_path(path: Path, directory: Path) -> str:
    """The run's place as compare.json and links name it: relative, with forward slashes."""
    return Path(os.path.relpath(path.resolve(), directory.resolve())).as_posix()


def command(identity: Mapping[str, Any]) -> str:
    """The command line that plays the same trial again; "" for what nobody plays by a command."""
    if "command" in identity:
        return str(identity["command"])
    if "scenario" not in identity or "kafka" not in identity:
        return ""
    words = ["highwater", "run", str(identity["scenario"])]
    if identity.get("project"):  # a borrowed cluster says by itself which Kafka it is
        words += ["--attach", f"compose:{identity['project']}", "--i-own-this-cluster"]
        return shlex.join(words)
    words += ["--kafka", str(identity["kafka"])]
    if identity.get("control"):
        words += ["--control", str(identity["control"])]
    if identity.get("backend") not in (None, "process"):
        words += ["--backend", str(identity["backend"])]
    if identity.get("image") and "jars" not in identity:  # ours are made from jars that are named
        words += ["--image", str(identity["image"])]
    return shlex.join(words)
