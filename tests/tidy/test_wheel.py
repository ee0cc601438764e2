"""What is installed is what stands in the tree: all of it, and nothing else."""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(scope="module")
def wheel(tree: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel made from a source distribution, which is made from a copy of the tree."""
    copy = tmp_path_factory.mktemp("copy")
    for path in tree.files:
        target = copy / path.relative_to(tree.root)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, target, follow_symlinks=False)
    out = tmp_path_factory.mktemp("out")
    done = subprocess.run(
        [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(out), str(copy)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(list(out.glob("*.tar.gz"))) == 1
    (built,) = out.glob("*.whl")
    return built


def names(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return {name for name in archive.namelist() if ".dist-info/" not in name}


def test_the_wheel_holds_the_tree_and_nothing_else(tree: Any, wheel: Path) -> None:
    ours = {
        "highwater/" + tree.name(path).removeprefix("src/highwater/")
        for path in tree.files
        if not path.is_symlink() and path.relative_to(tree.root).parts[0] in {"src", *tree.folders}
    }

    assert names(wheel) == ours


@pytest.mark.parametrize("kind", [".py", ".toml", ".lock", ".j2", ".css", ".js", ".properties"])
def test_every_kind_of_file_that_the_program_reads_is_in_the_wheel(wheel: Path, kind: str) -> None:
    assert any(name.endswith(kind) for name in names(wheel))


def test_the_wheel_carries_its_licence(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        assert [name for name in archive.namelist() if name.endswith("/licenses/LICENSE")]


def test_the_wheel_says_that_it_is_typed(wheel: Path) -> None:
    assert "highwater/py.typed" in names(wheel)


def test_the_wheel_takes_one_name_and_brings_no_tests(wheel: Path) -> None:
    assert {name.partition("/")[0] for name in names(wheel)} == {"highwater"}
    assert not [name for name in names(wheel) if {"tests", "conftest.py"} & {*Path(name).parts}]
