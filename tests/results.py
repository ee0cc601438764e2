"""Plays what docs/results.md tells, and writes that page from what was measured.

`python -m tests.results WHAT [TRIALS] [OUT] [MINUTES]`: `matrix` plays the ladder, in some
shards at once, `headline` the KIP-101 scenarios on every Kafka that `make test` knows best, quiet
and beside busy loops, `bisect` finds the release where each scenario flips, `releases` plays
`hw-two-fetches` on every release, `clients` what any client can play with several of them, `named`
searches for failures and says which ones they are, and `shown` the chaos tests that
docs/articles.md names, on three Kafkas. With an OUT that was used before it goes on there;
`matrix`, `bisect`, `named` and `clients` end after so many minutes. `ladder [further] OUT... [anew
OUT...]` puts together what `matrix` has played in several directories, on top of what is told
already if it is `further`; scenarios that were written or changed since are told by what is behind
`anew` alone. `ladder more OUT...` tells cells that the ladder has since, as `compare` played them.
`hours OUT...` keeps what `highwater explore` has searched in several directories, and `ours OUT`
what `highwater matrix --ends` has played of scenarios that any client can play. `page` only writes
the pages again. What was measured is kept, without the runs themselves, in docs/results/*.json.
"""

from __future__ import annotations

import json
import math
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
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
    named_searches,
    searches,
    searches_picture,
    shown_trials,
    tickets,
    whole_ladder,
)
from tests.bench import acks_page, failover_page, partitioners_page
from tests.bench.page import bench_section, checkers_section
from tests.kept_cells import KEPT, keep
from tests.kept_sections import (
    head,
    headline_section,
    ladder_section,
    releases_section,
    sitting_section,
)

from highwater.harness.record.files import write_json
from highwater.reports.cells import read_cells
from highwater.reports.page import picture
from highwater.scenarios.catalogue import scenarios

DOCS = Path(__file__).parents[1] / "docs"
PAGE, LADDER = DOCS / "results.md", DOCS / "ladder.svg"
SEARCHES = DOCS / "searches.svg"
HEADLINE = ("kip101-loss-strict", "kip101-loss-no-crash", "kip101-divergence")
KAFKAS = ("0.10.2.2", "0.11.0.3", "1.1.1", "2.0.1", "2.8.2", "3.9.1", "3.9.1-zk", "4.1.1")
RELEASES = ("compare", "-s", "hw-two-fetches", "-k", "all")
TRIALS = {
    "matrix": 3, "headline": 20, "bisect": 3, "clients": 3, "releases": 1, "shown": 5, "named": 3,
}  # fmt: skip
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
    """Kept when all of it has been played, in however many sittings.

    What the table of the ladder tells of earlier ones stays: see `ladder further`.
    """
    if whole_ladder.play(trials, out, most_s):
        keep("sitting", {out: whole_ladder.words(trials)}, sum(whole_ladder.sat_s(out)))


def put_ladders_together(words: Sequence[str]) -> None:
    if [*words[:1]] == ["more"]:
        try:
            kept_cells.add_cells([Path(each) for each in words[1:]])
        except ValueError as error:
            raise SystemExit(f"ladder: {error}") from error
        return
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


def drawn(cells: Sequence[Row]) -> str:
    """The picture; its cells name what their scenarios rest on where a run did not."""
    sources = {each.name: each.source for each in scenarios()}
    named = [{"source": sources.get(row["scenario"], ""), **row} for row in cells]
    return picture(read_cells(named), "")


def write_page() -> None:
    """From whatever has been measured."""
    titles = {
        "quiet": "KIP-101 many times, nothing beside it",
        "busy": f"KIP-101 many times, with {BUSY_LOOPS} busy loops beside it",
    }
    found = {path.stem: json.loads(path.read_text()) for path in KEPT.glob("*.json")}
    parts = [INTRODUCTION]
    findings = KEPT / "findings.md"
    parts += [sitting_section(found["sitting"])] if "sitting" in found else []
    parts += [ladder_section(found["ladder"]), findings.read_text()] if "ladder" in found else []
    parts += [bisected.section(found["bisect"])] if "bisect" in found else []
    parts += [tickets.section(found["tickets"])] if "tickets" in found else []
    if "clients" in found:
        told = head("Clients under the same faults", found["clients"])
        cells = found["clients"]["cells"]
        parts += [client_ladder.section(told, cells)]
    if kept_cells.OURS in found:
        parts.append(headline_section("The same on other releases, with our client", found["ours"]))
    parts += [releases_section(found["releases"])] if "releases" in found else []
    parts += [headline_section(title, found[name]) for name, title in titles.items()]
    if "searches" in found:
        parts.append(searches.section(found["searches"]))
        SEARCHES.write_text(searches_picture.picture(found["searches"]), encoding="utf-8")
    parts += [named_searches.section(found["named"])] if "named" in found else []
    parts += [long_searches.section(found["hours"])] if "hours" in found else []
    parts += [bench_section(found["bench"])] if "bench" in found else []
    parts += [checkers_section(found["checkers"])] if "checkers" in found else []
    for name, page in (("acks", acks_page), ("failover", failover_page)):
        if name in found:
            parts.append(page.section(found[name]))
            (KEPT / f"{name}.svg").write_text(page.picture(found[name]), encoding="utf-8")
    if "partitioners" in found:
        parts.append(partitioners_page.section(found["partitioners"]))
    PAGE.write_text("\n".join(parts), encoding="utf-8")
    if "ladder" in found:
        LADDER.write_text(drawn(found["ladder"]["cells"]), encoding="utf-8")
    articles_page.PAGE.write_text(articles_page.render(), encoding="utf-8")


def play_bisect(trials: int, out: Path, most_s: float | None) -> None:
    before = json.loads((KEPT / "bisect.json").read_text())["flips"]
    bisected.play(trials, out, math.inf if most_s is None else most_s, before)
    write_json(KEPT / "bisect.json", bisected.kept(trials, out, before))


def play_named(trials: int, out: Path, most_s: float | None) -> None:
    named_searches.play(trials, out, math.inf if most_s is None else most_s)
    write_json(KEPT / named_searches.NAME, named_searches.kept(out))


def keep_hours(names: Sequence[str]) -> None:
    try:
        long_searches.keep([Path(each) for each in names])
    except ValueError as error:
        raise SystemExit(f"hours: {error}") from error


def keep_ours(names: Sequence[str]) -> None:
    if len(names) != 1:
        raise SystemExit(f"ours: expected one directory, saw {len(names)}")
    try:
        kept_cells.keep_ours(Path(names[0]))
    except ValueError as error:
        raise SystemExit(f"ours: {error}") from error


TOLD: Mapping[str, Callable[[Sequence[str]], None]] = {  # by what was played before
    "ladder": put_ladders_together,
    "hours": keep_hours,
    "ours": keep_ours,
}
PLAYED: Mapping[str, Callable[[int, Path, float | None], None]] = {
    "matrix": play_matrix,
    "headline": lambda trials, out, _: play_headline(trials, out),
    "releases": lambda trials, out, _: play_releases(trials, out),
    "shown": lambda trials, out, _: shown_trials.play(trials, out),
    "clients": play_clients,
    "bisect": play_bisect,
    "named": play_named,
}


def main() -> None:
    what, *rest = sys.argv[1:] or ["page"]
    if what in TOLD:
        TOLD[what](rest)
    elif what in PLAYED:
        trials = int(rest[0]) if rest else TRIALS[what]
        stamp = datetime.now(UTC).strftime(f"{what}-%Y%m%d-%H%M%S")
        out = Path(rest[1]) if len(rest) > 1 else Path("highwater-runs") / stamp
        PLAYED[what](trials, out, 60 * float(rest[2]) if len(rest) > 2 else None)
    elif what != "page":
        raise SystemExit(f"expected {', '.join([*PLAYED, *TOLD, 'page'])}, saw {what}")
    write_page()


if __name__ == "__main__":
    main()
