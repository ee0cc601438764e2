"""Somebody else's cluster, and the commands by which its owner takes brokers down."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from highwater.harness.kafka_cluster import KafkaCluster


@contextmanager
def operating(cluster: KafkaCluster, does: Sequence[str]) -> Generator[tuple[list[str], list[str]]]:
    """Options of pytest, as for ssh and systemctl; and what was asked of the operator so far."""
    nodes, asked = cluster.nodes, []

    class Operator(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            _, what, broker = self.path.split("/")
            asked.append(f"{what} {broker}")
            getattr(nodes, what)(int(broker))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_args: object) -> None: ...

    with ThreadingHTTPServer(("127.0.0.1", 0), Operator) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        there = f"http://127.0.0.1:{server.server_address[1]}"
        call = f'import urllib.request as u; u.urlopen("{there}/DO/{{broker}}")'
        line = f"{sys.executable} -c '{call}'"
        yield [f"--kafka-{each}={line.replace('DO', each)}" for each in does], asked
        server.shutdown()


def play_there(
    at: str, folder: Path, suite: str, *more: str, kafka: str | None = "4.1.1"
) -> subprocess.CompletedProcess[str]:
    """A suite of pytest on the brokers at this address; its report is in r.

    `at` may be a project of docker compose, of which no `kafka` needs to be said.
    """
    (folder / "test_suite.py").write_text(suite, encoding="utf-8")
    named = ["--kafka", kafka] if kafka else []
    given = [*named, "--kafka-attach", at, "--highwater-report=r", *more]
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *given],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=540,
    )


def results_of(folder: Path, done: subprocess.CompletedProcess[str]) -> Any:
    """The tests of its suite.json."""
    report = folder / "r" / "suite.json"
    assert report.exists(), done.stdout + done.stderr
    return json.loads(report.read_text())["tests"]
