"""What sasl.jaas.config says, read as Kafka's clients read it: with java.io.StreamTokenizer."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

# Beyond ASCII, StreamTokenizer has every character from 160 on in words, whatever it is.
LETTER = r"A-Za-z_$\xa0-\U0010ffff"
# A word that is not quoted begins with no digit; a quoted one ends with its line.
TOKEN = re.compile(
    rf"""[\0-\x20]*(?:
        "(?P<double>(?:\\.|[^"\\\r\n])*)" | '(?P<single>(?:\\.|[^'\\\r\n])*)'
        | (?P<word>[{LETTER}][{LETTER}0-9.-]*) | (?P<sign>[=;]) | (?P<end>\Z)
    )""",
    re.DOTALL | re.VERBOSE,
)
ESCAPE = re.compile(r"\\([0-3][0-7]{0,2}|[4-7][0-7]?|.)", re.DOTALL)
ESCAPED = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
FLAGS = ("required", "requisite", "sufficient", "optional")
FORM = 'MODULE required username="..." password="...";'


class Login(NamedTuple):
    module: str
    options: Mapping[str, str]


def login_in(text: str) -> Login:
    """Raises ValueError, which quotes no value, for whatever Kafka's clients would not take.

    They pass over comments, which are refused here.
    """
    found = list(_tokens(text))
    if not re.fullmatch("ww(w=w)*;", "".join(sign or "w" for sign, _ in found)):
        raise ValueError(f"expected one login module, as in {FORM}")
    module, flag, *words = (word for sign, word in found if not sign)
    if flag.lower() not in FLAGS:
        raise ValueError(f"expected a word of {', '.join(FLAGS)} after its module, as in {FORM}")
    return Login(module, dict(zip(words[::2], words[1::2], strict=True)))


def _tokens(text: str) -> Iterator[tuple[str, str]]:
    """Signs, or "" and a word."""
    at = 0
    while True:
        match = TOKEN.match(text, at)
        if match is None:
            raise ValueError(
                f"its character {at + 1} begins no word that Java reads: expected {FORM}, with "
                "whatever is no name in quotes"
            )
        at, kind = match.end(), match.lastgroup
        if kind == "end":
            return
        word = match[str(kind)]
        if kind == "sign":
            yield word, ""
        else:
            yield "", word if kind == "word" else ESCAPE.sub(_meant, word)


def _meant(match: re.Match[str]) -> str:
    said = match[1]
    return chr(int(said, 8)) if said in "01234567" or len(said) > 1 else ESCAPED.get(said, said)
