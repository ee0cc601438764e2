"""The user's program in a container, as a participant of plays on either backend."""

from __future__ import annotations

import io
import os
import re
import signal
import subprocess
import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import docker
import pytest
from tests.cluster.applications import PROGRAMS, end_of, played
from tests.docker.test_leftovers import ours
from tests.pytest_runs import to_be_killed

from highwater.compose.container import Container
from highwater.compose.images import base_image, ensure_image
from highwater.harness.clients.application import Application
from highwater.harness.clients.starting import Start, variables_of
from highwater.harness.errors import PreconditionError, UsageError
from highwater.harness.jvm.java import find_java
from highwater.harness.jvm.runtime import runtime
from highwater.harness.versions.catalogue import find_kafka
from highwater.harness.wait import wait_until

BILLING = "highwater-test/billing:1"

SUITE = """
from highwater.compose.container import Container
from highwater.harness.clients.terms import Terms


def test_a_container_is_killed_in_the_middle_of_what_it_was_handed(play):
    orders, bills = play.topic("orders"), play.topic("bills")
    line = ["java", "-Xmx256m", "-cp", "/billing:/highwater/libs/*", "Billing"]
    image = Container({image!r}, [*line, orders.name, bills.name, "within"])
    billing = play.application(image, env={{"LANG": "C.UTF-8"}}, name="billing")
    one_bill = Terms(group="billing", identity="header:order", keeps=("key",))
    contract = billing.contract(orders, bills, one_bill)
    with billing:
        billing.await_said("reads", 120)
        with play.load(orders, rate_per_s=20) as load:
            contract.await_committed(20)
            billing.kill()
            billing.start()
            load.await_acked(20)
            with billing.paused():
                load.await_acked(20)
            billing.restart()
        contract.await_caught_up(240)
"""

STAYS = """
from highwater.compose.container import Container


def test_a_container_stays(play):
    with play.application(Container({image!r}, ["sh", "-c", "echo ready; sleep 600"])) as app:
        app.await_said("ready")
        app.await_end(500)
"""

Made = Callable[..., Application]
Told = list[tuple[str, str]]


@pytest.fixture
def told() -> Told:
    return []


@pytest.fixture
def made(client: docker.DockerClient, tmp_path: Path, told: Told) -> Made:
    """Applications that are a script in the base image."""

    def make(script: str, **env: str) -> Application:
        container = Container(base_image(client), ["sh", "-c", script])
        housing = container.housing("app", variables_of(env, "127.0.0.1:1"), "127.0.0.1:1")
        start = Start(housing, tmp_path / "logs" / "app.log")
        nothing: Any = None  # no contract is asked for
        return Application("app", start, lambda _, *what: told.append(what), nothing)

    return make


@pytest.fixture(scope="session")
def billing(client: docker.DockerClient, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """An image of a service in Java, which has been compiled beforehand."""
    kafka = runtime(find_kafka("4.1.1"))
    classes, jars = tmp_path_factory.mktemp("billing"), ":".join(map(str, kafka.jars))
    javac = Path(find_java().path).with_name("javac")
    line = ["-cp", jars, "-d", str(classes), str(PROGRAMS / "Billing.java")]
    subprocess.run([str(javac), "--release", "17", *line], check=True)
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as tar:
        tar.add(classes, arcname="billing")
        content = f"FROM {ensure_image(kafka.kafka, kafka.jars).name}\nCOPY billing /billing\n"
        member = tarfile.TarInfo("Dockerfile")
        member.size = len(content)
        tar.addfile(member, io.BytesIO(content.encode()))
    packed.seek(0)
    client.images.build(fileobj=packed, custom_context=True, tag=BILLING, rm=True)
    yield BILLING
    client.images.remove(BILLING, force=True)


def test_what_it_prints_is_kept_and_told(made: Made, told: Told) -> None:
    script = "echo $COLOUR at $BOOTSTRAP or {bootstrap} >&2; printf 'oh\\nend'; exec sleep 600"
    with made(script, COLOUR="red") as app:
        app.await_said("oh")
        app.await_said("red at 127.0.0.1:1 or 127.0.0.1:1")  # streams have no order between them

        app.kill()
        assert app.lines[-1] == "end"
    assert [what for what, _ in told if what != "said"] == ["started", "killed"]


@pytest.mark.on_demand(together="tests/docker/test_applications.py[killed]")
def test_one_that_is_killed_goes_on_with_what_it_has_written(made: Made) -> None:
    with made("echo again >> /lives; wc -l /lives; exec sleep 600") as app:
        app.await_said("1 /lives")
        first = app.pid
        app.kill()
        assert not app.is_running
        app.start()
        app.await_said("2 /lives")
        assert app.pid != first
        assert app.lines == ["1 /lives", "2 /lives"]


def test_one_that_is_paused_does_nothing_and_may_be_killed(made: Made, told: Told) -> None:
    with made("trap 'echo heard' USR1; echo ready; while :; do sleep 0.1; done") as app:
        app.await_said("ready")
        with app.paused():
            os.kill(app.pid, signal.SIGUSR1)
            assert "heard" not in app.lines
        app.await_said("heard")
        with app.paused():
            app.kill()
        assert not app.is_running
    happened = [what for what, _ in told if what != "said"]
    assert happened == ["started", "paused", "resumed", "paused", "killed"]


def test_a_restart_is_in_order_and_its_end_is_too(made: Made) -> None:
    with made("trap 'echo bye; exit 3' TERM; echo ready; while :; do sleep 0.1; done") as app:
        app.await_said("ready")
        app.restart()
        wait_until(lambda: app.lines.count("ready") == 2, "it to begin again")
    assert app.lines == ["ready", "bye", "ready", "bye"]


def test_one_that_ends_by_itself_says_why_or_is_waited_for(made: Made) -> None:
    with (
        pytest.raises(PreconditionError, match=r"exit code 7.*\n.*no broker likes me"),
        made("echo no broker likes me; exit 7") as app,
    ):
        app.await_said("ready")
    with made("echo done; exit 3") as app:
        assert app.await_end() == 3
        assert app.is_well()


def test_what_cannot_be_started_is_refused_in_words(client: docker.DockerClient) -> None:
    base = base_image(client)

    for wrong, why in (
        (Container("highwater-test/nobody:1"), r"here or can be pulled, saw 'highwater-test/no"),
        (Container(""), "expected the name of an image"),
        (Container(base, []), "expected the words of a command"),
        (
            Container(base, ["ls"], volumes={"rel/there": "/here"}),
            "absolute paths.*saw 'rel/there'",
        ),
    ):
        with pytest.raises(UsageError, match=why):
            wrong.housing("app", {}, "")
    for wrong, why in (
        (Container(base), "app, a container of .* cannot be made: .*ommand"),
        (Container(base, ["no-such-thing"]), 'cannot be started: .*"no-such-thing"'),
    ):
        housing = wrong.housing("app", {}, "")
        with pytest.raises(UsageError, match=why), housing() as begin:
            begin()


@pytest.mark.on_demand
@pytest.mark.parametrize("backend", ["process", "docker"])
def test_a_service_in_a_container_is_held_to_its_contract(
    backend: str, billing: str, tmp_path: Path
) -> None:
    suite = SUITE.format(image=billing)

    (test,) = played(tmp_path, "4.1.1", suite, f"--kafka-backend={backend}")

    assert end_of(test) == ("passed", {}), test
    record = test["record"]
    own = [each for each in record.events() if each.get("client") == "billing"]
    assert [each["event"] for each in own if each["kind"] == "client"] == [
        "started", "killed", "started", "paused", "resumed",
        "stopping", "ended", "started", "stopping", "ended",
    ]  # fmt: skip
    said = [each["text"] for each in own if each["kind"] == "said"]
    log = (record.path / "client-logs" / "billing.log").read_text()
    assert log.splitlines()[: len(said)] == said
    assert any(re.match("reads ", line) for line in said)
    rows = record.table("contracts").to_pylist()
    assert len([row for row in rows if row["tells"] == "input"]) >= 60


@pytest.mark.on_demand
def test_nothing_of_it_outlives_a_harness_that_is_killed(
    client: docker.DockerClient, tmp_path: Path
) -> None:
    before, suite = ours(client), tmp_path / "test_suite.py"
    suite.write_text(STAYS.format(image=base_image(client)))

    with to_be_killed(suite, tmp_path / "report", "4.1.1") as running:
        wait_until(lambda: ours(client) - before, "the container", 120)
        os.kill(running.pid, signal.SIGKILL)

    wait_until(lambda: ours(client) <= before, "the container to be gone", 60)
