"""The chaos tests that README.md and pages of docs/ show, played exactly as they stand."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.pytest_runs import run_pytest

from highwater.harness.versions.numbers import in_range

ROOT = Path(__file__).parents[1]
README, MORE = ROOT / "README.md", ROOT / "docs" / "chaos-tests.md"
PAGES = (README, MORE)
TUTORIALS = [ROOT / "docs" / "tutorials" / name for name in ("chaos-test.md", "upgrade.md")]
VIOLATES = {"test_every_order_is_billed": ["unprocessed"]}  # all others hold

End = tuple[str, list[str]]  # outcome, and claims that are violated


def blocks(pages: Sequence[Path] = PAGES) -> list[str]:
    """What these pages show of Python."""
    texts = [page.read_text(encoding="utf-8") for page in pages]
    return [each for text in texts for each in re.findall(r"```python\n(.*?)```", text, re.DOTALL)]


def tests_of(block: str) -> list[str]:
    """The names of the tests in it."""
    return re.findall(r"^def (test_\w+)", block, re.MULTILINE)


def expected(kafka: str, shown: Sequence[str]) -> dict[str, End]:
    """How each test of these blocks ends, by what the pages say; skipped if for other Kafkas."""
    return {
        name: _end_of(name) if suits(block, kafka) else ("skipped", [])
        for block in shown
        for name in tests_of(block)
    }


def _end_of(name: str) -> End:
    return "failed" if name in VIOLATES else "passed", VIOLATES.get(name, [])


def suits(block: str, kafka: str) -> bool:
    """Whether the range of the block's one marker, if it says any, has this Kafka."""
    wanted = re.search(r'kafka="(.*?)"', block)
    return wanted is None or in_range(kafka, wanted[1])


def played(
    folder: Path, words: Sequence[str], timeout_s: float, shown: Sequence[str]
) -> dict[str, dict[str, Any]]:
    """What the report says of each test of these blocks, by its name; `words` are for pytest.

    One whose environment failed proves nothing of the page, and is played again. Of one that is
    given several arguments the worst counts.
    """
    for number, block in enumerate(shown):
        (folder / f"test_{number:02}.py").write_text(block, encoding="utf-8")
    report = folder / "report"
    options = ["-q", "--highwater-reruns=2", f"--highwater-report={report}", *words]
    done = run_pytest(folder, *options, timeout_s=timeout_s)
    suite = report / "suite.json"
    assert suite.exists(), done.stdout + done.stderr
    tests = json.loads(suite.read_text(encoding="utf-8"))["tests"]
    worst_last = sorted(tests, key=lambda told: told["outcome"] not in {"passed", "skipped"})
    return {re.split(r"::|\[", each["test"])[1]: each for each in worst_last}


def seen(told: dict[str, Any]) -> End:
    """How one has ended, by the report."""
    return told["outcome"], [each["claim"] for each in told["violated"]]


def reasons(found: dict[str, dict[str, Any]]) -> str:
    """Why those that did not pass have not, whole."""
    return "\n".join(f"{name}: {told['text']}" for name, told in found.items() if told["text"])
