"""The files of the repository, and their syntax."""

from __future__ import annotations

import ast
import functools
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = (
    "harness",
    "faults",
    "checkers",
    "adapters",
    "compose",
    "reports",
    "scenarios",
    "exploration",
)


class Tree:
    """Everything that is, or may become, part of the repository."""

    root = ROOT
    folders = FOLDERS

    @functools.cached_property
    def files(self) -> list[Path]:
        """Tracked files and those that git would add; links count as themselves."""
        listed = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        paths = [ROOT / name for name in listed.split("\0") if name]
        return sorted(path for path in paths if path.is_symlink() or path.is_file())

    def modules(self, *folders: str) -> list[Path]:
        """Python files below these folders of the root."""
        return [
            path
            for path in self.files
            if path.suffix == ".py" and path.relative_to(ROOT).parts[0] in folders
        ]

    @property
    def product(self) -> list[Path]:
        return self.modules("src", *FOLDERS)

    @functools.cache  # noqa: B019 - one tree lives as long as the tests
    def syntax(self, path: Path) -> ast.Module:
        return ast.parse(path.read_text(encoding="utf-8"))

    def name(self, path: Path) -> str:
        return str(path.relative_to(ROOT))


@pytest.fixture(scope="session")
def tree() -> Tree:
    return Tree()
