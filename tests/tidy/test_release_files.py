"""What a release needs beside its files: a workflow that does what the pages say, and metadata."""

from __future__ import annotations

import re
import tomllib
from typing import Any

import yaml
from tests import results


def workflow(tree: Any) -> dict[str, Any]:
    text = (tree.root / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8")
    told: dict[Any, Any] = yaml.safe_load(text)
    return {"on" if name is True else name: each for name, each in told.items()}  # YAML 1.1


def test_the_workflow_does_what_the_page_on_releasing_says(tree: Any) -> None:
    page = (tree.root / "docs" / "releasing.md").read_text(encoding="utf-8")
    steps = workflow(tree)["jobs"]["build"]["steps"]
    makefile = (tree.root / "Makefile").read_text(encoding="utf-8")
    scripts = [step["run"] for step in steps if "run" in step]

    for script in ("make dist", ".venv/bin/pytest tests/cluster/test_release.py --run-on-demand"):
        assert f"`{script}`" in page
        assert script in scripts
    assert {each[5:] for each in scripts if each.startswith("make ")} <= {
        *re.findall(r"^([a-z]+):", makefile, re.MULTILINE)
    }


def test_the_workflow_takes_no_more_rights_than_it_needs(tree: Any) -> None:
    told = workflow(tree)

    assert told["permissions"] == {}
    assert told["on"] == {"push": {"tags": ["v*"]}}
    assert {name: [*job["permissions"]] for name, job in told["jobs"].items()} == {
        "build": ["contents", "id-token", "attestations"],
        "publish": ["id-token"],
    }
    for job in told["jobs"].values():
        for step in job["steps"]:
            assert "${{" not in step.get("run", ""), "a tag's name is no part of a program"
            assert "secrets." not in str(step)


def test_forms_for_issues_are_whole(tree: Any) -> None:
    forms = [
        path
        for path in tree.files
        if path.parent.name == "ISSUE_TEMPLATE" and path.stem != "config"
    ]

    assert len(forms) == 2
    for form in forms:
        told = yaml.safe_load(form.read_text(encoding="utf-8"))
        assert {"name", "description", "body"} <= {*told}
        asked = [each for each in told["body"] if each["type"] != "markdown"]
        assert len({each["id"] for each in asked}) == len(asked)


def test_what_is_being_released_is_told_in_the_changelog(tree: Any) -> None:
    version = tomllib.loads((tree.root / "pyproject.toml").read_text())["project"]["version"]
    changes = (tree.root / "CHANGELOG.md").read_text(encoding="utf-8")

    first, *others = re.findall(
        r"^## \[([\w.]+)\](?: - (\d{4}-\d\d-\d\d))?$", changes, re.MULTILINE
    )
    assert first == ("Unreleased", "")
    assert others[0][0] == version
    assert all(day for _, day in others)


def test_what_every_push_is_asked_is_a_target_of_the_makefile_and_said_in_the_pages(
    tree: Any,
) -> None:
    told = yaml.safe_load((tree.root / ".github" / "workflows" / "ci.yml").read_text("utf-8"))
    page = (tree.root / "CONTRIBUTING.md").read_text(encoding="utf-8")
    jobs = told["jobs"].values()
    scripts = [step["run"] for job in jobs for step in job["steps"] if "run" in step]

    assert told["permissions"] == {"contents": "read"}
    assert [each for each in scripts if each.startswith("make ")] == [
        "make pictures",
        "make applications",
        "make adapters",
        "make dependencies",
    ]
    for script in scripts:
        assert script.startswith("apt-get ") or f"`{script}`" in page
    (kept,) = (step for step in told["jobs"]["pictures"]["steps"] if "upload" in str(step))
    assert kept["if"] == "always()"


def test_what_needs_a_database_is_played_where_it_may_not_be_missing(tree: Any) -> None:
    told = yaml.safe_load((tree.root / ".github" / "workflows" / "ci.yml").read_text("utf-8"))
    scripts = [step["run"] for step in told["jobs"]["applications"]["steps"] if "run" in step]
    makefile = (tree.root / "Makefile").read_text(encoding="utf-8")
    (recipe,) = re.findall(r"^applications:.*\n\t(.*)$", makefile, re.MULTILINE)
    named = set(re.findall(r"tests/cluster/test_applications\w*\.py", makefile))
    in_need = {
        tree.name(path)
        for path in tree.files
        if path.parent.name == "cluster" and "databases import postgres" in path.read_text("utf-8")
    }

    assert any(" postgresql " in each for each in scripts)
    assert recipe.startswith("HIGHWATER_REQUIRE=postgresql ")
    assert "--run-on-demand" in recipe
    assert in_need
    assert in_need <= named
    assert all((tree.root / each).is_file() for each in named)


def test_every_night_all_releases_are_played_and_those_that_nobody_has_yet(tree: Any) -> None:
    text = (tree.root / ".github" / "workflows" / "nightly.yml").read_text(encoding="utf-8")
    told = yaml.safe_load(text)
    page = (tree.root / "CONTRIBUTING.md").read_text(encoding="utf-8")
    steps = told["jobs"]["releases"]["steps"]
    scripts = [step["run"] for step in steps if "run" in step]

    assert told["permissions"] == {"contents": "read"}
    assert "schedule:" in text
    add, play = scripts[-2:]  # what it plays fails where a release does not do as it should
    assert add == ".venv/bin/python -m highwater.harness.versions.releases"
    assert play.startswith(f".venv/bin/highwater {' '.join(results.RELEASES)} ")
    assert "nightly.yml" in page
    assert steps[-1]["if"] == "always()"
