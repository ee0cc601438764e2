"""Names and values of a properties file, as Java reads and writes one."""

from __future__ import annotations

import codecs
import re
from collections.abc import Mapping
from pathlib import Path

ESCAPED = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}
BREAK = re.compile(r"(?<!\\)(?:\\\\)*[=:\s]")


def properties_in(raw: bytes, *, trims: bool = True) -> dict[str, str]:
    """Of a name that is there twice the last value, as java.util.Properties does.

    Without `trims` with the blanks at its end, which Kafka leaves out of all values but passwords.
    Raises ValueError for what is no text.
    """
    told = dict(map(_pair, _lines(_text(raw))))
    return {name: value.strip() for name, value in told.items()} if trims else told


def _text(raw: bytes) -> str:
    """UTF-8, as editors write it, or else Latin-1, as Java does; raises ValueError for neither."""
    if b"\0" in raw:
        raise ValueError("it has bytes of 0, and is no text")
    if raw.startswith(codecs.BOM_UTF8):
        raise ValueError("it begins with a byte order mark, which Java reads as part of a name")
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode("latin-1")


def _lines(text: str) -> list[str]:
    """Whole ones: a backslash at the end carries on, in a comment it does not."""
    whole: list[str] = []
    begun = ""
    for line in re.split(r"\r\n|\r|\n", text):
        bare = line.lstrip(" \t\f")
        if not begun and (not bare or bare[0] in "#!"):
            continue
        begun += bare
        if (len(bare) - len(bare.rstrip("\\"))) % 2:
            begun = begun[:-1]
            continue
        whole.append(begun)
        begun = ""
    return [*whole, begun] if begun else whole


def _pair(line: str) -> tuple[str, str]:
    match = BREAK.search(line)
    if match is None:
        return _plain(line), ""
    name = line[: match.end() - 1]
    value = re.sub(r"^[ \t\f]*[=:]?[ \t\f]*", "", line[match.end() - 1 :])
    return _plain(name), _plain(value)


def _plain(text: str) -> str:
    def meant(match: re.Match[str]) -> str:
        said = match[1]
        if said == "u":
            raise ValueError("four hexadecimal digits belong behind each \\u, and some are missing")
        return chr(int(said[1:], 16)) if len(said) > 1 else ESCAPED.get(said, said)

    return re.sub(r"\\(u[0-9a-fA-F]{4}|.)", meant, text)


def write_properties(path: Path, settings: Mapping[str, str]) -> None:
    """As java.util.Properties reads them, whatever a user's value has in it."""
    lines = (f"{_escaped(name, ' =:#!')}={_escaped(value)}\n" for name, value in settings.items())
    path.write_text("".join(lines), encoding="ascii")


def _escaped(text: str, more: str = "") -> str:
    """`more` are characters that mean something where this text stands."""
    plain = text.translate({ord(each): f"\\{each}" for each in f"\\{more}"})
    units = plain.encode("utf-16-be", "surrogatepass")
    codes = [int.from_bytes(units[at : at + 2]) for at in range(0, len(units), 2)]
    return "".join(chr(code) if " " <= chr(code) <= "~" else f"\\u{code:04x}" for code in codes)
