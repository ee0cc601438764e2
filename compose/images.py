"""Images of the catalogue's Kafkas, built from the locked jars; a tag names what is inside."""

from __future__ import annotations

import hashlib
import io
import os
import tarfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import docker
from docker.errors import APIError, BuildError, DockerException, ImageNotFound

from highwater.harness.errors import InfrastructureError
from highwater.harness.jvm.runtime import LOGGING
from highwater.harness.versions.cache import cache_dir
from highwater.harness.versions.catalogue import Kafka

REPOSITORY = "highwater/kafka"
PUBLIC_BASE = "eclipse-temurin:17-jre"
OWN_BASE = "highwater/base:bookworm"
LABEL = "io.highwater.image"

Announce = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Image:
    """What containers are made of; a published one is somebody else's, with jars where it likes."""

    name: str
    identity: str  # of its content, given by Docker
    mode: str  # what brokers of it run with, zookeeper or kraft: they load other classes
    published: bool = False

    @property
    def archive(self) -> Path:
        """Where its class-data-sharing archive is, once it has been made."""
        content = self.identity.removeprefix("sha256:")[:16]
        return cache_dir() / "archives" / f"image-{content}-{self.mode}.jsa"


@contextmanager
def engine() -> Iterator[docker.DockerClient]:
    """The Docker Engine; raises InfrastructureError when it does not answer."""
    try:
        client = docker.from_env()
        client.ping()
    except DockerException as error:
        raise InfrastructureError(
            f"no Docker Engine answers: {error}; is dockerd running, and may you use its socket? "
            "See: highwater doctor"
        ) from error
    try:
        yield client
    finally:
        client.close()


def base_image(client: docker.DockerClient) -> str:
    """The base to build on: what HIGHWATER_BASE_IMAGE names, our own, else the public one.

    Raises InfrastructureError when it is not here and cannot be pulled.
    """
    own = _exists(client, OWN_BASE)
    wanted = os.environ.get("HIGHWATER_BASE_IMAGE")
    name = wanted or (OWN_BASE if own else PUBLIC_BASE)
    if not _exists(client, name):
        try:
            client.images.pull(name)
        except APIError as error:
            raise InfrastructureError(
                f"the base image {name} is not here and cannot be pulled ({error.explanation}); "
                "where there is no registry, build one with: highwater image-base"
            ) from error
    return name


def image_tag(kafka: Kafka, jars: Sequence[Path], base: str) -> str:
    """Changes with the version, its lock and the base, and with nothing else."""
    sizes = (f"{jar.name} {jar.stat().st_size}" for jar in jars)
    logging = (path.read_text() for path in sorted(LOGGING.iterdir()))
    content = "\n".join((base, _dockerfile().decode(), *logging, *sizes))
    return f"{REPOSITORY}:{kafka.version}-{hashlib.sha256(content.encode()).hexdigest()[:12]}"


def published_image(name: str, kafka: Kafka) -> Image:
    """An image that somebody else has made, pulled if it is not here.

    Raises InfrastructureError when it cannot be had.
    """
    with engine() as client:
        if not _exists(client, name):
            try:
                client.images.pull(name)
            except APIError as error:
                raise InfrastructureError(
                    f"the image {name} is not here and cannot be pulled: {error.explanation}"
                ) from error
        return _image(client, name, kafka, published=True)


def ensure_image(
    kafka: Kafka, jars: Sequence[Path], *, announce: Announce = lambda _text: None
) -> Image:
    """The image for these jars, built now if it is not there.

    Raises InfrastructureError with the end of Docker's own output when it cannot be built.
    """
    with engine() as client:
        found_base = base_image(client)
        tag = image_tag(kafka, jars, found_base)
        if _exists(client, tag):
            return _named(client, tag, kafka)
        announce(f"building {tag} on {found_base}")
        with _context(jars) as context:
            try:
                client.images.build(
                    fileobj=context,
                    custom_context=True,
                    tag=tag,
                    buildargs={"BASE": found_base},
                    labels={LABEL: kafka.version},
                    rm=True,
                    forcerm=True,
                )
            except (BuildError, APIError) as error:
                raise InfrastructureError(f"{tag} cannot be built: {error}") from error
        return _named(client, tag, kafka)


def _named(client: docker.DockerClient, tag: str, kafka: Kafka) -> Image:
    """Under the plain name too, which compose files use: that of the image used last."""
    client.images.get(tag).tag(REPOSITORY, kafka.version)
    return _image(client, tag, kafka)


def _image(
    client: docker.DockerClient, name: str, kafka: Kafka, *, published: bool = False
) -> Image:
    return Image(name, client.images.get(name).id, kafka.mode, published)


def _exists(client: docker.DockerClient, name: str) -> bool:
    try:
        client.images.get(name)
    except ImageNotFound:
        return False
    return True


def _dockerfile() -> bytes:
    return Path(__file__).with_name("Dockerfile").read_bytes()


@contextmanager
def _context(jars: Sequence[Path]) -> Iterator[io.BufferedIOBase]:
    """A build context as a tar that is never on the disk."""
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w") as tar:
        _add(tar, "Dockerfile", _dockerfile())
        for path in sorted(LOGGING.iterdir()):
            _add(tar, f"logging/{path.name}", path.read_bytes())
        for jar in jars:
            tar.add(jar.resolve(), arcname=f"libs/{jar.name}", filter=_anonymous)
    content.seek(0)
    yield content


def _add(tar: tarfile.TarFile, name: str, content: bytes) -> None:
    member = tarfile.TarInfo(name)
    member.size = len(content)
    tar.addfile(member, io.BytesIO(content))


def _anonymous(member: tarfile.TarInfo) -> tarfile.TarInfo:
    """The same layer whoever builds it: Docker's cache compares owners and times."""
    member.uid = member.gid = member.mtime = 0
    member.uname = member.gname = ""
    member.mode = 0o644
    return member
