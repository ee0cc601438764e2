"""Parts of a page that are packed: what was put in comes out, by the places that were told."""

from __future__ import annotations

from base64 import b64decode
from pathlib import Path
from zlib import decompress

import pytest

from highwater.reports import packing, page
from highwater.reports.packing import Packer


def unpacked(packer: Packer, place: str) -> str:
    """As JavaScript does it, in UTF-16 units."""
    block, begin, length = map(int, place.split())
    text = decompress(b64decode(packer.blocks()[block]), -15).decode().encode("utf-16-le")
    return text[2 * begin : 2 * (begin + length)].decode("utf-16-le")


def test_what_was_put_in_comes_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packing, "BLOCK_UNITS", 20)
    parts = ["<p>one</p>", "<p>\U0001f525 ≠ é</p>", "", "<p>three</p>" * 9, "<p>last</p>"]
    packer = Packer()

    places = [packer.add(part) for part in parts]

    assert [unpacked(packer, place) for place in places] == parts
    assert len(packer.blocks()) == 3


def test_where_it_was_made_is_not_in_it() -> None:
    packer = Packer("/made/here/runs/")

    place = packer.add("<a>/made/here/runs/one</a>")

    assert unpacked(packer, place) == "<a>one</a>"


def test_a_short_path_may_stand_in_what_is_packed_by_chance(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(page, "made_in", lambda _directory: "/w/")
    head = '<meta content="sha256-ab/w/cd"><style>a/w/b</style>'
    tail = '<script type="text/plain">ab/w/cd\nef/w/gh</script><script>/w/</script>'

    page.save(tmp_path, f"{head}<p>/w/runs/one</p>{tail}")

    assert (tmp_path / "report.html").read_text() == f"{head}<p>runs/one</p>{tail}"


def test_parts_that_are_alike_cost_next_to_nothing() -> None:
    part = "".join(f"<td>{number * 7919}</td>" for number in range(900))

    one, many = Packer(), Packer()
    one.add(part)
    for _ in range(20):
        many.add(part)

    assert len(many.blocks()[0]) < 2 * len(one.blocks()[0])
