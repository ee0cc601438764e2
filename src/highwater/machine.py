"""`doctor` and `clean`: what this machine can run, and what crashed runs left on it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from highwater import console
from highwater.harness.errors import HighwaterError, InfrastructureError
from highwater.harness.foreign.environments import is_built, lacking
from highwater.harness.foreign.languages import KNOWN, LANGUAGES, Language
from highwater.harness.jvm.java import find_java
from highwater.harness.leases import sweep
from highwater.harness.versions.cache import cache_dir
from highwater.harness.versions.catalogue import every_kafka
from highwater.harness.versions.jars import is_cached, locked_jars
from highwater.room import CLUSTER_MIB, available_mib

DISK_MIB = 2048


def doctor(*, as_json: bool) -> int:
    """Look at everything once; 3 when something that every run needs is missing.

    Docker is not such a thing: without it everything runs on processes.
    """
    from highwater.compose.examination import LOOKS as DOCKER_LOOKS  # noqa: PLC0415 - a client

    needed = [_look(name, look) for name, look in LOOKS.items()]
    optional = [_look(name, look) for name, look in DOCKER_LOOKS.items()]
    clients = [_look(f"clients of {each.name}", partial(_clients, each)) for each in LANGUAGES]
    if as_json:
        more = [*optional, *clients]
        console.print_json([*needed, *({**each, "optional": True} for each in more)])
    else:
        _show(needed, "[red]missing[/]")
        _show(optional, "[yellow]lacking[/]")
        if not all(each["ok"] for each in optional):
            console.out.print("What is lacking is for --backend docker; processes need none of it.")
        _show(clients, "[yellow]lacking[/]")
    return 0 if all(finding["ok"] for finding in needed) else 3


def _show(findings: Sequence[Mapping[str, str | bool]], otherwise: str) -> None:
    for finding in findings:
        mark = "[green]ok     [/]" if finding["ok"] else otherwise
        console.out.print(f"{mark} {finding['what']}: {finding['seen']}", soft_wrap=True)


def clean(*, cache: bool, as_json: bool) -> None:
    """Remove the workshops and containers of the dead, and the cache when asked."""
    from highwater.compose.examination import sweep_engine  # noqa: PLC0415 - a client

    removed = [*map(str, sweep()), *sweep_engine()]
    if cache:
        shutil.rmtree(cache_dir(), ignore_errors=True)
        removed.append(str(cache_dir()))
    if as_json:
        console.print_json({"removed": removed})
        return
    for what in removed:
        console.out.print(f"removed {what}", soft_wrap=True)


def _look(name: str, look: Callable[[], str]) -> dict[str, str | bool]:
    try:
        return {"what": name, "ok": True, "seen": look()}
    except HighwaterError as error:
        return {"what": name, "ok": False, "seen": str(error)}


def _java() -> str:
    java = find_java()
    return f"{java.description} ({java.path})"


def _cores() -> str:
    return f"{len(os.sched_getaffinity(0))} cores"


def _memory() -> str:
    mib = available_mib()
    if mib < CLUSTER_MIB:
        raise InfrastructureError(f"{mib} MiB available; expected {CLUSTER_MIB} or more")
    return f"{mib} MiB available"


def _disk() -> str:
    place = cache_dir()
    place.mkdir(parents=True, exist_ok=True)
    mib = shutil.disk_usage(place).free // 2**20
    if mib < DISK_MIB:
        raise InfrastructureError(f"{mib} MiB free at {place}; expected {DISK_MIB} or more")
    return f"{mib} MiB free at {place}"


def _cached() -> str:
    kafkas = {kafka.version for kafka in every_kafka()}
    here = sorted(
        version for version in kafkas if all(is_cached(jar) for jar in locked_jars(version))
    )
    return f"{len(here)} of {len(kafkas)} cached: {', '.join(here) or 'none'}"


def _clients(language: Language) -> str:
    """Of loads with client=; those that have been built need no compiler."""
    ours = [known for known in KNOWN.values() if known.language is language]
    lacks = {tool for known in ours for tool in lacking(known)}
    names = ", ".join(f"{known.name}{' (built)' * is_built(known)}" for known in ours)
    if lacks:
        tools = ", ".join(sorted(lacks))
        raise InfrastructureError(f"no program {tools} on the PATH, for {names}")
    return names


LOOKS: dict[str, Callable[[], str]] = {
    "Java": _java,
    "cores": _cores,
    "memory": _memory,
    "disk": _disk,
    "Kafka jars": _cached,
}
