"""What docs/results.md tells of benchmarks."""

from __future__ import annotations

import statistics
from collections.abc import Mapping
from typing import Any

from highwater.reports.wording import counted

FAILED = "failed"  # in place of a figure; why stands in results/bench.json


def bench_section(measured: Mapping[str, Any]) -> str:
    """What the last `make bench` measured; ratios are within that one run."""
    lines = [
        "## Benchmarks",
        "",
        "Medians of `make bench` (idle memory: the largest); all: `results/bench.json`.",
        "",
    ]
    lines += ["| Kafka | three brokers ready, plain | bare | whole cluster | without archive |"]
    lines[-1] += " bare to plain | idle MiB per broker | kip101-loss-no-crash, s/trial |"
    lines += ["|---" * 8 + "|"]
    trials = _by_kafka(measured, "trial_seconds")
    for name, one in _by_kafka(measured, "startup").items():
        trial = trials.get(name, {}).get("median", FAILED)
        figures = _startup_figures(one)
        lines += [f"| {' | '.join([name, *figures])} | {trial} |"]
    gate = measured["gate_throughput"].get("gated_to_direct", FAILED)
    recorded = measured["recorded_throughput"].get("recorded_to_bare", FAILED)
    lines += [
        "",
        "Plain is a careful script's start with the same settings and archive, without gate or",
        "recording; bare is ours without the gate and the controller's own broker.",
        "",
        f"- acks=all throughput through the gate, against past it: {gate}",
        f"- recorded workload against a bare producer loop: {recorded}",
    ]
    lines += _recorded_figures(measured.get("recorded_loads", {}))
    lines += _load_figures(measured.get("load_throughput", {}))
    lines += _alone_figures(measured.get("protocol_alone", {}))
    lines += _foreign_figures(measured.get("foreign_loads", {}))
    lines += _wide_figures(measured.get("wide_topics", {}))
    for name, one in _by_kafka(measured, "containers").items():
        built, ready = (
            one.get(key, FAILED) for key in ("image_build_s", "four_containers_ready_s")
        )
        lines += [f"- Kafka {name} in containers: image built from cached jars in {built} s,"]
        lines += [f"  four containers ready in {ready} s"]
    return "\n".join(lines) + "\n"


def _recorded_figures(one: Mapping[str, Any]) -> list[str]:
    """Of clients that record against the same that do not, where they were measured."""
    if "records_per_s" not in one:
        return []
    sent, handed = (one[f"{what}_recorded_to_unrecorded"] for what in ("sent", "handed"))
    return [
        "- the same load and group of three, recorded against unrecorded: of records a second,",
        f"  {sent} acknowledged, and {handed} handed out",
    ]


def _load_figures(one: Mapping[str, Any]) -> list[str]:
    """Of a load, where it was measured."""
    if "records_per_s" not in one:
        return []
    sent, handed = (
        min(each[what] for each in one["records_per_s"].values()) for what in ("sent", "handed")
    )
    peak = one["harness_peak_mib"]
    return [
        "- one load (acks=all, idempotent, 100 bytes, six partitions) and a group of three",
        f"  on Kafka {one['kafka']}, through a kill, a pause and a rolling restart:",
        f"  {one['acked']:,} records acknowledged;",
        f"  between the faults at least {sent:,} a second acknowledged, and {handed:,} handed out;",
        f"  {one['loaded_s']} s of load, {one['closing_s']} s to settle, read and collect, and",
        f"  {one['judging_s']} s to judge; at most {peak['loaded']} MiB of the harness's own",
        f"  memory under load, and {peak['closed']} MiB at its end",
    ]


def _alone_figures(measured: Mapping[str, Any]) -> list[str]:
    """Of an adapter that answers at once, where it was measured."""
    if "failed" in measured:
        return []
    return [
        f"- the protocol for adapters alone, in {way}: {_rate_and_cost(one)}"
        for way, one in measured.items()
    ]


def _foreign_figures(measured: Mapping[str, Any]) -> list[str]:
    """Of loads of other libraries, where they were measured."""
    return [
        f"- a load of {name} (acks=all, 100 bytes, idempotent where it can be) on Kafka "
        f"{measured['kafka']}:\n"
        f"  {_rate_and_cost(one)}"
        for name, one in measured.get("clients", {}).items()
        if "failed" not in one
    ]


def _rate_and_cost(one: Mapping[str, Any]) -> str:
    cost = (f"{us} us of its {name}" for name, us in one["cpu_us_per_record"].items())
    return f"{round(statistics.median(one['records_per_s'])):,} records a second, {', '.join(cost)}"


def _wide_figures(measured: Mapping[str, Any]) -> list[str]:
    """Of topics of several widths, where they were measured."""
    lines = []
    for partitions, one in measured.items():
        if "created_s" in one:
            many = counted(int(partitions), "partition")
            look = f"{one['look_ms']} ms"
            if "alone_ms" in one:
                look += f"\n  (a broker alone answers for it in {one['alone_ms']} ms)"
            lines += [
                f"- a topic of {many}, three replicas each, all gated:",
                f"  created in {one['created_s']} s, a look at all of it in {look},",
                f"  settled, read and collected in {one['closing_s']} s; meanwhile the memory of",
                f"  the three brokers grew by {one['brokers_grew_mib']} MiB",
            ]
            lines += _of_each(int(partitions), one)
            if "judging_s" in one:
                lines[-1] += ";"
                lines += [
                    f"  judged in {one['judging_s']} s (the first of them with Spark's start);",
                    f"  at most {one['harness_peak_mib']} MiB of the harness's own memory so far",
                ]
    return lines


def _of_each(partitions: int, one: Mapping[str, Any]) -> list[str]:
    """Quotients: what one partition takes of it."""
    created_ms = 1_000 * one["created_s"] / partitions
    look_us = 1_000 * one["look_ms"] / partitions
    grew_kib = 1_024 * one["brokers_grew_mib"] / partitions
    made = f"{created_ms:.1f} ms of its creation"
    return [f"  (of each partition {made}, {look_us:.0f} us of a look, {grew_kib:.0f} KiB)"]


def _by_kafka(measured: Mapping[str, Any], part: str) -> Mapping[str, Any]:
    """Nothing where the whole part has failed."""
    found: Mapping[str, Any] = measured[part]
    return {} if "failed" in found else found


def _startup_figures(one: Mapping[str, Any]) -> list[str]:
    if "failed" in one:
        return [FAILED] * 6
    medians = [f"{statistics.median(taken):.1f} s" for taken in one["seconds"].values()]
    return [*medians, str(one["bare_to_plain"]), str(max(one["idle_mib_per_broker"]))]


def checkers_section(measured: Mapping[str, Any]) -> str:
    """What the last `make bench-checkers` measured."""
    lines = [
        "## Judging long histories",
        "",
        "`make bench-checkers` (100 million: `python -m tests.bench.judging 100000000`): so many",
        "records sent, and as many read; the same files, the same answers of every claim about",
        "clients' histories. Each engine is a process of its own, with its start in all figures;",
        "memory is that of all its processes. DuckDB may have 2 GB, which are not enough for 100",
        "million; pandas takes what it needs.",
        "",
    ]
    lines += ["| records sent | engine | s | CPU s | peak MiB |", "|---|---|---|---|---|"]
    for records, row in measured["engines"].items():
        for engine, one in row.items():
            figures = f"{one['wall_s']} | {one['cpu_s']} | {one['peak_mib']:.0f}"
            lines += [f"| {int(records):,} | {engine} | {figures} |"]
    warm = measured["warm"]
    lines += [
        "",
        f"A run of {warm['records']:,} records sent and as many read, in a process that has judged",
        f"before: {warm['median_s']} s (median; the longest {warm['longest_s']} s).",
    ]
    return "\n".join(lines) + "\n"
