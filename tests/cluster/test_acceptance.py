"""`highwater accept`: what a configuration permits is found, and what changing it does is shown."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

PATIENCE_S = 500
ELR = "eligible.leader.replicas.version"
THREE = "default.replication.factor=3\n"
CAREFUL = THREE + "min.insync.replicas=2\nunclean.leader.election.enable=false\n"
OF_A_REAL_ONE = """
# Of somebody's cluster: hosts, paths and security are of no use here.
node.id=3
process.roles=broker,controller
listeners=SASL_SSL://broker-3.example:9093,CONTROLLER://broker-3.example:9094
log.dirs=/var/lib/kafka
ssl.keystore.location=/etc/kafka/keys.jks
num.io.threads=8
log.retention.hours=168
"""
AWAY, LONE = {"forgotten-while-away"}, {"lone-replica"}
UNCLEAN, ALONE, LAST = (
    {"unclean-election", "all-replicas-down"}, {"isr-of-one"}, {"kip966-last-replica-standing"},
)  # fmt: skip
pytestmark = [pytest.mark.on_demand, pytest.mark.timeout(PATIENCE_S + 60)]


def accepted(directory: Path, text: str, *more: str) -> tuple[int, dict[str, Any]]:
    (directory / "server.properties").write_text(OF_A_REAL_ONE + text)
    words = ["accept", "server.properties", "-k", "4.1.1", "-o", "out", "--json", *more]
    ended = subprocess.run(
        [sys.executable, "-m", "highwater.cli", *words],
        cwd=directory,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert ended.returncode in {0, 1}, ended.stderr
    assert "set aside" in ended.stderr
    told: dict[str, Any] = json.loads(ended.stdout)
    return ended.returncode, told


@pytest.mark.parametrize(
    ("text", "more", "permitted", "change"),
    [
        (
            THREE + "min.insync.replicas=2\nunclean.leader.election.enable=true\n",
            (),
            UNCLEAN,
            "unclean.leader.election.enable=false",
        ),
        (THREE, (), ALONE, "min.insync.replicas=2"),
        ("min.insync.replicas=2\n", (), LONE, "default.replication.factor=3"),
        (
            CAREFUL,
            ("--feature", f"{ELR}=0"),
            LAST,
            f"kafka-features.sh upgrade --feature {ELR}=1",
        ),
        (CAREFUL + "offsets.retention.minutes=1440\n", (), AWAY, "offsets.retention.minutes=10080"),
        (CAREFUL, (), set(), None),
    ],
    ids=["unclean", "alone", "lone", "no-elr", "short", "careful"],
)
def test_what_a_configuration_permits_is_found_and_what_changing_it_does_is_shown(
    tmp_path: Path, text: str, more: tuple[str, ...], permitted: set[str], change: str | None
) -> None:
    code, told = accepted(tmp_path, text, *more)

    rows = {row["scenario"]: row for row in told["questions"]}
    found = {name for name, row in rows.items() if row["answer"] == "permitted"}
    assert {*rows} == UNCLEAN | ALONE | LAST | AWAY | LONE
    assert (code, found) == (int(bool(permitted)), permitted)
    assert {rows[name]["answer"] for name in {*rows} - permitted} <= {"prevented"}
    for name in permitted:
        claim = "handed-again" if name in AWAY else "lost-write"
        assert rows[name]["configured"]["anomalies"][claim] > 0
        assert rows[name]["change"] == change
        assert (rows[name]["helps"], rows[name]["changed"]["anomalies"]) == ("prevented", {})
    page = (tmp_path / "out" / "accept.html").read_text()
    assert [name for name in rows if name not in page] == []
    assert (tmp_path / "out" / "report.html").exists()
