"""Runs the parts named, or all, and prints one JSON object; nothing is asserted.

`--short` measures once, the smallest, on few Kafkas: to see that everything still works.

The machine may be noisy: what is to be compared is measured in turn within one run, and the
medians and their ratio are what to quote.
"""

from __future__ import annotations

import json
import os
import platform
import sys
import tempfile
from functools import partial
from pathlib import Path

from tests.bench.acks import acks_matrix
from tests.bench.containers import containers
from tests.bench.effort import FULL, SHORT, or_failed
from tests.bench.failover import failover
from tests.bench.foreign_loads import foreign_loads, protocol_alone
from tests.bench.loads import load_throughput
from tests.bench.partitioners import partitioners
from tests.bench.recorded_loads import recorded_loads
from tests.bench.startup import startup
from tests.bench.throughput import gate_throughput, recorded_throughput
from tests.bench.trials import trial_seconds
from tests.bench.wide_topics import wide_topics

PARTS = {
    "recorded_throughput": recorded_throughput,
    "gate_throughput": gate_throughput,
    "load_throughput": load_throughput,
    "recorded_loads": recorded_loads,
    "protocol_alone": protocol_alone,
    "foreign_loads": foreign_loads,
    "wide_topics": wide_topics,
    "trial_seconds": trial_seconds,
    "startup": startup,
    "containers": containers,
    "acks_matrix": acks_matrix,
    "failover": failover,
    "partitioners": partitioners,
}


def main() -> None:
    words = sys.argv[1:]
    effort = SHORT if "--short" in words else FULL
    wanted = [word for word in words if word != "--short"] or list(PARTS)
    unknown = sorted(set(wanted) - set(PARTS))
    if unknown:
        sys.exit(f"no part {', '.join(unknown)}; there are {', '.join(PARTS)}")
    results: dict[str, object] = {
        "machine": {
            "cores": len(os.sched_getaffinity(0)),
            "python": platform.python_version(),
            "load_before": round(os.getloadavg()[0], 2),
        }
    }
    for part in wanted:
        with tempfile.TemporaryDirectory() as folder:
            measure = partial(PARTS[part], Path(folder), effort)
            results[part] = or_failed(part, measure)
        print(f"{part}: {json.dumps(results[part])}", file=sys.stderr)
    print(json.dumps(results, indent=2))


if __name__ == "__main__":
    main()
