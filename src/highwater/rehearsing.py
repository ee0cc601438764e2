"""`rehearse-upgrade`: plays a rolling upgrade with traps, and writes what came of each step."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from highwater import console
from highwater.adopting import kafka_named
from highwater.checkers.session import stop_session
from highwater.configuration import LEAST, Configuration, configuration, mode_of
from highwater.harness.jvm.java import find_java
from highwater.harness.record.files import write_json
from highwater.harness.versions.catalogue import Kafka
from highwater.playing import Options, carried_out
from highwater.rehearsal import described, least_played, rehearsal
from highwater.reports.rehearsal import headline, lines, write_rehearsal
from highwater.workshop import directory_of

REHEARSAL_SCHEMA = 1
CODES = {"held": 0, "violated": 1, "unknown": 3}


def rehearse(begins: str, to: str, path: Path | None, options: Options) -> int:
    """Play, show and write the page; returns the exit code.

    0: every claim held; 1: one was violated; 3: it did not come to its end. Raises UsageError for
    releases of which the one cannot follow on the other, or a file that cannot be read.
    """
    kafka = kafka_named(begins, offline=options.offline)
    kafka = mode_of(kafka, path) if path else kafka
    kafka_named(to, offline=options.offline)
    configured = configuration(path, kafka) if path else None
    asked = rehearsal(kafka, to, configured)
    notices = notices_of(configured, kafka)
    for notice in notices:
        console.say(notice)
    find_java()
    out = directory_of(options.out, used=options.resume)
    try:
        (result,) = carried_out([asked.cell], options, out)
    finally:
        stop_session()
    told: dict[str, Any] = {
        "schema": REHEARSAL_SCHEMA,
        "file": configured.path.name if configured else None,
        "notices": notices,
        **described(asked, result),
        "cell": result.row(out),
    }
    write_json(out / "rehearsal.json", told)
    page = write_rehearsal(out, told)
    if options.json:
        console.print_json({"out": str(out), **told})
    else:
        console.out.print(headline(told), style="bold", markup=False, soft_wrap=True)
        for line in lines(told):
            console.out.print(line, markup=False, highlight=False, soft_wrap=True)
        console.out.print(f"the page: {page}; the evidence: {out / 'report.html'}", soft_wrap=True)
    return CODES[told["answer"]]


def notices_of(configured: Configuration | None, kafka: Kafka) -> list[str]:
    """What is played in another way than the file says."""
    if configured is None:
        return [f"no file was given: brokers of Kafka {kafka.name} have a play's settings"]
    least, played = configured.settings[LEAST], least_played(configured)
    fewer = f"{LEAST}={least} is played as {played}: one of three replicas is down at each step"
    said = [*configured.notices(), *([fewer] if least != played else [])]
    return [f"{configured.path.name}: {each}" for each in said]
