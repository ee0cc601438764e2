"""Whatever text a schedule has, the draft of it is Python, means that text, and does no more."""

from __future__ import annotations

import ast

import pytest

from highwater.exploration.drafts import draft
from highwater.exploration.injections import Heal
from highwater.exploration.moves import Lead
from highwater.exploration.steps import Schedule, Step, Taken

BOOM = "import os; os.boom()"
HOSTILE = (
    f'"""\n{BOOM}\n"""', f'"\n{BOOM}\n', f"\n{BOOM}", f"\r{BOOM}", f"x = play.{BOOM}", "ends in \\",
    'ends in "', r"\N{nobody}", r"\x", "\\" + '"""', "{told}", "%s", "\0", "\x0c", "\x85", "\u2028",
    "\u202e", "\ud800", "\U0001f600", "#", "'''", "(one) = play.",
)  # fmt: skip
PLAIN = "plain"


def drafted(text: str) -> ast.Module:
    """Of a schedule that has this text wherever one may stand."""
    seen = {"log_end_offsets": {"1": 1}, "high_watermarks": {"1": 1}}
    return ast.parse(
        draft(
            "found-1",
            Schedule(
                kafka="4.1.1",
                steps=(Taken(Step(Heal(text)), seen=seen), Taken(Step(Lead(2)))),
                claims=(text, "lost-write"),
                told=text,
                setting={
                    "settings": {text: text},
                    "broker_settings": {1: {text: text, "other": text}},
                },
            ),
        )
    )


def without_texts(module: ast.Module) -> str:
    """What it does: all of it but what its strings say."""
    for node in ast.walk(module):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            node.value = ""
    return ast.dump(module)


def strings(module: ast.Module) -> list[str]:
    return [
        node.value
        for node in ast.walk(module)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]


@pytest.mark.parametrize("text", HOSTILE, ids=ascii)
def test_no_statement_comes_out_of_a_text(text: str) -> None:
    compile(module := drafted(text), "found_1.py", "exec")

    assert without_texts(module) == without_texts(drafted(PLAIN))


@pytest.mark.parametrize("text", HOSTILE, ids=ascii)
def test_a_text_means_in_a_draft_what_it_says(text: str) -> None:
    told = strings(drafted(text))

    assert told.count(text) == len(strings_that_are(PLAIN)) == 6
    assert f"FINISH: {text} and lost-write on Kafka 4.1.1, in a line." in told
    assert f"as after heal(fault={text})" in told
    assert any(f"Found by chance: {text}.\n" in each for each in told)


def strings_that_are(text: str) -> list[str]:
    return [each for each in strings(drafted(text)) if each == text]


@pytest.mark.parametrize(
    ("name", "function"),
    [
        ("class", "found_class"), ("2-1", "found_2_1"), ("", "found_"), ("a\nb", "a_b"),
        ("\u00b2", "_"), ("found-1", "found_1"),
    ],
)  # fmt: skip
def test_a_draft_has_a_name_that_python_takes(name: str, function: str) -> None:
    module = ast.parse(draft(name, Schedule(kafka="4.1.1", steps=(Taken(Step(Lead(2))),))))

    (told,) = [each.name for each in module.body if isinstance(each, ast.FunctionDef)]
    assert told == function
