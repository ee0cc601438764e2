"""Storage is formatted as the version's own tool would: where its checkpoint is, and for whom."""

from __future__ import annotations

from pathlib import Path

import pytest

from highwater.harness.errors import InfrastructureError
from highwater.harness.jvm import storage
from highwater.harness.jvm.java import find_java
from highwater.harness.jvm.runtime import Runtime
from highwater.harness.settings import CONTROLLER_ID
from highwater.harness.versions.catalogue import find_kafka

ZERO = "__cluster_metadata-0/00000000000000000000-0000000000.checkpoint"


def formatted(folder: Path, checkpoint: str, node: int) -> list[str]:
    """The files of a node's new log directory, where the tool wrote this checkpoint."""
    template = folder / Path(checkpoint).name
    template.write_text("records")
    log_dir = folder / "logs" / str(node)
    storage.format_storage(template, log_dir, node, "a-cluster")
    files = [path for path in log_dir.rglob("*") if path.is_file()]
    assert "node.id=" in (log_dir / "meta.properties").read_text()
    return sorted(str(path.relative_to(log_dir)) for path in files)


def test_a_bootstrap_checkpoint_is_for_every_node(tmp_path: Path) -> None:
    for node in (1, CONTROLLER_ID):
        files = formatted(tmp_path, "bootstrap.checkpoint", node)

        assert files == ["bootstrap.checkpoint", "meta.properties"]


def test_the_first_snapshot_of_the_metadata_log_is_for_controllers(tmp_path: Path) -> None:
    assert formatted(tmp_path, ZERO, 1) == ["meta.properties"]
    assert formatted(tmp_path, ZERO, CONTROLLER_ID) == [ZERO, "meta.properties"]
    assert formatted(tmp_path, ZERO, CONTROLLER_ID + 2) == [ZERO, "meta.properties"]


@pytest.mark.parametrize("checkpoint", ["bootstrap.checkpoint", ZERO])
def test_the_tool_runs_once_and_what_it_wrote_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, checkpoint: str
) -> None:
    asked = _tool_that_writes(monkeypatch, checkpoint)
    monkeypatch.setenv("HIGHWATER_CACHE", str(tmp_path / "cache"))
    runtime = Runtime(find_kafka("4.1.1"), find_java(), ())

    first = storage.storage_template(runtime, {})
    again = storage.storage_template(runtime, {})

    assert again == first
    assert first.name == Path(checkpoint).name
    assert first.read_text() == "records"
    assert len(asked) == 1


def test_a_tool_that_writes_its_checkpoint_elsewhere_is_told_with_what_it_wrote(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _tool_that_writes(monkeypatch, "elsewhere.checkpoint")
    monkeypatch.setenv("HIGHWATER_CACHE", str(tmp_path / "cache"))

    with pytest.raises(InfrastructureError, match=r"wrote neither .*'elsewhere.checkpoint'"):
        storage.storage_template(Runtime(find_kafka("4.1.1"), find_java(), ()), {})


def _tool_that_writes(monkeypatch: pytest.MonkeyPatch, checkpoint: str) -> list[object]:
    """A command line in the place of StorageTool's; returns how often it was asked for."""
    asked: list[object] = []

    def line(_runtime: Runtime, _main: str, arguments: list[str]) -> list[str]:
        asked.append(arguments)
        data = Path(arguments[-1]).parent / "data"
        target = data / checkpoint
        return ["sh", "-c", f"mkdir -p {target.parent} && printf records > {target}"]

    monkeypatch.setattr(Runtime, "line", line)
    return asked
