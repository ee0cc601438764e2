"""Applications in containers: what Docker is asked for, and what it is not asked for."""

from __future__ import annotations

import socket
import struct
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any, cast

import pytest
from docker.errors import ImageNotFound
from docker.models.containers import Container as Made
from docker.models.images import ImageCollection
from requests.exceptions import ReadTimeout

from highwater.compose.container import Container, Life, _identity_of
from highwater.harness.errors import InfrastructureError, UsageError


class _Registry:
    """An engine that has an image when it has been pulled."""

    def __init__(self) -> None:
        self.pulled: list[tuple[str, str]] = []

    def inspect_image(self, name: str) -> Mapping[str, str]:
        if not self.pulled:
            raise ImageNotFound(name)
        return {"Id": f"id of {name}"}

    def pull(self, repository: str, tag: str, **_: object) -> list[bytes]:
        self.pulled.append((repository, tag))
        return []


@pytest.mark.parametrize(
    ("image", "pulled"),
    [
        ("billing", ("billing", "latest")),
        ("billing:1.2", ("billing", "1.2")),
        ("localhost:5000/billing", ("localhost:5000/billing", "latest")),
        ("localhost:5000/billing:1.2", ("localhost:5000/billing", "1.2")),
        ("localhost:5000/billing@sha256:7f", ("localhost:5000/billing", "sha256:7f")),
    ],
)
def test_an_image_is_pulled_from_its_registry(image: str, pulled: tuple[str, str]) -> None:
    engine = _Registry()
    images = ImageCollection(client=cast("Any", SimpleNamespace(api=engine)))

    _identity_of(cast("Any", SimpleNamespace(images=images)), image)

    assert engine.pulled == [pulled]


@pytest.mark.parametrize(
    ("volumes", "why"),
    [
        (["/tmp"], "places here and inside for volumes, saw"),
        ({"data": "/data"}, "absolute paths, .*saw 'data'"),  # Docker keeps one of this name
        ({"/": "data"}, "absolute paths, .*saw 'data'"),
        ({"/": 3}, "absolute paths, .*saw 3"),
        ({"/:/x": "/data"}, "without colons .*saw '/:/x'"),
        ({"/no/such/place": "/data"}, "on this machine for volumes, saw '/no/such/place'"),
    ],
)
def test_volumes_are_places_of_this_machine(volumes: Any, why: str) -> None:
    with pytest.raises(UsageError, match=why):
        Container("billing", volumes=volumes).housing("app", {}, "")


@pytest.mark.parametrize("fails", ["attach", "start"])
def test_an_engine_that_does_not_answer_at_the_start_is_told_in_words(fails: str) -> None:
    closed: list[str] = []

    def answers(asked: str) -> Any:
        if asked == fails:
            raise ReadTimeout("read timed out")
        connection = SimpleNamespace(close=lambda: closed.append("connection"))
        return SimpleNamespace(_sock=connection, close=lambda: closed.append("file"))

    api = SimpleNamespace(attach_socket=lambda *_: answers("attach"))
    made = SimpleNamespace(id="1", client=SimpleNamespace(api=api), start=lambda: answers("start"))

    with pytest.raises(InfrastructureError, match="app, a container of x, cannot be started: read"):
        Life(cast("Made", made), "x", "app")
    assert closed == ([] if fails == "attach" else ["file", "connection"])


def test_a_line_in_pieces_is_whole_though_an_error_comes_in_between() -> None:
    here, there = socket.socketpair()
    file = here.makefile("rb", buffering=0)
    setattr(file, "_sock", here)  # noqa: B010 - as the file that Docker's client hands out
    api = SimpleNamespace(attach_socket=lambda *_: file)
    made = SimpleNamespace(id="1", client=SimpleNamespace(api=api), start=lambda: None)
    for stream, said in ((1, b'{"n":'), (2, b"oh\n"), (1, b" 1}\nend"), (2, b"bye")):
        there.sendall(struct.pack(">BxxxL", stream, len(said)) + said)
    there.close()

    printed = list(Life(cast("Made", made), "x", "app").output())

    assert printed == [b"oh\n", b'{"n": 1}\n', b"end", b"bye"]
