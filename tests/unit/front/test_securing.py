"""The properties of a client say how brokers want to be spoken to; what we cannot do is refused."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from highwater.attaching import attached_cluster
from highwater.backends import ATTACHED, Backend
from highwater.harness import hooks as harness_hooks
from highwater.harness.errors import UsageError
from highwater.harness.hooks import HookedNodes, Hooks
from highwater.harness.probes.security import Security, secured, security_of
from highwater.harness.versions.catalogue import find_kafka
from highwater.harness.wait import wait_until
from highwater.harness.workloads.reaching import handed, reached
from highwater.securing import security_of_file

JAAS = (
    "sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required "
    'username="al\\\\"ice" password="se;cret";\n'
)
SCRAM = Security(
    protocol="SASL_PLAINTEXT", mechanism="SCRAM-SHA-512", username='al"ice', password="se;cret"
)
KAFKA = find_kafka("4.1.1")


def written(directory: Path, text: str) -> Path:
    path = directory / "client.properties"
    path.write_text(text)
    return path


def test_the_words_of_javas_clients_and_of_librdkafka_mean_the_same(tmp_path: Path) -> None:
    java = "security.protocol=SASL_PLAINTEXT\nsasl.mechanism=SCRAM-SHA-512\n" + JAAS
    library = (
        "security.protocol=sasl_plaintext\nsasl.mechanisms=SCRAM-SHA-512\nbatch.size=1\n"
        'sasl.username=al"ice\nsasl.password=se;cret\n'
    )

    assert security_of_file(written(tmp_path, java)) == SCRAM
    assert security_of_file(written(tmp_path, library)) == SCRAM
    assert "secret" not in repr(SCRAM)
    assert "se;cret" not in repr(SCRAM)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("security.protocol=TLS\n", "expected one of"),
        ("security.protocol=SASL_SSL\nsasl.mechanism=GSSAPI\n", "known are PLAIN, SCRAM-SHA-256"),
        ("security.protocol=SASL_SSL\n", "needs sasl.mechanism, a username and a password"),
        ("security.protocol=SSL\nssl.truststore.location=t.jks\n", "keytool -list -rfc"),
        ("security.protocol=SSL\nssl.ca.location=none.pem\n", "expected a PEM file at /.*none.pem"),
        ("security.protocol=SSL\nssl.cipher.suites=x\n", "'ssl.cipher.suites' is not understood"),
    ],
)
def test_what_cannot_be_done_as_it_is_said_is_refused(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        security_of_file(written(tmp_path, text))


def test_who_connects_there_is_told_so_and_nobody_else(tmp_path: Path) -> None:
    there, elsewhere = "h:9093,i:9093", "h:9092"

    with secured([("h", 9093), ("i", 9093)], SCRAM):
        assert reached(there)["sasl.mechanisms"] == "SCRAM-SHA-512"
        assert reached(elsewhere) == {"bootstrap.servers": elsewhere}
        assert Security(**handed(there)["security"]) == SCRAM
        assert handed(elsewhere) == {"bootstrap": elsewhere}
    assert security_of(("h", 9093)) is None


@pytest.mark.parametrize(
    ("hooks", "said"),
    [
        (Hooks(kill="x"), "--kafka-kill and --kafka-start belong together"),
        (Hooks(resume="x"), "--kafka-pause and --kafka-resume belong together"),
        (Hooks(kill="'x", start="y"), "is no command"),
        (Hooks(kill="x", start=" "), "--kafka-start: ' ' is no command"),
        (Hooks(kill="x\0", start="y"), "has a NUL"),
    ],
)
def test_what_takes_a_broker_down_has_something_that_brings_it_back(
    hooks: Hooks, said: str
) -> None:
    with pytest.raises(UsageError, match=said):
        attached_cluster(KAFKA, Backend(ATTACHED, bootstrap="h:1", hooks=hooks))


def hooked(directory: Path, **words: str) -> tuple[HookedNodes, Path]:
    """A broker that is a file: who removes it has killed it."""
    alive = directory / "alive"
    alive.touch()
    told = {name: each.replace("FILE", str(alive)) for name, each in words.items()}
    places = {7: ("h", 9)}
    return HookedNodes(KAFKA, Hooks(**told), places, lambda _broker: alive.exists()), alive


def test_a_broker_is_taken_down_by_a_command_and_given_back(tmp_path: Path) -> None:
    start = "sh -c 'echo {broker} {host}:{port} > FILE'"
    nodes, alive = hooked(tmp_path, kill="rm FILE", start=start)

    nodes.kill(7)
    assert (nodes.running(7), alive.exists()) == (False, False)
    nodes.give_back()

    assert nodes.running(7)
    assert alive.read_text() == "7 h:9\n"


def test_a_broker_is_started_when_it_is_let_in(tmp_path: Path) -> None:
    alive, asked = tmp_path / "alive", []
    told = Hooks(kill=f"rm {alive}", start=f"touch {alive}")

    def let_in(broker: int) -> bool:
        asked.append((broker, alive.exists()))
        return len(asked) > 2

    alive.touch()
    nodes = HookedNodes(KAFKA, told, {7: ("h", 9)}, lambda _broker: alive.exists(), let_in)
    nodes.kill(7)
    nodes.start(7)

    assert asked == [(7, False)] * 3
    assert alive.exists()


def test_a_broker_that_is_not_let_in_for_long_is_started_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(harness_hooks, "MISSED_TIMEOUT_S", 0.1)
    alive = tmp_path / "alive"
    told = Hooks(kill=f"rm {alive}", start=f"touch {alive}")
    alive.touch()
    nodes = HookedNodes(
        KAFKA, told, {7: ("h", 9)}, lambda _broker: alive.exists(), lambda _broker: False
    )
    nodes.kill(7)

    nodes.give_back()

    assert alive.exists()


def test_a_broker_that_was_given_back_already_is_let_be(tmp_path: Path) -> None:
    nodes, alive = hooked(tmp_path, pause="rm FILE", resume="touch FILE")

    assert nodes.pause(7) == {"answers": "none"}
    nodes.resume(7)
    alive.unlink()
    nodes.resume(7)
    nodes.give_back()

    assert not alive.exists()


def test_a_command_that_fails_says_so_and_its_broker_is_brought_back(tmp_path: Path) -> None:
    kill = "sh -c 'rm FILE; echo no such host >&2; exit 3'"
    nodes, alive = hooked(tmp_path, kill=kill, start="touch FILE")

    with pytest.raises(Exception, match=r"--kafka-kill, .* ended with 3: no such host"):
        nodes.kill(7)
    nodes.give_back()

    assert alive.exists()


def test_a_command_is_over_when_it_ends_and_not_what_it_leaves_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(harness_hooks, "HOOK_TIMEOUT_S", 5.0)
    left = f"while [ ! -e {tmp_path}/over ]; do sleep 0.05; done; touch {tmp_path}/ended"
    start = f"sh -c 'touch FILE; ({left}) &'"
    nodes, alive = hooked(tmp_path, kill="rm FILE", start=start)

    nodes.kill(7)
    nodes.start(7)

    assert (nodes.running(7), alive.exists()) == (True, True)
    (tmp_path / "over").touch()
    wait_until((tmp_path / "ended").exists, "what was left behind to end", 20)


def test_what_no_command_does_is_refused_in_words(tmp_path: Path) -> None:
    nodes, _ = hooked(tmp_path, kill="rm FILE", start="touch FILE")

    with pytest.raises(UsageError, match="needs a command: --kafka-pause"):
        nodes.pause(7)
    with pytest.raises(UsageError, match="no process of ours"):
        nodes[7]
    with pytest.raises(UsageError, match="remove_broker: hooks can kill, start, pause"):
        nodes.remove_broker(7)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--kafka-kill=x", "--kafka-start=y"], "say --i-own-this-cluster"),
        (["--kafka-attach-config=none"], "expected a properties file"),
        (["--kafka-kill=x", "--i-own-this-cluster"], "belong together"),
    ],
)
def test_a_cluster_is_never_touched_before_its_owner_says_so(
    tmp_path: Path, options: list[str], said: str
) -> None:
    (tmp_path / "test_it.py").write_text("def test_sound(play): ...\n")
    given = ["--kafka=4.1.1", "--kafka-attach=127.0.0.1:1", *options]

    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *given],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )

    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert said in done.stderr
