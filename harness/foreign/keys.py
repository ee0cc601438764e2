"""What the key of a client has that not every library reads."""

from __future__ import annotations

import base64
import re
from pathlib import Path

from highwater.harness.errors import UsageError
from highwater.harness.foreign import der
from highwater.harness.probes.security import Security

KEY = re.compile(rb"-----BEGIN ([A-Z0-9 ]*)PRIVATE KEY-----(.*?)-----END", re.DOTALL)
CERTIFICATE = re.compile(rb"-----BEGIN [A-Z0-9 ]*CERTIFICATE-----(.*?)-----END", re.DOTALL)
ENCRYPTED = b"ENCRYPTED "
OTHERS = {b"RSA ": "PKCS#1", b"EC ": "SEC1"}  # all else is in PKCS #8


def forms(security: Security) -> list[str]:
    """Nothing of one key of RSA or EC in PKCS #8 that is not encrypted, which everybody reads.

    What is encrypted is looked for in the certificate, which has the same algorithm. Raises
    UsageError for a file that cannot be read.
    """
    found = KEY.findall(_read(security.key or security.certificate))
    if len(found) != 1:
        return ["several keys"] if found else []
    form = _form(*found[0])
    beyond = form == "PBES1" and not security.key_password.isascii()
    certified = CERTIFICATE.search(_read(security.certificate))
    kind = der.of_certificate(_decoded(certified[1])) if certified else ""
    each = (form, kind, "a password beyond ASCII" if beyond else "")
    return [each for each in dict.fromkeys(each) if each]


def _read(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise UsageError(f"the key in {path} cannot be read: {error}") from error


def _form(label: bytes, text: bytes) -> str:
    if label == ENCRYPTED:
        return der.of_encryption(_decoded(text))
    return OTHERS.get(label, label.decode().strip()) if label else der.of_key(_decoded(text))


def _decoded(text: bytes) -> bytes:
    digits = re.sub(rb"[^A-Za-z0-9+/]", b"", text)
    if len(digits) % 4 == 1:  # is no base64
        digits = digits[:-1]
    return base64.b64decode(digits + b"=" * (-len(digits) % 4))
