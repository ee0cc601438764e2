"""Adds what the repository has and the catalogue has not: `... .versions.releases [VERSION ...]`.

Each release that is missing is locked and gets its line, or is told with the reason why not. With
`--list` they are only named. The repository's own list of Kafka's releases says what there is.
"""

from __future__ import annotations

import sys
import tempfile
import tomllib
from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path

from highwater.harness.errors import HighwaterError, InfrastructureError, UsageError
from highwater.harness.versions.cache import adopted_lock
from highwater.harness.versions.catalogue import RELEASE, Row, row_of, rows
from highwater.harness.versions.jars import maven
from highwater.harness.versions.lock import LOCKS, built_on, locked_together, write_lock
from highwater.harness.versions.numbers import release_of

CATALOGUE = Path(__file__).parent / "catalogue.toml"
FIRST = "0.10"


def published(staging: Path) -> list[str]:
    """Every release in the repository from the first one that we play on, oldest first.

    Raises InfrastructureError when it does not answer.
    """
    scalas = {row.scala for row in rows()}
    found: set[str] = set()
    for scala in sorted(scalas):
        project = maven(staging).project("org.apache.kafka", f"kafka_{scala}")
        project.update()
        found |= {each for each in project.metadata.versions if _is_ours(each, scala)}
    if not found:
        raise InfrastructureError(
            "the repository does not say which Kafkas it has; no network? A mirror can be named by "
            "HIGHWATER_MAVEN_MIRROR"
        )
    return sorted(found, key=release_of)


def _is_ours(version: str, scala: str) -> bool:
    """Whether it is a release, no candidate, and we take the build for this Scala."""
    whole = RELEASE.fullmatch(version) and release_of(version) >= release_of(FIRST)
    return bool(whole) and row_of(version).scala == scala


def missing(staging: Path) -> list[str]:
    known = {row.version for row in rows()}
    return [version for version in published(staging) if version not in known]


def add(versions: Sequence[str], staging: Path) -> Iterator[str]:
    """Lock these and write their lines; a sentence for each, also where that fails."""
    for version in versions:
        row = row_of(version)
        try:
            jars = locked_together(row, staging)
            built = built_on(row, jars)
        except HighwaterError as error:
            yield f"{version} NOT added: {error}"
            continue
        write_lock(LOCKS / f"{version}.lock", version, jars)
        _write_line(version, built)
        yield f"{version}, built on {built}: {len(jars)} jars locked"


def _write_line(version: str, built: date) -> None:
    """The release's line, in its place among the others."""
    text = CATALOGUE.read_text(encoding="utf-8")
    head, mark, _ = text.partition("[releases]\n")
    releases = tomllib.loads(text)["releases"]
    releases[version] = {**releases.get(version, {}), "built": built}
    lines = [
        f'"{each}" = {{ built = {facts["built"]}{", ladder = true" * facts.get("ladder", False)} }}'
        for each, facts in sorted(releases.items(), key=lambda item: release_of(item[0]))
    ]
    CATALOGUE.write_text(head + mark + "\n".join(lines) + "\n", encoding="utf-8")


def adopt(version: str) -> Row:
    """Lock a release for this machine alone, that the repository has and the catalogue has not.

    Raises UsageError where the repository has none of that name, InfrastructureError where it does
    not answer, or something that the release needs is not to be had.
    """
    row = row_of(version)
    with tempfile.TemporaryDirectory() as folder:
        staging = Path(folder)
        if version not in published(staging):
            raise UsageError(f"the repository has no Kafka {version} either")
        jars = locked_together(row, staging)
    built = built_on(row, jars)
    write_lock(adopted_lock(version), version, jars, f"Built on {built}.")
    return row_of(version, built)


def main(words: Sequence[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        staging = Path(folder)
        named = [word for word in words if word != "--list"]
        wanted = [each for each in missing(staging) if not named or each in named]
        told = iter(wanted) if "--list" in words else add(wanted, staging)
        for line in told:
            print(line, flush=True)
        print(f"{len(wanted)} missing")


if __name__ == "__main__":
    main(sys.argv[1:])
