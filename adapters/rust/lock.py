"""`lock.py FOLDER`: Cargo.lock there is ours, without the name of a registry; it gets cargo's.

Cargo writes that name behind each package. Versions and checksums, which it holds packages against,
are those of the lock all the same.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

SOURCE = re.compile(r'^source = ".*"\n', re.MULTILINE)
PACKAGE = re.compile(r'^(version = ".*"\n)(?=checksum)', re.MULTILINE)


def main(folder: Path) -> None:
    lock = folder / "Cargo.lock"
    ours = SOURCE.sub("", lock.read_text())
    lock.unlink()
    line = ["cargo", "generate-lockfile", "--manifest-path", str(folder / "Cargo.toml")]
    if subprocess.run(line, check=False, env=os.environ.copy()).returncode:
        sys.exit(1)  # cargo has said why
    sources = {*SOURCE.findall(lock.read_text())}
    if len(sources) != 1:
        sys.exit(f"expected one registry in the lock that cargo makes, saw {len(sources)}")
    lock.write_text(PACKAGE.sub(lambda found: found[1] + min(sources), ours))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
