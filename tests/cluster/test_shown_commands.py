"""What README.md, the first page and the tutorials show behind a dollar, typed as it stands."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests import clean_copies, shown_commands


@pytest.mark.on_demand
@pytest.mark.parametrize(
    "page", [pytest.param(page, id=page.stem) for page in shown_commands.PAGES]
)
def test_every_command_on_the_page_does_what_it_says(page: Path, tmp_path: Path) -> None:
    folder = clean_copies.copy_to(tmp_path / "highwater")
    played = shown_commands.commands(page)

    assert played
    for command in played:
        done = shown_commands.typed(command, folder)

        assert done.returncode == 0, f"{command.words}\n{done.stdout}"
        assert shown_commands.missing(command, done.stdout) == [], done.stdout
