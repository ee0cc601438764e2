"""One source is an adapter for Kafka's producer of any release."""

from __future__ import annotations

import pytest

from highwater.harness.foreign.programs import command_of
from highwater.harness.foreign.talk import describe
from highwater.harness.play import Play
from highwater.harness.versions.catalogue import find_kafka, ladder_kafkas

NEWEST = ladder_kafkas()[-1].name
TOGETHER = pytest.mark.on_demand(together="tests/cluster/test_java_releases.py")


@pytest.mark.cluster
@pytest.mark.highwater(kafka="<1.0")
def test_an_idempotent_producer_of_an_old_release_has_one_request_on_its_way(play: Play) -> None:
    with play.load(play.topic("orders"), rate_per_s=500, client="java") as load:
        load.await_acked(500)


@TOGETHER
@pytest.mark.parametrize("version", ["0.10.0.0", "0.10.1.0", "0.10.2.2", "1.0.2", "3.9.1", NEWEST])
def test_the_adapter_is_made_for_a_release_and_says_which_it_is(version: str) -> None:
    hello = describe(command_of(f"java:{version}", find_kafka("4.1.1")))

    assert (hello["library"], hello["version"]) == ("kafka-clients", version)
    assert ("enable.idempotence" in hello["capabilities"]["settings"]) == ("0.10" not in version)
