"""docs/reactions.md is what docs/reactions.toml says, and every row can be played."""

from __future__ import annotations

from tests import reactions_page
from tests.cluster.test_answers import PARTS

from highwater.harness.gate.messages.answerable import NAMED
from highwater.harness.gate.messages.errors import CODES


def test_the_page_is_up_to_date() -> None:
    assert reactions_page.PAGE.read_text(encoding="utf-8") == reactions_page.render()


def test_every_row_says_what_each_client_does_and_where_that_stands() -> None:
    told = reactions_page.rows()
    wrong = [
        (row.name, client)
        for row in told
        for client in reactions_page.CLIENTS
        if not {"documented", "source"} <= row.clients.get(client, {}).keys()
        or row.seen(client) not in {None, *reactions_page.WORDS}
        or row.clients[client]["documented"] not in reactions_page.WORDS
    ]

    assert not wrong
    assert len({row.name for row in told}) == len(told)


def test_every_row_is_played_by_a_part_of_the_test() -> None:
    told = reactions_page.rows()

    assert {row.api for row in told} <= set(NAMED)
    assert {row.error for row in told} <= set(CODES)
    assert {row.story for row in told} <= set(reactions_page.STORIES)
    assert {row.api for row in told} == set().union(*PARTS.values())
