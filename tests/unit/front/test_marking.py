"""What a marker or a fault cannot have is refused before a cluster starts, with a nearest name."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.pytest_runs import PATIENCE_S

from highwater.backends import Backend
from highwater.harness.cluster import ClusterSpec
from highwater.harness.errors import UsageError
from highwater.harness.versions.catalogue import find_kafka
from highwater.marking import Marked, read_marker

SUITE = """
import pytest
from highwater.faults.expire_session import ExpireSession
from highwater.faults.kill import Kill
from highwater.faults.limit_cpu import LimitCpu

highwater = pytest.mark.highwater


@highwater(replica=2)
def test_option(play): ...


@highwater(claims=("lost-writes",))
def test_claim(play): ...


@highwater(replicas=4)
def test_replicas(play): ...


@highwater(">=2.0")
def test_position(play): ...


@highwater(gated_clients=True)
def test_listeners(play): ...


@highwater(kafka=">=1.0", gated_clients=True)
def test_out_of_range(play): ...


@pytest.mark.parametrize("fault", [ExpireSession(1), LimitCpu(1, 0.5), Kill(1)])
@highwater
def test_fault(play, fault): ...


@highwater(trials=2, limits={"ack_p99_ms": 500, "full_isr_ms": 30_000.5})
def test_sound(play): ...


@highwater(topic={"min.insync.replicas": "3"}, replicas=2)
class TestOfAClass:
    @highwater(trials=2)
    def test_merged(self, play): ...

    @highwater(topic={"min.insync.replicas": "2"}, replicas=2)
    def test_that_mends_its_class(self, partition): ...

    def test_beside_marked_ones(self): ...


@highwater(trials=2)
def test_unplayed(): ...


@highwater(limits={"longest_gap": 10_000})
def test_limit(play): ...


@highwater(limits={"ack_p99_ms": 500})
def test_limits_in_vain(kafka_cluster): ...


@highwater(topic={"cleanup.policy": "compact"})
def test_topic_in_vain(play): ...


@highwater(replicas=2)
def test_replicas_in_vain(kafka_cluster): ...
"""


@pytest.fixture(scope="module")
def refused(tmp_path_factory: pytest.TempPathFactory) -> subprocess.CompletedProcess[str]:
    folder = tmp_path_factory.mktemp("refused")
    (folder / "test_marked.py").write_text(SUITE, encoding="utf-8")
    words = ["-p", "no:cacheprovider", "--kafka", "0.10.0.1", "--highwater-report", "report"]
    return subprocess.run(
        [sys.executable, "-m", "pytest", *words],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
    )


@pytest.mark.parametrize(
    ("test", "said"),
    [
        ("test_option", "has no option 'replica'; did you mean 'replicas'?"),
        ("test_claim", "there is no claim 'lost-writes'; did you mean 'lost-write'?"),
        ("test_replicas", "replicas=4: expected a whole number from 1 to 3: a test's cluster has"),
        ("test_position", "takes options by name only, saw '>=2.0'"),
        ("test_listeners", "gated_clients=True needs Kafka 0.10.2 or newer, not 0.10.0.1"),
        ("test_fault", "ExpireSession needs a cluster with gated_metadata=True"),
        ("test_merged", "min.insync.replicas=3 is more than the topic has replicas (2)"),
        ("test_unplayed", "marked highwater, but it asks for no fixture of it"),
        ("test_topic_in_vain", "highwater, topic: it describes what the fixture `partition` gives"),
        ("test_replicas_in_vain", "highwater, replicas: it describes what the fixture `partition`"),
        ("test_limit", "nothing is measured as 'longest_gap'; did you mean 'longest_gap_ms'?"),
        ("test_limits_in_vain", "highwater, limits: nothing of this test is judged"),
        ("test_fault", "LimitCpu cannot be on the backend process: a process has no CPU quota"),
    ],
)
def test_a_mistake_is_told_with_its_test_before_anything_starts(
    refused: subprocess.CompletedProcess[str], test: str, said: str
) -> None:
    assert refused.returncode == pytest.ExitCode.USAGE_ERROR
    lines = refused.stderr.splitlines()
    assert [line for line in lines if f"::{test}" in line and said in line]


def test_there_is_no_traceback_and_what_is_sound_is_not_named(
    refused: subprocess.CompletedProcess[str],
) -> None:
    said = refused.stdout + refused.stderr

    assert "Traceback" not in said
    assert not [
        name
        for name in (
            "test_sound",
            "test_out_of_range",
            "test_beside_marked_ones",
            "test_that_mends_its_class",
            "Kill",
        )
        if name in said
    ]


def test_an_unknown_kafka_is_refused_with_the_nearest_and_no_traceback(tmp_path: Path) -> None:
    (tmp_path / "test_marked.py").write_text("def test_sound(play): ...\n", encoding="utf-8")

    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--kafka", "0.10.9"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
    )

    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert "no Kafka '0.10.9' in the catalogue; the nearest are" in done.stderr
    assert "Traceback" not in done.stdout + done.stderr


@pytest.mark.parametrize(
    "options",
    [
        {"kafka": 2.0},
        {"kafka": "newest"},
        {"trials": 0},
        {"trials": True},
        {"replicas": 0},
        {"replicas": "2"},
        {"voters": 2},
        {"voters": True},
        {"settings": {"min.insync.replicas": 1}},
        {"topic": "min.insync.replicas=1"},
        {"claims": "lost-write"},
        {"claims": ()},
        {"fake_clock": "yes"},
        {"heap_mib": 10},
        {"kafka": ">=99"},
        {"settings": {"log.dirs": "/tmp"}},
        {"topic": {"min.insync.replicas": "many"}},
        {"topic": {"min.insync.replicas": "\u0663"}},
        {"topic": "a" * 70},
    ],
    ids=str,
)
def test_a_value_that_an_option_cannot_have_is_refused_with_both(options: dict[str, Any]) -> None:
    ((name, value),) = options.items()

    with pytest.raises(UsageError) as refused:
        read_marker((), options)

    assert f"{name}={value!r}: " in str(refused.value)


def test_a_marker_says_what_its_cluster_and_topic_are_like() -> None:
    of_cluster = {"settings": {"a": "1"}, "voters": 3, "fake_clock": True, "heap_mib": 1024}
    marked = read_marker((), {**of_cluster, "replicas": 1, "claims": ["duplicate"]})

    assert marked.spec == ClusterSpec(
        voters=3, settings={"a": "1"}, fake_clock=True, heap_mib=1024, quiet_replication_links=False
    )
    assert marked.topic_settings == {"min.insync.replicas": "1"}
    assert marked.needs_evidence_for(Backend()) == ("duplicate",)
    assert Marked().needs_evidence_for(Backend()) == ("lost-write", "replica-divergence")
    assert Marked(kafka="<0.11").suits(find_kafka("0.10.2.2"))
    assert not Marked(kafka="<0.11").suits(find_kafka("4.1.1"))


class Unspeakable:
    """Nothing can be made of it: no text, and no comparison."""

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        raise RuntimeError("no text of this")

    def __eq__(self, _other: object) -> bool:
        raise RuntimeError("no comparison with this")


HUGE = "9" * 5000  # more digits than Python makes a number of
ITSELF: dict[str, Any] = {}
ITSELF["itself"] = ITSELF


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            {"topic": {"min.insync.replicas": HUGE}},
            "a whole number from 1 to 2147483647 for min.in",
        ),
        ({"settings": {"min.insync.replicas": HUGE}}, "a whole number from 1 to 2147483647 for"),
        ({"kafka": f">={HUGE}"}, "expected a range of versions in at most 200 characters"),
        ({"trials": 10**5000}, "expected a whole number from 1 to 1000"),
        ({"replicas": 10**5000}, "expected a whole number from 1 to 3"),
        ({"claims": (10**5000,)}, "there is no claim"),
        ({"claims": (HUGE,)}, "there is no claim"),
        ({"claims": ({"lost-write"},)}, "there is no claim {'lost-write'}"),
        ({"claims": (Unspeakable(),)}, "there is no claim"),
        ({"settings": Unspeakable()}, "expected names and values as strings"),
        ({"topic": ITSELF}, "expected names and values as strings"),
        ({HUGE: 1}, "has no option"),
    ],
    ids=lambda value: value if isinstance(value, str) else next(iter(value))[:9],
)
def test_a_value_of_which_no_text_can_be_made_is_refused_in_a_few_words(
    options: dict[str, Any], said: str
) -> None:
    with pytest.raises(UsageError) as refused:
        read_marker((), options)

    assert said in str(refused.value)
    assert len(str(refused.value)) < 1300  # the names of all claims are among them


def test_so_is_one_without_a_name() -> None:
    with pytest.raises(UsageError, match="takes options by name only"):
        read_marker((Unspeakable(),), {})


ONE, THREE = {"min.insync.replicas": "1"}, {"min.insync.replicas": "3"}


@pytest.mark.parametrize(
    ("options", "least"),
    [
        ({}, "2"),
        ({"replicas": 1}, "1"),
        ({"settings": ONE}, "1"),
        ({"settings": THREE}, "3"),
        ({"settings": ONE, "topic": THREE}, "3"),
        ({"settings": THREE, "topic": ONE}, "1"),
        ({"settings": ONE, "topic": {"cleanup.policy": "compact"}}, "1"),
    ],
    ids=str,
)
def test_a_topic_has_the_least_in_sync_that_its_brokers_have_unless_told_otherwise(
    options: dict[str, Any], least: str
) -> None:
    marked = read_marker((), options)

    assert marked.topic_settings["min.insync.replicas"] == least
    assert marked.contradiction == ""


def test_a_setting_of_brokers_that_the_topic_cannot_meet_is_a_contradiction() -> None:
    marked = read_marker((), {"settings": THREE, "replicas": 2})

    assert "min.insync.replicas=3 is more than the topic has replicas (2)" in marked.contradiction
    assert read_marker((), {"settings": THREE, "topic": ONE, "replicas": 2}).contradiction == ""
