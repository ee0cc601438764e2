"""Rules for the code that no linter of ours knows."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.tidy.conftest import FOLDERS

from highwater.harness.foreign.languages import KNOWN

LONGEST_MODULE, LONGEST_FUNCTION, LONGEST_LEAF = 300, 40, 60
LONGEST_ADAPTER, WIDEST_ADAPTER = 150, 140
PROGRAMS = {".java", ".go", ".rs", ".mjs", ".py"}
# What stands in adapters/ and speaks no protocol of another library's client: ours, which records
# by itself, and who writes down what the others say.
OURS = {"adapters", "confluent", "foreign"}
EVERYTHING = ("src", *FOLDERS, "tests")

# Who may import what: every large dependency has one place in the tree.
OWNERS = {
    "pyspark": "checkers/",
    "confluent_kafka": ("harness/workloads/", "adapters/confluent/", "adapters/confluent_kafka/"),
    "kazoo": "harness/metadata/",
    "docker": "compose/",
    "testcontainers": "compose/",
    "jinja2": ("reports/", "compose/file.py"),
    "jgo": "harness/versions/",
    "typer": ("src/highwater/cli.py", "src/highwater/commands/", "src/highwater/options.py"),
    "pytest": "src/highwater/pytest_plugin/",
}

BROAD = {"Exception", "BaseException"}

NAMES_THAT_SAY_NOTHING = {"utils", "util", "helpers", "helper", "common", "misc", "manager"}


def imported(syntax: ast.Module) -> Iterator[str]:
    for node in ast.walk(syntax):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""


def all_modules(tree: Any) -> list[Path]:
    modules: list[Path] = tree.modules(*EVERYTHING)
    assert len(modules) > 100  # or the tests would look at nothing
    return modules


def test_no_module_is_longer_than_a_person_reads_at_once(tree: Any) -> None:
    lines = {tree.name(path): len(path.read_text().splitlines()) for path in all_modules(tree)}

    assert {name: count for name, count in lines.items() if count > LONGEST_MODULE} == {}


def test_no_function_is_longer_than_a_screen(tree: Any) -> None:
    long = {
        f"{tree.name(path)}: {node.name}": node.end_lineno - node.lineno + 1
        for path in all_modules(tree)
        for node in ast.walk(tree.syntax(path))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.end_lineno is not None
        and node.end_lineno - node.lineno + 1 > LONGEST_FUNCTION
    }

    assert long == {}


def test_a_scenario_a_fault_and_a_claim_is_one_short_file_each(tree: Any) -> None:
    leaves = [
        *tree.modules("scenarios"),
        *tree.modules("faults"),
        *(path for path in tree.modules("checkers") if path.parent.name == "claims"),
    ]
    lines = {tree.name(path): len(path.read_text().splitlines()) for path in leaves}

    assert {name: count for name, count in lines.items() if count > LONGEST_LEAF} == {}


def adapter_sources(tree: Any) -> list[Path]:
    return [
        path
        for path in tree.files
        if tree.name(path).startswith("adapters/")
        and path.suffix in PROGRAMS
        and path.relative_to(tree.root).parts[-2] not in OURS
    ]


def test_a_source_of_an_adapter_in_any_language_is_short(tree: Any) -> None:
    found = adapter_sources(tree)
    lines = {tree.name(path): path.read_text().splitlines() for path in found}

    assert {path.suffix for path in found} == PROGRAMS  # or it would look past a language
    assert {name: len(each) for name, each in lines.items() if len(each) > LONGEST_ADAPTER} == {}
    assert {
        f"{name}:{number}": len(line)
        for name, each in lines.items()
        for number, line in enumerate(each, 1)
        if len(line) > WIDEST_ADAPTER
    } == {}


def test_every_client_that_has_an_adapter_has_short_sources(tree: Any) -> None:
    """The test above sees each of them, and what adapters of a language share."""
    folders = {path.relative_to(tree.root).parts[1] for path in adapter_sources(tree)}

    assert {known.folder for known in KNOWN.values()} <= folders
    assert {known.language.folder for known in KNOWN.values()} | {"java"} <= folders


def test_every_large_dependency_has_one_place(tree: Any) -> None:
    strangers = [
        f"{tree.name(path)} imports {name}"
        for path in tree.product
        for name in imported(tree.syntax(path))
        if not tree.name(path).startswith(OWNERS.get(name.partition(".")[0], ""))
    ]

    assert strangers == []


def test_the_words_of_the_field_need_the_standard_library_only(tree: Any) -> None:
    model = tree.syntax(tree.root / "harness" / "model.py")

    assert {name.partition(".")[0] for name in imported(model)} <= sys.stdlib_module_names


def test_nothing_sleeps_but_wait_until(tree: Any) -> None:
    sleeps = [
        f"{tree.name(path)}:{node.lineno}"
        for path in all_modules(tree)
        for node in ast.walk(tree.syntax(path))
        if isinstance(node, ast.Call) and ast.unparse(node.func) in {"time.sleep", "sleep"}
    ]

    assert [place.partition(":")[0] for place in sleeps] == ["harness/wait.py"]


def test_every_child_process_is_given_a_copy_of_the_environment(tree: Any) -> None:
    """Another thread that sets a variable can move the C library's own array under an exec."""
    bare = [
        f"{tree.name(path)}:{node.lineno}"
        for path in tree.product
        for node in ast.walk(tree.syntax(path))
        if isinstance(node, ast.Call)
        and ast.unparse(node.func) in {"subprocess.Popen", "subprocess.run"}
        and "env" not in {each.arg for each in node.keywords}
    ]

    assert bare == []


def swallows(node: ast.AST) -> bool:
    """Whether a part of a program goes on after an error, of any kind, that it never looks at."""
    if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] == "suppress":
        return any(ast.unparse(each) in BROAD for each in node.args)
    if not isinstance(node, ast.ExceptHandler):
        return False
    caught = (
        set()
        if node.type is None
        else {ast.unparse(each) for each in ast.walk(node.type) if isinstance(each, ast.Name)}
    )
    silent = all(isinstance(each, ast.Pass | ast.Continue) for each in node.body)
    only_passes = all(isinstance(each, ast.Pass) for each in node.body)
    return node.type is None or only_passes or (silent and bool(caught & BROAD))


@pytest.mark.parametrize(
    "program",
    [
        "try:\n    f()\nexcept OSError:\n    pass",
        "try:\n    f()\nexcept:\n    g()",
        "for _ in x:\n    try:\n        f()\n    except Exception:\n        continue",
        "for _ in x:\n    try:\n        f()\n    except (E, BaseException):\n        continue",
        "with suppress(Exception):\n    f()",
        "with contextlib.suppress(KeyError, BaseException):\n    f()",
    ],
)
def test_the_rule_against_swallowing_sees(program: str) -> None:
    assert any(swallows(node) for node in ast.walk(ast.parse(program)))


@pytest.mark.parametrize(
    "program",
    [
        "for _ in x:\n    try:\n        f()\n    except KeyError:\n        continue",
        "with suppress(ProcessLookupError):\n    f()",
        "try:\n    f()\nexcept Exception as error:\n    tell(error)",
    ],
)
def test_the_rule_against_swallowing_allows(program: str) -> None:
    assert not any(swallows(node) for node in ast.walk(ast.parse(program)))


def test_no_error_is_swallowed_without_a_word(tree: Any) -> None:
    silent = [
        f"{tree.name(path)}:{getattr(node, 'lineno', 0)}"
        for path in all_modules(tree)
        for node in ast.walk(tree.syntax(path))
        if swallows(node)
    ]

    assert silent == []


def test_no_error_is_raised_that_says_nothing_by_its_type(tree: Any) -> None:
    vague = [
        f"{tree.name(path)}:{node.lineno}"
        for path in tree.product
        for node in ast.walk(tree.syntax(path))
        if isinstance(node, ast.Raise)
        and node.exc is not None
        and re.match(r"(Exception|BaseException)\b", ast.unparse(node.exc))
    ]

    assert vague == []


def test_no_module_has_a_name_that_says_nothing(tree: Any) -> None:
    named = [tree.name(path) for path in all_modules(tree) if path.stem in NAMES_THAT_SAY_NOTHING]

    assert named == []


def test_every_module_of_the_product_says_what_it_is(tree: Any) -> None:
    silent = [tree.name(path) for path in tree.product if not ast.get_docstring(tree.syntax(path))]

    assert silent == []


def test_every_folder_of_the_product_is_a_package(tree: Any) -> None:
    directories = {path.parent for path in tree.modules(*tree.folders)}

    assert [tree.name(each) for each in directories if not (each / "__init__.py").exists()] == []
