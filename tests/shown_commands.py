"""The commands that the first pages show, in the order in which a reader types them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from tests import shown

ROOT = Path(__file__).parents[1]
BLOCK = re.compile(r"```console\n(.*?)```", re.DOTALL)
VARIES = re.compile(r"\d+\.\d+(?= s\b)")  # how long something took
TUTORIALS = ROOT / "docs" / "tutorials"
PAGES = (ROOT / "README.md", ROOT / "docs" / "start.md", *sorted(TUTORIALS.glob("*.md")))
# Under which name a reader is told to save which test.
SAVED = {
    "test_orders.py": shown.README,
    "test_billing.py": TUTORIALS / "chaos-test.md",
    "test_upgrade.py": TUTORIALS / "upgrade.md",
}
TIMEOUT_S = 900


@dataclass(frozen=True)
class Command:
    """What stands behind the dollar, and the lines that are shown below it."""

    words: str
    shows: tuple[str, ...]


def commands(page: Path) -> list[Command]:
    """Each of a page once, with all that is shown of it: what a page repeats, its reader has."""
    shows: dict[str, list[str]] = {}
    for block in BLOCK.findall(page.read_text(encoding="utf-8")):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            words, *lines = part.splitlines()
            shows.setdefault(words, []).extend(each for each in lines if each.strip(" ."))
    return [Command(words, tuple(lines)) for words, lines in shows.items()]


def missing(command: Command, said: str) -> list[str]:
    """The lines that a page shows of this command, and that it did not say."""
    told = [_alike(line) for line in said.splitlines()]
    return [line for line in command.shows if not any(_alike(line) in each for each in told)]


def _alike(line: str) -> str:
    return " ".join(VARIES.sub("?", line).split())


def typed(command: Command, folder: Path) -> subprocess.CompletedProcess[str]:
    """Played in this copy of the repository, with our own programs in the path."""
    for name, page in SAVED.items():
        (folder / name).write_text(shown.blocks([page])[0], encoding="utf-8")
    ours = Path(sys.executable).parent
    return subprocess.run(
        ["bash", "-c", command.words],
        cwd=folder,
        env={**os.environ, "PATH": f"{ours}:{os.environ['PATH']}", "COLUMNS": "160"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=TIMEOUT_S,
    )
