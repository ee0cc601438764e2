"""Nodes' own logs: the lines that tell what a broker did to a partition, and the last ones."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

MOST_LINES = 60
LONGEST_LINE = 400
SHOWN_LINES = 15

# Truncation, elections, ISR changes and refusals, in the wording of any release.
TELLING = re.compile(
    r"truncat|high watermark|potential data loss|unclean|shrinking isr|expanding isr|isr updated"
    r"|starts at leader epoch|become-leader|become-follower|log truncation is not allowed"
    r"|partition change for|with state leaderandisr|completed preferred replica|new leader and isr"
    r"|fatal|recovering unflushed|loaded .*log|no truncation needed|diverg|non-monotonic",
    re.IGNORECASE,
)
NOISE = re.compile(r"Error in response for fetch request")  # repeats every partition's state
# As Java prints one: its class, and what it says. What caused it is on a line of its own.
EXCEPTION = re.compile(
    r"^(?:Exception in thread \S+ )?(?:[\w$]+\.)+([\w$]*(?:Exception|Error)): (.+)$", re.MULTILINE
)
STAMP_FORMAT = "%Y-%m-%d %H:%M:%S,%f"
STAMP = re.compile(r"\[(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3})\] ")


@dataclass(frozen=True, slots=True)
class LogLine:
    at_epoch_s: float
    text: str


def telling_lines(log: Path, start_byte: int, topic: str) -> Iterator[LogLine]:
    """Lines about partitions of a topic from `start_byte` on, at most `MOST_LINES`.

    How many more there are is said by one line after them. Nodes log in UTC, as their JVMs
    are told to.
    """
    is_about = re.compile(rf"(?<![\w.-]){re.escape(topic)}-\d+(?![\w-])")
    found = 0
    first_left_out = 0.0
    with log.open(encoding="utf-8", errors="replace") as lines:
        lines.seek(start_byte)
        for line in lines:
            if topic not in line:  # most are not, and the patterns below take their time
                continue
            match = STAMP.match(line)
            if match and is_about.search(line) and TELLING.search(line) and not NOISE.search(line):
                at = datetime.strptime(match.group(1), STAMP_FORMAT).replace(tzinfo=UTC)
                found += 1
                if found <= MOST_LINES:
                    yield LogLine(at.timestamp(), line[match.end() :].strip()[:LONGEST_LINE])
                elif found == MOST_LINES + 1:
                    first_left_out = at.timestamp()
    if found > MOST_LINES:
        more = f"{found - MOST_LINES} more lines about {topic} are left out here"
        yield LogLine(first_left_out, f"{more}: see server.log of the run")


def log_end(log: Path) -> str:
    """The last lines of a node's log, to be shown in an error message."""
    text = log.read_text(errors="replace") if log.exists() else ""
    return "\n".join(f"    {line[:220]}" for line in text.splitlines()[-SHOWN_LINES:])


def how_it_ended(name: str, code: int | None, log: Path) -> str:
    """That a node has ended by itself: the exception that it ended with, and the end of its log.

    What was told before is no reason: a broker goes on after most exceptions.
    """
    text = log.read_text(errors="replace") if log.exists() else ""
    stamps = [match.start() for match in STAMP.finditer(text)]
    told = EXCEPTION.search(text, stamps[-1] if stamps else 0)
    why = f"; its last exception: {told[1]}: {told[2][:LONGEST_LINE]}" if told else ""
    return f"{name} ended by itself (exit code {code}){why}; the end of {log}:\n{log_end(log)}"
