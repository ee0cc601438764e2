"""A properties file of the user's own, as Java reads one."""

from __future__ import annotations

import codecs
import re
from pathlib import Path

from highwater.harness.errors import UsageError

ESCAPED = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}
BREAK = re.compile(r"(?<!\\)(?:\\\\)*[=:\s]")
LARGEST_BYTES = 1 << 20


def read_properties(path: Path) -> dict[str, str]:
    """Names and values; of a name that is there twice the last one, as java.util.Properties does.

    Raises UsageError for what cannot be read, or says nothing.
    """
    if path.exists() and not path.is_file():  # a pipe can be read once, and it is read twice
        raise UsageError(f"expected a properties file at {path}, and that is no file")
    try:
        if path.stat().st_size > LARGEST_BYTES:
            raise UsageError(
                f"{path} has more than {LARGEST_BYTES} bytes: is it a properties file?"
            )
        text = _text(path.read_bytes())
    except (OSError, ValueError) as error:
        raise UsageError(f"expected a properties file at {path}: {error}") from error
    found = dict(map(_pair, _lines(text)))
    if not found:
        raise UsageError(f"{path} says nothing: expected lines such as min.insync.replicas=2")
    return found


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
    return _plain(name), _plain(value).strip()


def _plain(text: str) -> str:
    def meant(match: re.Match[str]) -> str:
        said = match[1]
        return chr(int(said[1:], 16)) if len(said) > 1 else ESCAPED.get(said, said)

    return re.sub(r"\\(u[0-9a-fA-F]{4}|.)", meant, text)
