"""What an application is held to, and how records say which input they are, or were made of."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from highwater.harness.errors import UsageError
from highwater.harness.workloads.contracted import Content
from highwater.harness.workloads.pattern import field_of
from highwater.harness.workloads.payload import examine

EXACTLY, AT_LEAST, AT_MOST = "exactly", "at least", "at most"
KEY, ORDER = "key", "order"
LONGEST = 200  # characters of an identity that the record keeps as it is

Identity = str | Callable[[Content], object]
Identifier = Callable[[Content], str | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """Of each input there is `each` ("exactly", "at least", "at most") one output.

    That one is there is asked of inputs below the position of `group`, the application's group.id:
    a Streams application's is its application.id. `identity` says of a record, an output, which
    input it was made of, and `of_inputs` the same of inputs: "value", "key", "header:NAME",
    "json:a.b" for a field of a JSON object, or a function of the user's that is given a Content and
    returns a text, a number or bytes, or None where it cannot tell; where nothing is said of inputs
    it is what the Pattern of their topic says, or else the value. With `keeps` outputs have the
    "key" of their inputs, or those of a partition come in the "order" of its inputs.
    """

    each: str = EXACTLY
    group: str = ""
    identity: Identity = "value"
    of_inputs: Identity | None = None
    keeps: Sequence[str] = ()

    def require(self, *, handed_over: bool) -> None:
        """Raises UsageError for what cannot be asked."""
        if self.each not in (EXACTLY, AT_LEAST, AT_MOST):
            raise UsageError(
                f"expected each to be {EXACTLY!r}, {AT_LEAST!r} or {AT_MOST!r}, "
                f"saw {self.each!r:.120}"
            )
        if not isinstance(self.group, str):
            raise UsageError(f"expected a group.id as a text, saw {self.group!r:.120}")
        if self.each != AT_MOST and not self.group:
            raise UsageError(
                f"who asks for {self.each} one output says which inputs the application is done "
                "with: expected group to be its group.id, saw none"
            )
        listed = isinstance(self.keeps, list | tuple) and {*self.keeps} <= {KEY, ORDER}
        if not listed or len({*self.keeps}) < len(self.keeps):
            raise UsageError(f"expected keeps of {KEY!r} and {ORDER!r}, saw {self.keeps!r:.120}")
        if handed_over and KEY in self.keeps:
            raise UsageError("what is handed over has no keys: expected keeps without 'key'")
        for told in (self.identity, "value" if self.of_inputs is None else self.of_inputs):
            identifier(told)


def identifier(told: Identity) -> Identifier:
    """The function that says a record's identity, None where it has none.

    Raises UsageError for what is none.
    """
    if callable(told):
        return lambda content: text_of(told(content))
    kind, colon, rest = told.partition(":") if isinstance(told, str) else ("", "", "")
    if kind in ("key", "value") and not colon:
        return lambda content: text_of(getattr(content, kind))
    if kind == "header" and rest:
        return lambda content: text_of(content.headers.get(rest))
    if kind == "json" and rest:
        return lambda content: _field(content, rest.split("."))
    raise UsageError(
        "expected an identity of 'value', 'key', 'header:NAME', 'json:a.b' or a function of a "
        f"Content, saw {told!r:.120}"
    )


def text_of(identity: object) -> str | None:
    """As the record has it: of a payload that a load has sent its value, as in the history.

    One that is long is told by its beginning and its SHA-256.

    Raises UsageError for what is no identity.
    """
    match identity:
        case None:
            return None
        case bytes():
            text = identity.decode(errors="backslashreplace")
        case str() | int():
            text = str(identity).encode(errors="backslashreplace").decode()
        case _:
            raise UsageError(
                f"expected a text, a number or bytes as an identity, or None, saw {identity!r:.120}"
            )
    value, _ = examine(text.encode(errors="backslashreplace"))
    if value is not None:
        return f"value {value}"
    if len(text) <= LONGEST:
        return text
    digest = hashlib.sha256(text.encode(errors="backslashreplace")).hexdigest()
    return f"{text[:40]}... (SHA-256 {digest})"


def _field(content: Content, path: Sequence[str]) -> str | None:
    found = field_of(content.value or b"", path)
    return text_of(found) if isinstance(found, str | int) else None
