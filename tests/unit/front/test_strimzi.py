"""Hooks for Strimzi, as docs/howto/own-cluster.md has them, against a stand-in of kubectl."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

from highwater.harness.errors import PreconditionError
from highwater.harness.hooks import HookedNodes, Hooks
from highwater.harness.versions.catalogue import find_kafka
from highwater.harness.wait import wait_until

PAGE = Path(__file__).parents[3] / "docs" / "howto" / "own-cluster.md"
BROKER, POD = 2, "orders-broker-2"
KUBECTL = '''
    """Of a namespace: a folder per pod, with the process that is its broker; and its operator."""
    import os, shutil, signal, subprocess, sys
    from pathlib import Path

    HERE = Path(os.environ["STAND_IN"])
    PROC = HERE / "proc"


    def reconcile():
        if (HERE / "operator").read_text() != "0" and not (HERE / "pod").exists():
            broker = subprocess.Popen(["sleep", "60"], start_new_session=True)
            (HERE / "pod").write_text(str(broker.pid))
            (PROC / str(broker.pid)).mkdir(parents=True)
            (PROC / str(broker.pid) / "cmdline").write_text("java -cp libs kafka.Kafka x")


    def delete(pid):
        os.kill(pid, signal.SIGKILL)
        shutil.rmtree(PROC / str(pid))
        (HERE / "pod").unlink()


    reconcile()
    match sys.argv[1:]:
        case ["-n", "kafka", "scale", "deployment/strimzi-cluster-operator", replicas]:
            wanted = replicas.removeprefix("--replicas=")  # who is to end does so by and by
            (HERE / "operator").write_text("ending" if wanted == "0" else wanted)
        case ["-n", "kafka", "wait", "--for=delete", "pod", "-l", _, _]:
            (HERE / "operator").write_text("0")
        case ["-n", "kafka", "delete", "pod", "POD", "--grace-period=0", "--force"]:
            delete(int((HERE / "pod").read_text()))
        case ["-n", "kafka", "get", "pod", "POD"] | ["-n", "kafka", "wait", _, "pod/POD", _]:
            sys.exit(not (HERE / "pod").exists())
        case ["-n", "kafka", "exec", "POD", "--", "sh", "-c", script]:
            subprocess.run(["sh", "-c", script.replace("/proc/", f"{PROC}/")], check=True)
        case other:
            sys.exit(f"unexpected: {other}")
    reconcile()
'''


def broker_of(namespace: Path) -> int:
    return int((namespace / "pod").read_text())


def state_of(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


def answers(namespace: Path) -> bool:
    return (namespace / "pod").exists() and state_of(broker_of(namespace)) in {"S", "R"}


@pytest.fixture
def namespace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    kubectl = tmp_path / "kubectl"
    body = textwrap.dedent(KUBECTL).replace("POD", POD)
    kubectl.write_text(f"#!{sys.executable}\n{body}")
    kubectl.chmod(0o755)
    (tmp_path / "operator").write_text("1")
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("STAND_IN", str(tmp_path))
    subprocess.run(["kubectl", "-n", "kafka", "get", "pod", POD], check=False)  # it makes the pod
    yield tmp_path
    if (tmp_path / "pod").exists():
        os.kill(broker_of(tmp_path), signal.SIGKILL)


@pytest.fixture
def nodes(namespace: Path) -> HookedNodes:
    (text,) = re.findall(r"```sh\n(#!/bin/sh\n# strimzi\.sh .*?)```", PAGE.read_text(), re.DOTALL)
    script = namespace / "strimzi.sh"
    script.write_text(text)
    script.chmod(0o755)
    told = dict(re.findall(r"--kafka-(\w+) '\./strimzi\.sh (\w+ \{broker\})'", PAGE.read_text()))
    hooks = Hooks(**{name: f"{script} {words}" for name, words in told.items()})
    places = {BROKER: ("orders-broker-2.kafka", 9092)}
    return HookedNodes(find_kafka("4.1.1"), hooks, places, lambda _broker: answers(namespace))


def test_a_pod_that_is_killed_stays_away_until_it_is_started(
    nodes: HookedNodes, namespace: Path
) -> None:
    before = broker_of(namespace)

    nodes.kill(BROKER)
    assert not (namespace / "pod").exists()
    nodes.give_back()

    assert broker_of(namespace) != before
    assert (namespace / "operator").read_text() == "1"


def test_a_broker_in_a_pod_is_frozen_and_thawed_and_nobody_restarts_it_meanwhile(
    nodes: HookedNodes, namespace: Path
) -> None:
    nodes.pause(BROKER)
    wait_until(lambda: state_of(broker_of(namespace)) == "T", "it to be stopped", 10)
    assert (namespace / "operator").read_text() == "0"  # it restarts who does not answer

    nodes.resume(BROKER)

    assert answers(namespace)
    assert (namespace / "operator").read_text() == "1"


def test_what_kubectl_refuses_is_told(
    nodes: HookedNodes, namespace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (namespace / "kubectl").write_text("#!/bin/sh\necho 'no such namespace' >&2; exit 1\n")

    with pytest.raises(
        PreconditionError, match=r"--kafka-kill, .* ended with 1: no such namespace"
    ):
        nodes.kill(BROKER)
