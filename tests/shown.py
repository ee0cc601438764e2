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


def expected(kafka: str, pages: Sequence[Path] = PAGES) -> dict[str, End]:
    """How each of them that is for this Kafka ends, by what the pages say."""
    suited = [block for block in blocks(pages) if _suits(block, kafka)]
    names = [name for block in suited for name in tests_of(block)]
    return {
        name: ("failed" if name in VIOLATES else "passed", VIOLATES.get(name, [])) for name in names
    }


def _suits(block: str, kafka: str) -> bool:
    """Whether the range of the block's one marker, if it says any, has this Kafka."""
    wanted = re.search(r'kafka="(.*?)"', block)
    return wanted is None or in_range(kafka, wanted[1])


def played(
    folder: Path, words: Sequence[str], timeout_s: float, pages: Sequence[Path] = PAGES
) -> dict[str, dict[str, Any]]:
    """What the report says of each, by its name; `words` are for pytest."""
    for number, block in enumerate(blocks(pages)):
        (folder / f"test_{number:02}.py").write_text(block, encoding="utf-8")
    report = folder / "report"
    done = run_pytest(folder, "-q", f"--highwater-report={report}", *words, timeout_s=timeout_s)
    suite = report / "suite.json"
    assert suite.exists(), done.stdout + done.stderr
    tests = json.loads(suite.read_text(encoding="utf-8"))["tests"]
    return {re.split(r"::|\[", each["test"])[1]: each for each in tests}


def seen(told: dict[str, Any]) -> End:
    """How one has ended, by the report."""
    return told["outcome"], [each["claim"] for each in told["violated"]]
