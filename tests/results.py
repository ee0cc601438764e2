"""Plays what docs/results.md tells, and writes that page from what was measured.

`python -m tests.results WHAT [TRIALS] [OUT] [MINUTES]`: `matrix` plays the whole ladder, in some
shards at once, `headline` the KIP-101 scenarios on every Kafka that `make test` knows best, quiet
and beside busy loops, `bisect` finds the release where each scenario flips, `releases` plays
`hw-two-fetches` on every release, and `clients` what any client can play with several of them. With
an OUT that was used before it goes on there; `matrix`, `bisect` and `clients` end after so many
minutes. `ladder [further] OUT... [anew OUT...]` puts together what `matrix` has played in several
directories, on top of what is told already if it is `further`; scenarios that were written or
changed since are told by what is behind `anew` alone. `hours OUT...` keeps what `highwater explore`
has searched in several directories. `page` only writes the pages again. What was measured is kept,
without the runs themselves, in docs/results/*.json.
"""

from __future__ import annotations

import json
import math
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests import (
    articles_page,
    bisected,
    client_ladder,
    kept_cells,
    long_searches,
    searches,
    searches_picture,
    whole_ladder,
)
from tests.bench import acks_page, failover_page
from tests.bench.page import bench_section, checkers_section
from tests.counts import count
from tests.kept_cells import KEPT, keep, seconds_of

from highwater.harness.record.files import write_json
from highwater.harness.versions.catalogue import every_kafka, ladder_kafkas
from highwater.ladder import ladder, rungs
from highwater.reports.cells import read_cells
from highwater.reports.page import picture
from highwater.scenarios.catalogue import scenarios

DOCS = Path(__file__).parents[1] / "docs"
PAGE, LADDER = DOCS / "results.md", DOCS / "ladder.svg"
SEARCHES = DOCS / "searches.svg"
HEADLINE = ("kip101-loss-strict", "kip101-loss-no-crash", "kip101-divergence")
KAFKAS = ("0.10.2.2", "0.11.0.3", "1.1.1", "2.0.1", "2.8.2", "3.9.1", "3.9.1-zk", "4.1.1")
RELEASES = ("compare", "-s", "hw-two-fetches", "-k", "all")
TRIALS = {"matrix": 3, "headline": 20, "bisect": 3, "clients": 3, "releases": 1}
BUSY_LOOPS = 2
LOOP = "import os\nparent = os.getppid()\nwhile os.getppid() == parent: pass"
INTRODUCTION = """# Results

Written by `make matrix`, `make bisect`, `make clients`, `make releases`, `make results`,
`make bench` and `make bench-checkers` on a machine with two cores. Typed by hand are the findings
in words and, where cells were played at several times, the commands and days of these. Brokers are
local processes, settings are those of each scenario's file. `5/5` says in how many trials of how
many the failure was reproduced, `?n` counts inconclusive trials among them; seconds are the median
of a trial, the start of clusters left out.
"""

Row = Mapping[str, Any]
Kept = Mapping[str, Any]  # what was played, when, how long it took, and its rows


@contextmanager
def busy(loops: int) -> Iterator[None]:
    """So many processes that do nothing but use a core each, as long as this one lives."""
    running = [subprocess.Popen([sys.executable, "-c", LOOP]) for _ in range(loops)]
    try:
        yield
    finally:
        for each in running:
            each.kill()
            each.wait()


def highwater(*words: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-m", "highwater.cli", *words])


def play_matrix(trials: int, out: Path, most_s: float | None) -> None:
    """Kept when all of it has been played, in however many sittings."""
    if whole_ladder.play(trials, out, most_s):
        keep("ladder", {out: whole_ladder.words(trials)}, sum(whole_ladder.sat_s(out)))


def put_ladders_together(words: Sequence[str]) -> None:
    further = [*words[:1]] == ["further"]
    names = words[further:]
    at = names.index("anew") if "anew" in names else len(names)
    outs, anew = ([Path(each) for each in some] for some in (names[:at], names[at + 1 :]))
    try:
        kept_cells.put_together(outs, anew, further=further)
    except ValueError as error:
        raise SystemExit(f"ladder: {error}") from error


def play_headline(trials: int, out: Path) -> None:
    words = ["compare", "-n", str(trials)]
    words += [word for name in HEADLINE for word in ("-s", name)]
    words += [word for name in KAFKAS for word in ("-k", name)]
    for name, loops in (("quiet", 0), ("busy", BUSY_LOOPS)):
        started = time.monotonic()
        with busy(loops):
            highwater(*words, "-o", str(out / name)).wait()
        keep(name, {out / name: words}, time.monotonic() - started)


def play_releases(trials: int, out: Path) -> None:
    """Each release of the catalogue starts, serves, and shows fetch by fetch what it replicates."""
    words = [*RELEASES, "-n", str(trials), "--reruns", "2"]
    highwater(*words, "-o", str(out), "--resume").wait()
    keep("releases", {out: words})


def play_clients(trials: int, out: Path, most_s: float | None) -> None:
    """Kept when all of it has been played, in however many parts."""
    shares = enumerate(client_ladder.shares(trials), 1)
    commands = {out / str(number): words for number, words in shares}
    if client_ladder.play(commands, most_s):
        keep("clients", commands)


def ladder_section(kept: Kept) -> str:
    """A line per scenario: where it fails, where it holds, and what its controls do.

    What the ladder has by now, and nobody has played for this table, is named.
    """
    rows: Sequence[Row] = kept["cells"]
    lines = [*_head("The ladder", kept), "![The ladder](ladder.svg)", ""]
    lines += ["| scenario | fails on | holds on | controls | s |"]
    lines += ["|---" * 5 + "|"]
    for name in dict.fromkeys(row["scenario"] for row in rows):
        mine = [row for row in rows if row["scenario"] == name]
        plain = [row for row in mine if not row["control"]]
        cells = [
            ", ".join(_counted(row) for row in plain if row["expected"] == "reproduced"),
            ", ".join(_counted(row) for row in plain if row["expected"] == "clean"),
            ", ".join(_counted(row) for row in mine if row["control"]),
            f"{statistics.median(seconds_of(mine)):.1f}",
        ]
        lines.append(f"| {' | '.join([name, *cells])} |")
    seconds = statistics.median(seconds_of(rows))
    lines += ["", _surprises(rows), f"Median of all trials: {seconds:.1f} s."]
    left = list(_not_played(rows))
    lines += ["", f"Not played for this table yet: {', '.join(left)}."] if left else []
    return "\n".join(lines) + "\n"


def _not_played(rows: Sequence[Row]) -> Iterator[str]:
    """Scenarios of the ladder, or cells of those of which some were played."""
    played = {(row["scenario"], row["kafka"], row["control"]) for row in rows}
    known = {name for name, *_ in played}
    wanted = [
        (cell.scenario.name, cell.kafka.name, cell.control)
        for cell in ladder(rungs(), ladder_kafkas(), fast=False)
    ]
    yield from dict.fromkeys(name for name, *_ in wanted if name not in known)
    for name, kafka, control in wanted:
        if name in known and (name, kafka, control) not in played:
            yield f"{name} on {kafka}{f' {control}' if control else ''}"


def releases_section(kept: Kept) -> str:
    """Every release by name where it played as it should, a line for each where it did not.

    What the catalogue has and nobody has played yet is named.
    """
    rows: Sequence[Row] = kept["cells"]
    well = [row for row in rows if row["as_expected"]]
    lines = [*_head("Every release", kept)]
    lines += [f"{len(well)} of {len(rows)} start, serve and play it with nothing violated:", ""]
    lines += [", ".join(f"{row['kafka']} {row['clean']}/{row['trials']}" for row in well) + "."]
    for row in rows:
        if not row["as_expected"]:
            lines += ["", f"- {row['kafka']} did not: {_counted(row)}; {'; '.join(row['reasons'])}"]
    played = {row["kafka"] for row in rows}
    left = [kafka.name for kafka in every_kafka() if kafka.name not in played]
    lines += ["", f"Not played yet: {', '.join(left)}."] if left else []
    return "\n".join(lines) + "\n"


def drawn(cells: Sequence[Row]) -> str:
    """The picture; its cells name what their scenarios rest on where a run did not."""
    sources = {each.name: each.source for each in scenarios()}
    named = [{"source": sources.get(row["scenario"], ""), **row} for row in cells]
    return picture(read_cells(named), "")


def headline_section(title: str, kept: Kept) -> str:
    """Scenario by Kafka."""
    rows: Sequence[Row] = kept["cells"]
    kafkas = list(dict.fromkeys(row["kafka"] for row in rows))
    lines = [*_head(title, kept), f"| scenario | {' | '.join(kafkas)} |"]
    lines += ["|---" * (len(kafkas) + 1) + "|"]
    for name in dict.fromkeys(row["scenario"] for row in rows):
        mine = {row["kafka"]: row for row in rows if row["scenario"] == name}
        cells = [
            f"{count(row)} ({statistics.median(row['seconds']):.1f} s)" for row in mine.values()
        ]
        lines.append(f"| {' | '.join([name, *cells])} |")
    return "\n".join([*lines, "", _surprises(rows)]) + "\n"


def _head(title: str, kept: Kept) -> list[str]:
    command = ["```console", kept["command"], "```"]
    took = f"Played on {kept['played_on']}, in {kept['minutes']} minutes:"
    return [f"## {title}", "", took, "", *command, ""]


def _counted(row: Row) -> str:
    control = f" {row['control']}" if row["control"] else ""
    return f"{row['kafka']}{control} {count(row)}"


def _surprises(rows: Sequence[Row]) -> str:
    surprising = [_counted(row) for row in rows if not row["as_expected"]]
    named = f": {', '.join(surprising)}" if surprising else ""
    return f"Cells not as expected: {len(surprising)} of {len(rows)}{named}."


def write_page() -> None:
    """From whatever has been measured."""
    titles = {
        "quiet": "KIP-101 many times, nothing beside it",
        "busy": f"KIP-101 many times, with {BUSY_LOOPS} busy loops beside it",
    }
    found = {path.stem: json.loads(path.read_text()) for path in KEPT.glob("*.json")}
    parts = [INTRODUCTION]
    findings = KEPT / "findings.md"
    parts += [ladder_section(found["ladder"]), findings.read_text()] if "ladder" in found else []
    parts += [bisected.section(found["bisect"])] if "bisect" in found else []
    if "clients" in found:
        head = _head("Clients under the same faults", found["clients"])
        cells = found["clients"]["cells"]
        parts += [client_ladder.section(head, cells)]
    parts += [releases_section(found["releases"])] if "releases" in found else []
    parts += [headline_section(title, found[name]) for name, title in titles.items()]
    if "searches" in found:
        parts.append(searches.section(found["searches"]))
        SEARCHES.write_text(searches_picture.picture(found["searches"]), encoding="utf-8")
    parts += [long_searches.section(found["hours"])] if "hours" in found else []
    parts += [bench_section(found["bench"])] if "bench" in found else []
    parts += [checkers_section(found["checkers"])] if "checkers" in found else []
    for name, page in (("acks", acks_page), ("failover", failover_page)):
        if name in found:
            parts.append(page.section(found[name]))
            (KEPT / f"{name}.svg").write_text(page.picture(found[name]), encoding="utf-8")
    PAGE.write_text("\n".join(parts), encoding="utf-8")
    if "ladder" in found:
        LADDER.write_text(drawn(found["ladder"]["cells"]), encoding="utf-8")
    articles_page.PAGE.write_text(articles_page.render(), encoding="utf-8")


def main() -> None:
    what, *rest = sys.argv[1:] or ["page"]
    if what == "ladder":
        put_ladders_together(rest)
        rest = []
    if what == "hours":
        long_searches.keep([Path(each) for each in rest])
        rest = []
    trials = int(rest[0]) if rest else TRIALS.get(what, 0)
    stamp = datetime.now(UTC).strftime(f"{what}-%Y%m%d-%H%M%S")
    out = Path(rest[1]) if len(rest) > 1 else Path("highwater-runs") / stamp
    most_s = 60 * float(rest[2]) if len(rest) > 2 else None
    if what == "matrix":
        play_matrix(trials, out, most_s)
    elif what == "headline":
        play_headline(trials, out)
    elif what == "releases":
        play_releases(trials, out)
    elif what == "clients":
        play_clients(trials, out, most_s)
    elif what == "bisect":
        before = json.loads((KEPT / "bisect.json").read_text())["flips"]
        bisected.play(trials, out, math.inf if most_s is None else most_s, before)
        write_json(KEPT / "bisect.json", bisected.kept(trials, out, before))
    write_page()


if __name__ == "__main__":
    main()
