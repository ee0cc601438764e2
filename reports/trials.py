"""What one trial showed, where it lies, and how to play it again."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from highwater.harness.model import Answer, Ending
from highwater.reports.evidence import Evidence


@dataclass(frozen=True, slots=True)
class Judgement:
    ending: Ending
    reason: str  # why inconclusive, "" otherwise


def judge(evidence: Evidence) -> Judgement:
    """A violated claim of a completed play; a trial without evidence is never clean."""
    played = evidence.identity.get("played")
    if not isinstance(played, Mapping):
        return _inconclusive("the run was killed: it never recorded how it ended")
    if not played.get("complete"):
        return _inconclusive(str(played.get("reason") or "the play did not complete"))
    if not evidence.verdicts:
        return _inconclusive("not judged: there is no verdict beside the record")
    claimed = set(evidence.identity.get("claims") or ())
    relevant = [each for each in evidence.verdicts if each.claim in claimed or not claimed]
    if any(each.answer is Answer.VIOLATED for each in relevant):
        return Judgement(Ending.REPRODUCED, "")
    doubts = [each for each in relevant if each.answer is Answer.UNKNOWN]
    unanswered = claimed - {each.claim for each in relevant}
    if doubts or unanswered:
        said = [f"{each.claim}: {each.reason or 'no evidence'}" for each in doubts]
        return _inconclusive("; ".join(said + [f"{claim}: no verdict" for claim in unanswered]))
    return Judgement(Ending.CLEAN, "")


def _inconclusive(reason: str) -> Judgement:
    return Judgement(Ending.INCONCLUSIVE, reason)


def relative_path(path: Path, directory: Path) -> str:
    """The run's place as compare.json and links name it: relative, with forward slashes."""
    return Path(os.path.relpath(path.resolve(), directory.resolve())).as_posix()


def command(identity: Mapping[str, Any]) -> str:
    """The command line that plays the same trial again."""
    words = ["highwater", "run", str(identity.get("scenario", "?"))]
    words += ["--kafka", str(identity.get("kafka", "?"))]
    if identity.get("control"):
        words += ["--control", str(identity["control"])]
    if identity.get("backend") not in (None, "process"):
        words += ["--backend", str(identity["backend"])]
    if identity.get("seed") is not None:
        words += ["--seed", str(identity["seed"])]
    return shlex.join(words)
