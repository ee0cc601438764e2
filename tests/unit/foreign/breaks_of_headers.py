"""Of headers by which records are known."""

from __future__ import annotations

from tests.unit.foreign.conformance_rules import HEADERS, HEADERS_TOLD

TEXT = 'bytes.fromhex(header).decode("utf-8", "replace")'
BREAKS_OF_HEADERS = {
    "sends no header": (
        'told.get("headers") or [None]',
        "[None]",
        HEADERS,
        "expected the header .* of record 1 to lie there, saw None",
    ),
    "sends headers in another order": (
        'told.get("headers") or',
        'told.get("headers", [])[::-1] or',
        HEADERS,
        "expected the header .* of record 1 to lie there, saw b'last'",
    ),
    "sends ASCII alone": (
        "header.encode().hex()",
        "header.encode('ascii', 'ignore').hex()",
        HEADERS,
        "expected the header .* of record 3 to lie there",
    ),
    "sends a header where it is told none": (
        'told.get("headers") or [None]',
        'told.get("headers") or [""]',
        HEADERS,
        "expected the header None of record 7 to lie there, saw b''",
    ),
    "tells no header": (
        '"v", None, text(json.loads(line))]',
        '"v", None]',
        HEADERS_TOLD,
        "expected 4 parts of each record of conformance-headed: .* it was told which, saw 3",
    ),
    "tells another header": (
        TEXT,
        f"{TEXT}[1:]",
        HEADERS_TOLD,
        "expected the header .* of record 1 to be told, saw 'quoted",
    ),
    "tells what is no UTF-8 as nothing": (
        TEXT,
        TEXT.replace("replace", "ignore"),
        HEADERS_TOLD,
        "expected the header 'half .*' of record 18 to be told, saw 'half '",
    ),
    "tells an empty header where there is none": (
        "return header if header is None else",
        'return "" if header is None else',
        HEADERS_TOLD,
        "expected the header None of record 7 to be told, saw ''",
    ),
}
