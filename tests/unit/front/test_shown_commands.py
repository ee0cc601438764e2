"""How the commands of a page are found, and held against what they said."""

from __future__ import annotations

from pathlib import Path

from tests.shown_commands import Command, commands, missing

PAGE = """
```console
$ make demo

kip101-loss-strict
  0.10.2.2   lost 2/2  3.5 s  lost-write
...
$ make docs
```
again:
```console
$ make docs
$ make demo
  again
$ highwater doctor
```
"""


def test_each_command_of_a_page_is_found_once_with_the_lines_below_it(tmp_path: Path) -> None:
    (tmp_path / "page.md").write_text(PAGE)

    first, *others = commands(tmp_path / "page.md")

    assert first == Command(
        "make demo", ("kip101-loss-strict", "  0.10.2.2   lost 2/2  3.5 s  lost-write", "  again")
    )
    assert [each.words for each in others] == ["make docs", "highwater doctor"]


def test_a_line_is_missing_unless_it_was_said_but_for_how_long_it_took() -> None:
    command = Command("x", ("0.10.2.2  lost 2/2  3.5 s",))

    assert missing(command, "  0.10.2.2 lost 2/2   12.25 s  more") == []
    assert missing(command, "  0.10.2.2 lost 1/2   3.5 s") == ["0.10.2.2  lost 2/2  3.5 s"]
    assert missing(command, "  0.10.2.2 lost 2/2") == ["0.10.2.2  lost 2/2  3.5 s"]
