"""A properties file of the user's own, as Java reads one."""

from __future__ import annotations

from pathlib import Path

from highwater.harness.errors import UsageError
from highwater.harness.properties import properties_in

LARGEST_BYTES = 1 << 20


def read_properties(path: Path, *, trims: bool = True) -> dict[str, str]:
    """Names and values; of a name that is there twice the last one, as java.util.Properties does.

    Without `trims` with the blanks at the end of values, which passwords may have.
    Raises UsageError for what cannot be read, or says nothing.
    """
    try:
        if path.exists() and not path.is_file():  # a pipe can be read once, and it is read twice
            raise UsageError(f"expected a properties file at {path}, and that is no file")
        if path.stat().st_size > LARGEST_BYTES:
            raise UsageError(
                f"{path} has more than {LARGEST_BYTES} bytes: is it a properties file?"
            )
        found = properties_in(path.read_bytes(), trims=trims)
    except (OSError, ValueError) as error:
        raise UsageError(f"expected a properties file at {path}: {error}") from error
    if not found:
        raise UsageError(f"{path} says nothing: expected lines such as min.insync.replicas=2")
    return found
