"""Parts of a page that are packed into it, and unpacked when somebody opens them.

Parts that are alike stand in one block, for the second of them costs next to nothing; a block is
raw DEFLATE (RFC 1951) in base64, which a browser reads with its own DecompressionStream.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from zlib import DEFLATED, MAX_WBITS, compressobj

BLOCK_UNITS = 1 << 19  # of text; one is unpacked in a few milliseconds


class Packer:
    """Takes HTML, and says where it will be found."""

    def __init__(self, made_in: str = "") -> None:
        """`made_in` is the place that no page tells."""
        self._made_in = made_in
        self._closed: list[str] = []
        self._open: list[str] = []
        self._units = 0

    def add(self, html: str) -> str:
        """The place of a part: block, begin and length, in the UTF-16 units of JavaScript."""
        text = html.replace(self._made_in, "") if self._made_in else html
        place = f"{len(self._closed)} {self._units} {_units(text)}"
        self._open.append(text)
        self._units += _units(text)
        if self._units >= BLOCK_UNITS:
            self._close()
        return place

    def blocks(self) -> Sequence[str]:
        if self._open:
            self._close()
        return self._closed

    @property
    def size(self) -> int:
        """Of the blocks that are closed, in bytes of the page."""
        return sum(map(len, self._closed))

    def _close(self) -> None:
        self._closed.append(packed("".join(self._open)))
        self._open, self._units = [], 0


def packed(text: str) -> str:
    """One block."""
    press = compressobj(9, DEFLATED, -MAX_WBITS)
    return b64encode(press.compress(text.encode()) + press.flush()).decode()


def _units(text: str) -> int:
    return len(text) + sum(each > "\uffff" for each in text)
