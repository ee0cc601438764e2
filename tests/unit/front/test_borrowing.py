"""Plays on a compose project: what is refused in words, before anything of it is stopped."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest
from tests.pytest_runs import run_pytest

from highwater.backends import ATTACHED, DOCKER, Backend
from highwater.borrowing import OF_OUR_BROKERS, borrowed, unfit
from highwater.compose import attached
from highwater.compose.attached import Project
from highwater.harness.cluster import ClusterSpec
from highwater.harness.errors import InfrastructureError, UsageError
from highwater.harness.versions.catalogue import find_kafka
from highwater.marking import Marked
from highwater.pytest_plugin.choosing import (
    asked_backend,
    chosen_backend,
    kafkas_asked_for,
    mistake_in_borrowing,
    said_of_borrowing,
    too_many_workers,
)
from highwater.pytest_plugin.words import add_options

KRAFT, ZOOKEEPER = find_kafka("4.1.1"), find_kafka("0.11.0.3")
THERE = Backend(DOCKER, project="shop", voters=1, brokers=3)
SHOP, OWNED = ("--kafka-attach", "compose:shop"), "--i-own-this-cluster"
# What is there instead of an engine: a project, and a file that says that somebody has asked.
ENGINE = """
from pathlib import Path

from highwater.compose import attached
from highwater.compose.attached import Project
from highwater.harness.errors import UsageError
from highwater.harness.versions.catalogue import find_kafka


def project_of(project):
    Path("asked").touch()
    if project != "shop":
        raise UsageError(f"no compose project {project!r} has containers; see: docker compose ls")
    return Project(find_kafka("3.9.1"), voters=3, brokers=3, is_ours=False, combined=True)


attached.project_of = project_of
"""
SUITE = "def test_sound(play): ...\n"
COMMAND = """
import pytest


@pytest.fixture(scope="session")
def _suite():
    pass


@pytest.fixture
def play(_kafka_and_trial, _suite):
    pass


def test_that_is_told(play, request):
    from highwater.pytest_plugin.outcomes import command_of
    from highwater.pytest_plugin.workers import grounds_of

    backend = grounds_of(request.config).backend
    print(f"again: {command_of(request.node)}")
    print(f"backend: {backend.name} {backend.project} {backend.voters} {backend.combined}")
    assert False
"""


class _Config:
    """Of pytest, with these options and its own defaults for the others."""

    def __init__(self, *words: str) -> None:
        parser = pytest.Parser(_ispytest=True)
        add_options(parser)
        self.option = parser.parse([*words])
        self.stash = pytest.Stash()

    def getoption(self, name: str) -> Any:
        return getattr(self.option, name.removeprefix("--").replace("-", "_"))


def config(*words: str) -> pytest.Config:
    return cast("pytest.Config", _Config(*words))


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The projects that somebody has asked for."""
    names: list[str] = []

    def project_of(project: str) -> Project:
        names.append(project)
        if project == "shop":
            return Project(find_kafka("3.9.1"), 3, 3, is_ours=False, combined=True)
        if project == "away":
            raise InfrastructureError("Docker does not answer")
        raise UsageError(f"no compose project {project!r} has containers; see: docker compose ls")

    monkeypatch.setattr(attached, "project_of", project_of)
    return names


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "conftest.py").write_text(ENGINE, encoding="utf-8")
    (tmp_path / "test_it.py").write_text(SUITE, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (SHOP, "say that this may be done to them: --i-own-this-cluster"),
        ((*SHOP, OWNED, "--kafka-backend=docker"), "leave --kafka-backend out"),
        ((*SHOP, OWNED, "--kafka-kill=x", "--kafka-start=x"), "leave --kafka-kill out"),
        ((*SHOP, OWNED, "--kafka-attach-config=x"), "leave --kafka-attach-config out"),
        (("--kafka-attach=compose:", OWNED), "its name is missing; see: docker compose ls"),
    ],
    ids=["not theirs", "a backend", "a hook", "properties", "no name"],
)
def test_what_cannot_be_borrowed_so_is_refused_and_nobody_is_asked(
    options: tuple[str, ...], said: str, asked: list[str]
) -> None:
    mistake = mistake_in_borrowing(config(*options))

    assert mistake.startswith("--kafka-attach compose:")
    assert said in mistake
    assert not asked


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ((*SHOP, "--kafka=4.1.1"), "shop: it runs Kafka 3.9.1, saw --kafka 4.1.1; leave --kafka"),
        ((*SHOP, "--kafka=3.9.1-zk"), "shop: it runs Kafka 3.9.1, saw --kafka 3.9.1-zk"),
        ((*SHOP, "--kafka=3.9.1", "--kafka=all-flips"), "saw --kafka all-flips; leave"),
        ((*SHOP, "--kafka=none"), "it runs Kafka 3.9.1, saw --kafka none"),
        (("--kafka-attach=compose:nobody",), "nobody: no compose project 'nobody' has"),
        (("--kafka-attach=compose:away",), "away: Docker does not answer"),
    ],
    ids=["another Kafka", "another mode", "several", "no Kafka", "nobody", "no engine"],
)
def test_what_the_project_does_not_run_is_refused_in_words(
    options: tuple[str, ...], said: str, asked: list[str]
) -> None:
    told = config(*options, OWNED)

    assert mistake_in_borrowing(told).startswith("--kafka-attach compose:")
    assert said in mistake_in_borrowing(told)
    assert said_of_borrowing(told) == ()
    assert len(asked) == 1
    assert len(kafkas_asked_for(told)) == 1, "tests are collected all the same, to be refused"


@pytest.mark.parametrize("kafka", [(), ("--kafka=3.9.1",), ("--kafka=3.9.1-kraft",)])
def test_the_kafka_of_the_project_may_be_left_out_or_has_to_be_its_own(
    kafka: tuple[str, ...], asked: list[str]
) -> None:
    told = config(*SHOP, OWNED, *kafka)

    assert mistake_in_borrowing(told) == ""
    assert kafkas_asked_for(told) == ["3.9.1"]
    assert asked_backend(told) == Backend(
        DOCKER, project="shop", voters=3, brokers=3, combined=True
    )
    assert said_of_borrowing(told)[0].startswith("the controllers of shop are brokers: while two")
    assert asked == ["shop"]


def test_what_is_no_project_is_an_address(asked: list[str]) -> None:
    told = config("--kafka-attach", "composed:9092", "--kafka", "4.1.1")

    assert chosen_backend(told) == Backend(ATTACHED, bootstrap="composed:9092")
    assert (mistake_in_borrowing(told), kafkas_asked_for(told)) == ("", ["4.1.1"])
    assert not asked


def test_several_workers_cannot_have_one_cluster() -> None:
    said = "compose:shop: 2 workers of pytest-xdist cannot borrow one cluster at a time; leave -n"

    assert said in too_many_workers(config(*SHOP), 2)
    assert too_many_workers(config(*SHOP), 1) == too_many_workers(config(), 2) == ""


def test_workers_are_refused_before_the_first_one_starts(folder: Path) -> None:
    done = run_pytest(folder, *SHOP, OWNED, "-n", "2")

    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert "cannot borrow one cluster at a time; leave -n out, or say -n 1" in done.stderr
    assert "gw0" not in done.stdout
    assert "Traceback" not in done.stdout + done.stderr
    assert not (folder / "asked").exists()


def test_one_worker_may_have_it_and_says_what_is_wrong(folder: Path) -> None:
    done = run_pytest(folder, *SHOP, OWNED, "-n", "1", "--kafka", "4.1.1")

    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert "it runs Kafka 3.9.1, saw --kafka 4.1.1" in done.stdout
    assert "INTERNALERROR" not in done.stdout + done.stderr


def test_what_the_project_cannot_give_is_refused_with_the_name_of_the_test(folder: Path) -> None:
    marked = "import pytest\n\n\n@pytest.mark.highwater(two_log_dirs=True)\ndef test_x(play): ...\n"
    (folder / "test_it.py").write_text(marked, encoding="utf-8")

    done = run_pytest(folder, *SHOP, OWNED)

    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert (
        "test_it.py::test_x[3.9.1]: it needs brokers with two_log_dirs, and those of shop have "
        "none of that"
    ) in done.stderr


def test_without_chaos_tests_nobody_is_asked(folder: Path) -> None:
    (folder / "test_it.py").write_text("def test_of_something_else(): ...\n", encoding="utf-8")

    assert run_pytest(folder, *SHOP, OWNED).returncode == 0
    assert not (folder / "asked").exists()


def test_a_test_knows_the_command_that_repeats_it_and_what_is_there(folder: Path) -> None:
    (folder / "test_it.py").write_text(COMMAND, encoding="utf-8")

    told = run_pytest(folder, *SHOP, OWNED).stdout.splitlines()

    test = "'test_it.py::test_that_is_told[3.9.1]'"
    assert f"again: pytest {test} --kafka 3.9.1 --kafka-attach compose:shop {OWNED}" in told
    assert "backend: docker shop 3 True" in told
    before = "highwater: the controllers of shop are brokers: while two of the three"
    assert [line for line in told if line.startswith(before)]


@pytest.mark.parametrize("name", OF_OUR_BROKERS)
def test_brokers_of_somebody_else_were_not_started_so(name: str) -> None:
    said: dict[str, Any] = {"heap_mib": 512}
    marked = Marked(**{name: said.get(name, True)})

    why = f"needs brokers with {name}, and those of shop have none of that"
    assert unfit(marked.spec, THERE) == why
    assert marked.misfit(KRAFT, THERE, []) == f"it {why}"


def test_there_are_as_many_as_there_are() -> None:
    combined = Backend(DOCKER, project="shop", voters=3, brokers=3, combined=True)

    assert unfit(ClusterSpec(brokers=4), THERE) == "needs 4 brokers, shop has 3"
    assert unfit(ClusterSpec(voters=3), THERE) == "needs 3 voters, shop has 1"
    assert unfit(ClusterSpec(combined=True), THERE).startswith("needs voters that are brokers")
    assert unfit(ClusterSpec(voters=3, combined=True), combined) == ""
    assert unfit(ClusterSpec(gated_clients=True, settings={"a": "b"}), THERE) == ""


def test_a_cluster_that_is_borrowed_has_what_it_has() -> None:
    combined = Backend(DOCKER, project="shop", voters=3, brokers=3, combined=True)
    spec = Marked(settings={"num.io.threads": "2"}).spec

    assert Backend().fitted(spec) == spec
    assert combined.fitted(spec) == ClusterSpec(
        voters=3, combined=True, settings=spec.settings, quiet_replication_links=False
    )


@pytest.mark.parametrize(
    ("project", "apart"),
    [
        (Project(ZOOKEEPER, 1, 3), True),
        (Project(ZOOKEEPER, 1, 3, is_ours=False, nodes=4), False),
        (Project(KRAFT, 1, 3), False),
    ],
    ids=["of ours", "a foreign one", "KRaft"],
)
def test_the_broker_that_is_the_controller_plays_where_there_is_one(
    project: Project, apart: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(attached, "project_of", lambda _project: project)

    there = borrowed("--attach", "shop", owned=True)

    assert there.backend.fitted(Marked().spec).quiet_replication_links is apart


def test_who_leads_and_who_plays_as_two_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    project = Project(KRAFT, 1, 3, is_ours=False, nodes=3, divided=(1,))
    monkeypatch.setattr(attached, "project_of", lambda _project: project)

    there = borrowed("--attach", "shop", owned=True)

    said = "broker 1 of shop is a controller as well: in the play it is two nodes"
    assert there.said == (said,)
