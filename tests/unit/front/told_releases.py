"""Releases that fail and hold as they are told here, for bisections that ask them."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from highwater import bisecting
from highwater.backends import Backend
from highwater.bisecting import Ends, bisect
from highwater.bisection import Tally
from highwater.harness.versions.catalogue import Kafka
from highwater.harness.versions.numbers import in_range
from highwater.playing import Options


@dataclass
class Told:
    """Fails on some releases and proves nothing on others."""

    fails: str
    unclear: str = ""
    plays_on: str = ">=0.10"
    out: Path = Path()
    fails_on: str | None = None
    about: str = ""
    asked: list[str] = field(default_factory=list)

    def why_not(self, kafka: Kafka) -> str:
        return "" if in_range(kafka.version, self.plays_on) else f"no {kafka.name}"

    def tally(self, kafka: Kafka) -> Tally:
        self.asked.append(kafka.name)
        shown = in_range(kafka.version, self.fails), in_range(kafka.version, self.unclear)
        counts = {(True, False): (1, 2, 0), (False, False): (0, 3, 0)}.get(shown, (0, 0, 3))
        failed, held, inconclusive = counts
        return Tally(
            kafka=kafka.name,
            asked=3,
            failed=failed,
            held=held,
            inconclusive=inconclusive,
            reasons=["no ISR"] * inconclusive,
        )


def options(out: Path, **more: Any) -> Options:
    return Options(trials=3, backend=Backend(), out=out, offline=True, json=False, **more)


def searched(
    monkeypatch: pytest.MonkeyPatch, told: Told, out: Path, **ends: str | None
) -> tuple[int, dict[str, Any]]:
    monkeypatch.setattr(bisecting, "probe_of", lambda _subject, _options: told)
    named = Ends(**{"good": None, "bad": None, "mode": None, **ends})
    code = bisect("a-story", named, options(out))
    return code, json.loads((out / "bisect.json").read_text())
