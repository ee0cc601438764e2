"""What CI servers make of action.yml and templates/chaos-tests.yml, as far as shells play it."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[1]
ACTION = ROOT / "action.yml"
TEMPLATE = ROOT / "templates" / "chaos-tests.yml"
EXPRESSION = re.compile(r"\$\{\{ ([\w.-]+) \}\}")
INPUT = re.compile(r"\$\[\[ inputs\.([\w-]+) \]\]")
GITHUB_SHELL = ("bash", "--noprofile", "--norc", "-eo", "pipefail")  # what `shell: bash` stands for
NETWORK = ("PIP_", "SSL_", "REQUESTS_")  # how this machine reaches what is downloaded
GITLAB_SHELL = ("bash", "-eo", "pipefail")


def action() -> dict[str, Any]:
    content: dict[str, Any] = yaml.safe_load(ACTION.read_text(encoding="utf-8"))
    return content


def template(**inputs: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The inputs of the GitLab component, and its job with these inputs put in."""
    text = TEMPLATE.read_text(encoding="utf-8")
    head, body = text.split("\n---\n")
    declared: dict[str, Any] = yaml.safe_load(head)["spec"]["inputs"]
    values = {name: each["default"] for name, each in declared.items()} | inputs
    return declared, yaml.safe_load(INPUT.sub(lambda found: str(values[found[1]]), body))


@dataclass
class Runner:
    """Plays the steps of the action that are scripts; those of others are left out.

    With a `container`, a running one that has these directories under the same names, in there.
    """

    workspace: Path
    action_path: Path
    temporary: Path
    inputs: Mapping[str, str]
    container: str = ""
    said: list[str] = field(default_factory=list)
    codes: dict[str, int] = field(default_factory=dict)  # by the name of a step

    @property
    def summary(self) -> Path:
        return self.temporary / "summary.md"

    def play(self) -> None:
        content = action()
        known = {f"inputs.{name}": str(each["default"]) for name, each in content["inputs"].items()}
        known |= {f"inputs.{name}": value for name, value in self.inputs.items()}
        known |= {"github.action_path": str(self.action_path), "runner.temp": str(self.temporary)}
        for step in content["runs"]["steps"]:
            has_failed = any(self.codes.values())
            if "run" in step and (not has_failed or step.get("if") == "always()"):
                self._step(step, known)

    def _step(self, step: Mapping[str, Any], known: dict[str, str]) -> None:
        told = {name: _put_in(value, known) for name, value in step.get("env", {}).items()}
        outputs = self.temporary / "outputs.txt"
        outputs.write_text("")
        told |= {"GITHUB_OUTPUT": str(outputs), "GITHUB_STEP_SUMMARY": str(self.summary)}
        code, said = run(GITHUB_SHELL, step["run"], self.workspace, told, self.container)
        self.codes[step["name"]] = code
        self.said.append(said)
        for line in outputs.read_text().splitlines():
            name, _, value = line.partition("=")
            known[f"steps.{step['id']}.outputs.{name}"] = value


def run(
    shell: Sequence[str], script: str, folder: Path, told: Mapping[str, str], container: str = ""
) -> tuple[int, str]:
    """The exit code of a script, and what it said; it knows no more than a clean machine."""
    around = ("PATH", "HOME", "LANG")
    network = {name: value for name, value in os.environ.items() if name.startswith(NETWORK)}
    command = [*shell, "-c", script]
    if container:
        names = [word for name in (*network, *told) for word in ("--env", name)]
        command = ["docker", "exec", "--workdir", str(folder), *names, container, *command]
    done = subprocess.run(
        command,
        cwd=folder,
        env={
            **{name: os.environ[name] for name in around if name in os.environ},
            **network,
            **told,
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=400,
    )
    return done.returncode, done.stdout


def play_job(folder: Path, job: Mapping[str, Any], container: str = "") -> tuple[int, str]:
    """The script of a GitLab job, its lines one after the other in one shell."""
    known = {"CI_PROJECT_DIR": str(folder)}
    told = {
        name: re.sub(r"\$(\w+)", lambda found: known.get(found[1], ""), str(value))
        for name, value in job["variables"].items()
    }
    lines = [*job["before_script"], *job["script"]]
    return run(GITLAB_SHELL, "\n".join(lines), folder, {**known, **told}, container)


def _put_in(value: str, known: Mapping[str, str]) -> str:
    return EXPRESSION.sub(lambda found: known[found[1]], str(value))
