"""What a benchmark keeps in docs/results, part by part: it may be interrupted, and gone on with."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

MISSING = "missing"
KEPT = Path(__file__).parents[2] / "docs" / "results"


def keep(name: str, command: str, kafka: str, part: str, measured: Mapping[str, Any]) -> None:
    """Put a part of this Kafka's figures beside what there is; what has failed replaces nothing."""
    if "failed" in measured[kafka]:
        return
    kept = _read(name)
    kafkas = kept["kafkas"]
    kafkas = {**kafkas, kafka: {**kafkas.get(kafka, {}), part: measured[kafka][part]}}
    today = datetime.now(UTC).date().isoformat()
    written = {"command": command, "played_on": today, "kafkas": kafkas}
    _path(name).write_text(json.dumps(written, indent=1) + "\n")


def is_kept(name: str, kafka: str, part: str) -> bool:
    return part in _read(name)["kafkas"].get(kafka, {})


def _path(name: str) -> Path:
    return KEPT / f"{name}.json"


def _read(name: str) -> dict[str, Any]:
    path = _path(name)
    found: dict[str, Any] = {"kafkas": {}}
    return json.loads(path.read_text()) if path.exists() else found
