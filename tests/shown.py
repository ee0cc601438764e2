"""The chaos tests that README.md and docs/chaos-tests.md show, played exactly as they stand."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.pytest_runs import run_pytest

ROOT = Path(__file__).parents[1]
PAGES = (ROOT / "README.md", ROOT / "docs" / "chaos-tests.md")
VIOLATES = {"test_every_order_is_billed": ["unprocessed"]}  # all others hold


def blocks() -> list[str]:
    """What these pages show of Python."""
    texts = [page.read_text(encoding="utf-8") for page in PAGES]
    return [each for text in texts for each in re.findall(r"```python\n(.*?)```", text, re.DOTALL)]


def names_of(block: str) -> list[str]:
    """The tests in it."""
    return re.findall(r"^def (test_\w+)", block, re.MULTILINE)


def played(folder: Path, words: Sequence[str], timeout_s: float) -> dict[str, dict[str, Any]]:
    """What the report says of each, by the name of the test; each has a file of its own."""
    for block in blocks():
        (name,) = names_of(block)
        (folder / f"{name}.py").write_text(block)
    report = folder / "report"
    told = [f"--highwater-report={report}", "-q", *words]
    done = run_pytest(folder, "-o", "python_files=test_*.py", *told, timeout_s=timeout_s)
    assert (report / "suite.json").exists(), done.stdout + done.stderr
    tests = json.loads((report / "suite.json").read_text())["tests"]
    found = {re.split(r"::|\[", each["test"])[1]: each for each in tests}
    for each in found.values():
        each["said"] = done.stdout
    return found


def expected(name: str) -> tuple[str, list[str]]:
    """Its outcome, and the claims that it violates."""
    violated = VIOLATES.get(name, [])
    return "failed" if violated else "passed", violated


def seen(told: dict[str, Any]) -> tuple[str, list[str]]:
    """The same as the report has it."""
    return told["outcome"], [each["claim"] for each in told["violated"]]
