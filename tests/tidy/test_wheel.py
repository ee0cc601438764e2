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
def copy(tree: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of the tree, as git gives it."""
    copy = tmp_path_factory.mktemp("copy")
    for path in tree.files:
        target = copy / path.relative_to(tree.root)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, target, follow_symlinks=False)
    return copy


@pytest.fixture(scope="module")
def wheel(copy: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel made from a source distribution, which is made from a copy of the tree."""
    out = tmp_path_factory.mktemp("out")
    build(copy, out)
    assert len(list(out.glob("*.tar.gz"))) == 1
    (built,) = out.glob("*.whl")
    return built


def build(copy: Path, out: Path, *words: str) -> None:
    command = [sys.executable, "-m", "build", "--no-isolation", *words]
    done = subprocess.run(
        [*command, "--outdir", str(out), str(copy)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


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


def test_a_wheel_straight_from_the_tree_is_the_same(
    copy: Path, wheel: Path, tmp_path: Path
) -> None:
    build(copy, tmp_path, "--wheel")  # as pip does with an address of git

    (straight,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(straight) as archive:
        assert len(archive.namelist()) == len({*archive.namelist()})
    assert names(straight) == names(wheel)


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
