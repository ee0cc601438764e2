"""Which algorithms a key or a certificate names, of those that not every library reads."""

from __future__ import annotations

import re

SEQUENCE = 0x30
KNOWN = (bytes.fromhex("2a864886f70d010101"), bytes.fromhex("2a8648ce380401"))  # RSA, DSA
EC = bytes.fromhex("2a8648ce3d0201")
OTHERS = {
    bytes.fromhex("2a864886f70d01010a"): "RSA-PSS",
    bytes.fromhex("2b6570"): "EdDSA",  # Ed25519
    bytes.fromhex("2b6571"): "EdDSA",  # Ed448
}
# The curves of Java's own: SECG's, of X9.62 the primes and c2tnb, and Brainpool's r1.
CURVES = re.compile(
    rb"\x2b\x81\x04\0.|\x2a\x86\x48\xce\x3d\x03(\x01.|\0[\x05-\x07\x0b-\x0d\x12\x14])"
    rb"|\x2b\x24\x03\x03\x02\x08\x01\x01[\x01\x03\x05\x07\x09\x0b\x0d]",
    re.DOTALL,
)
PBES2, PBKDF2 = (bytes.fromhex(f"2a864886f70d0105{each}") for each in ("0d", "0c"))
AES_CBC = (bytes.fromhex("60864801650304 0102"), bytes.fromhex("60864801650304 012a"))  # 128, 256
HMAC_SHA = re.compile(rb"\x2a\x86\x48\x86\xf7\x0d\x02[\x07-\x0d]", re.DOTALL)
PBES1 = frozenset(  # RC4, 3DES and RC2 with SHA-1, and DES with MD5
    bytes.fromhex(f"2a864886f70d01{each}")
    for each in ("0c0101", "0c0103", "0c0105", "0c0106", "0503")
)


def parts(der: bytes) -> list[tuple[int, bytes]]:
    """Tags and contents, one after the other; of what is no DER whatever comes first."""
    found = []
    while len(der) > 1:
        size, start = der[1], 2
        if size & 0x80:
            start += size & 0x7F
            size = int.from_bytes(der[2:start], "big")
        found.append((der[0], der[start : start + size]))
        der = der[start + size :]
    return found


def of_key(der: bytes) -> str:
    """In PKCS #8; "": everybody reads it."""
    return _kind(_sequence(_sequence(der)))


def of_certificate(der: bytes) -> str:
    """The same of the key that it certifies."""
    certified = _sequence(_sequence(der))  # the fifth in it, after who has signed and for whom
    return _kind(_sequence(_sequence(certified, 4)))


def of_encryption(der: bytes) -> str:
    """What a key in PKCS #8 is encrypted by."""
    name, parameters = _algorithm(_sequence(_sequence(der)))
    if name != PBES2:
        return "PBES1" if name in PBES1 else "PBES1 with another cipher"
    derivation, within = _algorithm(_sequence(parameters))
    if derivation != PBKDF2:
        return "PBES2 with scrypt"
    hashed, _ = _algorithm(_sequence(within))
    if hashed and not HMAC_SHA.fullmatch(hashed):
        return "PBES2 with another hash"
    cipher, _ = _algorithm(_sequence(parameters, 1))
    return "PBES2" if cipher in AES_CBC else "PBES2 with another cipher"


def _kind(algorithm: bytes) -> str:
    name, parameters = _algorithm(algorithm)
    if name != EC:
        return "" if name in KNOWN else OTHERS.get(name, "another algorithm")
    if _sequence(algorithm):  # instead of a name
        return "EC with explicit parameters"
    return "" if CURVES.fullmatch(parameters) else "EC of another curve"


def _sequence(der: bytes, which: int = 0) -> bytes:
    """What is in one, of those that stand there; b"" where there is none."""
    found = [content for tag, content in parts(der) if tag == SEQUENCE]
    return found[which] if which < len(found) else b""


def _algorithm(content: bytes) -> tuple[bytes, bytes]:
    """What it is called, and the content of its parameters."""
    contents = [each for _, each in parts(content)]
    return contents[0] if contents else b"", contents[1] if len(contents) > 1 else b""
