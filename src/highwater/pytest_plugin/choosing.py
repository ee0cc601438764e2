"""What the options of pytest choose: Kafkas, and where their brokers run.

A compose project is asked what it runs, once, where there is a chaos test to be played on it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

import pytest

from highwater.backends import ATTACHED, DOCKER, PROCESS, Backend
from highwater.borrowing import OF_COMPOSE, Borrowed, borrowed, project_in
from highwater.harness.errors import HighwaterError, UsageError, in_words
from highwater.harness.versions.catalogue import Kafka, find_kafka
from highwater.pytest_plugin.words import ALL_FLIPS, DEFAULT_KAFKA, HOOKS, OF_ATTACHED, OWNED

ATTACH = "--kafka-attach"


@dataclass(frozen=True, slots=True)
class Answer:
    """What a project runs, or why nobody can play there."""

    there: Borrowed | None
    mistake: str = ""


ANSWER: pytest.StashKey[Answer] = pytest.StashKey()


def chosen_project(config: pytest.Config) -> str | None:
    """Of docker compose, where tests are to be played on one."""
    return project_in(config.getoption(ATTACH) or "")


def chosen_backend(config: pytest.Config) -> Backend:
    """Where the options have tests played; nobody is asked."""
    project = chosen_project(config)
    if project is not None:
        return Backend(DOCKER, project=project)
    bootstrap = config.getoption(ATTACH)
    if bootstrap is not None:
        from highwater.harness.hooks import Hooks  # noqa: PLC0415 - for those who attach a cluster

        told = {each: config.getoption(f"--kafka-{each}") or "" for each in HOOKS}
        return Backend(
            ATTACHED,
            bootstrap=bootstrap,
            security=config.getoption("--kafka-attach-config"),
            hooks=Hooks(**told) if any(told.values()) else None,
        )
    return Backend(config.getoption("--kafka-backend"))


def asked_backend(config: pytest.Config) -> Backend:
    """The same; a project that can be borrowed has said what it is."""
    there = _answer(config).there
    return there.backend if there else chosen_backend(config)


def kafkas_asked_for(config: pytest.Config) -> list[str]:
    """As they were named; the flips of the ladder by their releases; of a project its own."""
    if chosen_project(config) is not None:
        there = _answer(config).there
        return [there.kafka.name if there else DEFAULT_KAFKA]
    named: list[str] = config.getoption("--kafka")
    if ALL_FLIPS in named:
        from highwater.ladder import around_all_flips  # noqa: PLC0415 - loads the scenarios

        flips = [kafka.name for kafka in around_all_flips()]
        named = [each for name in named for each in (flips if name == ALL_FLIPS else [name])]
    return list(dict.fromkeys(named)) or [DEFAULT_KAFKA]


def mistake_in_borrowing(config: pytest.Config) -> str:
    """Why nobody can play on the project that is named; "" if somebody can, or none is named."""
    return _answer(config).mistake


def said_of_borrowing(config: pytest.Config) -> tuple[str, ...]:
    """What whoever plays on the project has to know."""
    there = _answer(config).there
    return there.said if there else ()


def said_of_attached(config: pytest.Config) -> Iterator[str]:
    """The options about a cluster that is attached, as they were given."""
    for option in OF_ATTACHED:
        told = config.getoption(option)
        if told:
            yield from (option,) if told is True else (option, str(told))


def too_many_workers(config: pytest.Config, workers: int) -> str:
    """Why so many cannot play on the project that is named; "" if they can, or none is named."""
    project = chosen_project(config)
    if project is None or workers == 1:
        return ""
    return (
        f"{ATTACH} {OF_COMPOSE}{project}: {workers} workers of pytest-xdist cannot borrow one "
        "cluster at a time; leave -n out, or say -n 1"
    )


def _answer(config: pytest.Config) -> Answer:
    """Of the project that is named; an empty one where none is."""
    if ANSWER not in config.stash:
        project = chosen_project(config)
        config.stash[ANSWER] = Answer(None) if project is None else _asked(config, project)
    return config.stash[ANSWER]


def _asked(config: pytest.Config, project: str) -> Answer:
    where = f"{ATTACH} {OF_COMPOSE}{project}"
    if not project:
        return Answer(None, f"{where}PROJECT: its name is missing; see: docker compose ls")
    beside = next((each for each in OF_ATTACHED if each != OWNED and config.getoption(each)), "")
    if beside:
        why = "brokers of a project are reached, and taken down, without a word of yours"
        return Answer(None, f"{where}: {why}; leave {beside} out")
    if config.getoption("--kafka-backend") != PROCESS:
        return Answer(None, f"{where}: its brokers run where they run; leave --kafka-backend out")
    try:
        there = borrowed(ATTACH, project, owned=config.getoption(OWNED))
    except HighwaterError as error:
        said = in_words(error)
        return Answer(None, said if said.startswith(ATTACH) else f"{where}: {said}")
    others = [each for each in config.getoption("--kafka") if not _names(each, there.kafka)]
    if others:
        return Answer(
            None,
            f"{where}: it runs Kafka {there.kafka.name}, saw --kafka {others[0]}; leave --kafka "
            f"out, or say --kafka {there.kafka.name}",
        )
    return Answer(there)


def _names(name: str, kafka: Kafka) -> bool:
    with suppress(UsageError):  # there is none of that name
        return find_kafka(name).name == kafka.name
    return False
