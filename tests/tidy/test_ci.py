"""The action and the template that projects take from here: whole, and safe to take."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from tests import ci_steps

PAGE = ci_steps.ROOT / "docs" / "ci.md"


def test_every_step_of_the_action_says_its_shell_and_puts_no_input_into_a_script() -> None:
    for step in ci_steps.action()["runs"]["steps"]:
        assert ("uses" in step) != ("run" in step)
        if "run" in step:
            assert step["shell"] == "bash"
            assert "${{" not in step["run"], "an input is no part of a program: use env"
        else:
            assert re.fullmatch(r"[\w-]+/[\w-]+@v\d+", step["uses"])


def test_what_the_action_refers_to_is_declared() -> None:
    content = ci_steps.action()
    known = {f"inputs.{name}" for name in content["inputs"]} | {"github.action_path"}
    known |= {f"runner.{name}" for name in ("temp", "os", "arch")} | {"steps.caches.outputs.key"}

    used = {*ci_steps.EXPRESSION.findall(ci_steps.ACTION.read_text())}

    assert used == known


def test_inputs_of_the_template_are_used_and_declared() -> None:
    declared, job = ci_steps.template()

    assert {*ci_steps.INPUT.findall(ci_steps.TEMPLATE.read_text())} == {*declared}
    assert job["chaos-tests"]["artifacts"]["when"] == "always"


def test_caches_are_keyed_by_the_locks(tmp_path: Path) -> None:
    (step,) = (each for each in ci_steps.action()["runs"]["steps"] if each.get("id") == "caches")
    (tmp_path / "ours.txt").write_text("pytest-timeout==2.4.0\n")
    output = tmp_path / "output.txt"
    action = tmp_path / "action"
    (action / "harness" / "versions" / "locks").mkdir(parents=True)
    for name in ("requirements.lock", "harness/versions/locks/4.1.1.lock"):
        (action / name).write_text("pinned\n")

    def key(requirements: str = "ours.txt", kafka: str = "4.1.1") -> str:
        told = {"ACTION": str(action), "KAFKA": kafka, "REQUIREMENTS": requirements}
        told["GITHUB_OUTPUT"] = str(output)
        output.unlink(missing_ok=True)
        code, said = ci_steps.run(ci_steps.GITHUB_SHELL, step["run"], tmp_path, told)
        assert code == 0, said
        (found,) = re.findall(r"^key=([0-9a-f]{32})$", output.read_text(), re.MULTILINE)
        return str(found)

    first = key()
    assert key() == first
    others = [key(""), key(kafka="2.8.2")]
    (action / "requirements.lock").write_text("another\n")
    others.append(key())
    (action / "harness" / "versions" / "locks" / "4.1.1.lock").write_text("another\n")
    others.append(key())
    assert len({first, *others}) == 5


@pytest.mark.parametrize("of", ["action", "template"])
def test_scripts_are_shells(of: str) -> None:
    if of == "action":
        scripts = [step["run"] for step in ci_steps.action()["runs"]["steps"] if "run" in step]
    else:
        job = ci_steps.template()[1]["chaos-tests"]
        scripts = ["\n".join([*job["before_script"], *job["script"]])]

    for script in scripts:
        shell = "bash" if of == "action" else "sh"
        subprocess.run([shell, "-n", "-c", script], check=True)


def test_the_page_tells_every_input() -> None:
    text = PAGE.read_text(encoding="utf-8")

    inputs = {*ci_steps.action()["inputs"], *ci_steps.template()[0]}
    assert [name for name in inputs if f"`{name}`" not in text] == []
    assert text.count("```yaml") == 3
