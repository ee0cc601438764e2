"""`list`: the catalogue of scenarios, faults, checkers, versions and clients."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence

from rich.box import SIMPLE_HEAD
from rich.table import Table

from highwater import console
from highwater.backends import DOCKER, PROCESS
from highwater.checkers.catalogue import claims
from highwater.harness.errors import UsageError
from highwater.harness.fitting import fact_of
from highwater.harness.foreign.environments import is_built, lacking
from highwater.harness.foreign.languages import KNOWN, Known
from highwater.harness.foreign.programs import JAVA, OURS
from highwater.harness.model import Scenario
from highwater.harness.versions.catalogue import every_kafka
from highwater.reach import fault_classes, needs_of
from highwater.scenarios.catalogue import scenarios

Row = Mapping[str, str]
Rows = Sequence[Row]


def show(what: str, *, as_json: bool) -> None:
    """Print one part of the catalogue; raises UsageError for a part that does not exist."""
    parts: dict[str, Callable[[], Rows]] = {
        "scenarios": scenario_rows,
        "faults": fault_rows,
        "checkers": checker_rows,
        "versions": version_rows,
        "clients": client_rows,
    }
    if what not in parts:
        raise UsageError(f"cannot list {what!r}; expected one of {', '.join(parts)}")
    rows = parts[what]()
    if as_json:
        console.print_json(rows)
        return
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for name in rows[0]:
        table.add_column(name, overflow="fold", no_wrap=name == "name")
    for row in rows:
        table.add_row(*row.values())
    console.out.print(table)


def scenario_rows() -> Rows:
    return [
        {
            "name": each.name,
            "title": each.story.splitlines()[0],
            "fails on": _fails_on(each),
            "brought back by": ", ".join(each.restored_by),
            "without a fault": each.calm,
            "source": each.source,
        }
        for each in scenarios()
    ]


def _fails_on(scenario: Scenario) -> str:
    excepted = f", not on {scenario.not_reproducible_on}" if scenario.not_reproducible_on else ""
    return f"{scenario.reproduces or 'none'}{excepted}"


def fault_rows() -> Rows:
    return [
        {
            "name": each.__name__,
            "what goes wrong": (inspect.getdoc(inspect.getmodule(each)) or "").splitlines()[0],
            "backends": _backends(each),
            "needs": ", ".join(needs_of(each)),
            "only where this is so": fact_of(each),
        }
        for each in fault_classes()
    ]


def _backends(fault: object) -> str:
    """Where it works, and why not where it does not."""
    missing: Mapping[str, str] = getattr(fault, "not_on", {})
    works = ", ".join(each for each in (PROCESS, DOCKER) if each not in missing)
    return "; ".join([works, *(f"not {name}: {reason}" for name, reason in missing.items())])


def checker_rows() -> Rows:
    return [{"name": each.name, "claim": each.title} for each in claims()]


def version_rows() -> Rows:
    return [
        {
            "name": kafka.name,
            "metadata": kafka.mode,
            "built": str(kafka.row.built),
            "on the ladder": "yes" if kafka.row.ladder else "",
            "added to its jars": ", ".join(kafka.row.add),
            "replaced": ", ".join(f"{name} {to}" for name, to in kafka.row.replace.items()),
        }
        for kafka in every_kafka()
    ]


def client_rows() -> Rows:
    """What `client=` of a load may be, and whether this machine can start it."""
    rows = [
        {"name": OURS, "library": "confluent-kafka", "language": "Python", "here": "part of us"},
        {
            "name": JAVA,
            "library": "kafka-clients",
            "language": "Java",
            "here": "built for each release when it is first used",
        },
    ]
    for known in KNOWN.values():
        told = {"name": known.name, "library": known.package, "language": known.language.name}
        rows.append({**told, "here": _here(known)})
    return rows


def _here(known: Known) -> str:
    lacks = lacking(known)
    if lacks:
        return f"lacks {', '.join(lacks)}"
    return "built" if is_built(known) else "built when it is first used"
