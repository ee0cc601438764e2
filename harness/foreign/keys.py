"""What the key of a client has that not every library reads."""

from __future__ import annotations

import base64
import re
from pathlib import Path

from highwater.harness.errors import UsageError
from highwater.harness.probes.security import Security

KEY = re.compile(rb"-----BEGIN ([A-Z0-9 ]*)PRIVATE KEY-----(.*?)-----END", re.DOTALL)
OTHERS = {b"RSA ": "PKCS#1", b"EC ": "SEC1"}  # all else is in PKCS #8
HEAD = 160  # bytes of DER, where algorithms are named; keys come behind
PBES2 = bytes.fromhex("06092a864886f70d01050d")
AES = bytes.fromhex("60864801650304 01")
EDWARDS = (bytes.fromhex("06032b6570"), bytes.fromhex("06032b6571"))  # Ed25519, Ed448


def forms(security: Security) -> list[str]:
    """Nothing of one key of RSA or EC in PKCS #8 that is not encrypted, which everybody reads.

    Raises UsageError for a file that cannot be read.
    """
    path = security.key or security.certificate
    try:
        found = KEY.findall(Path(path).read_bytes())
    except OSError as error:
        raise UsageError(f"the key in {path} cannot be read: {error}") from error
    if len(found) != 1:
        return ["several keys"] if found else []
    form = _form(*found[0])
    beyond = form == "PBES1" and not security.key_password.isascii()
    return [each for each in (form, "a password beyond ASCII" if beyond else "") if each]


def _form(label: bytes, text: bytes) -> str:
    if label not in {b"", b"ENCRYPTED "}:
        return OTHERS.get(label, label.decode().strip())
    digits = re.sub(rb"[^A-Za-z0-9+/]", b"", text)[: HEAD * 4 // 3 // 4 * 4]
    head = base64.b64decode(digits[: len(digits) // 4 * 4])
    if not label:
        return "EdDSA" if any(each in head for each in EDWARDS) else ""
    if PBES2 not in head:
        return "PBES1"
    return "PBES2" if AES in head else "PBES2 without AES"
