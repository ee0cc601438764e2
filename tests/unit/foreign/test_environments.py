"""Clients by name: what each is built of, and what is said where that cannot be."""

from __future__ import annotations

import json
import re
import shutil
import stat
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from highwater.harness.errors import InfrastructureError, UsageError
from highwater.harness.foreign import environments
from highwater.harness.foreign.languages import KNOWN, LANGUAGES
from highwater.harness.foreign.programs import command_of
from highwater.harness.versions.catalogue import find_kafka
from highwater.listing import client_rows

KAFKA = find_kafka("4.1.1")
# A cargo that resolves everything: --manifest-path says where.
SOMEWHERE = """printf 'source = "somewhere"\\n' >"${3%.toml}.lock\""""
LONGEST = 150  # lines of the source of an adapter, or of what those of a language share
SOURCES = {".go", ".mjs", ".py", ".rs"}


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache with nothing in it, and a PATH with no program."""
    monkeypatch.setenv("HIGHWATER_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    (tmp_path / "bin").mkdir()
    return tmp_path / "bin"


def put(tools: Path, name: str, program: str) -> None:
    (tools / name).write_text(f"#!/bin/sh\n{program}\n")
    (tools / name).chmod(stat.S_IRWXU)


@pytest.mark.parametrize(
    ("client", "tool"),
    [
        ("franz-go", "go"),
        ("sarama:1.43.0", "go"),
        ("kafkajs", "npm"),
        ("confluent-js", "npm"),
        ("rdkafka", "cargo"),
    ],
)
def test_a_missing_toolchain_is_told_in_words(tools: Path, client: str, tool: str) -> None:
    with pytest.raises(InfrastructureError, match=f"expected a program '{tool}' on the PATH"):
        command_of(client, KAFKA)


def test_what_has_been_built_needs_what_built_it_no_more(tools: Path) -> None:
    put(tools, "go", 'shift 4; echo "#!/bin/sh" > "$2"')  # -C FOLDER build -trimpath -o FILE .
    first = command_of("sarama", KAFKA)
    (tools / "go").unlink()

    assert command_of("sarama", KAFKA) == first
    assert Path(first[0]).read_text() == "#!/bin/sh\n"


def test_another_version_is_another_program(tools: Path) -> None:
    log = tools.parent / "log"
    put(tools, "npm", f'echo "$*" >> {log}')
    put(tools, "node", "")

    locked, other = command_of("kafkajs", KAFKA), command_of("kafkajs:1.16.0", KAFKA)

    assert locked != other
    assert [line.split()[0] for line in log.read_text().splitlines()] == ["ci", "install"]
    assert log.read_text().rstrip().endswith("kafkajs@1.16.0")


def test_what_a_package_has_in_c_needs_compilers_and_no_script_of_its_own(tools: Path) -> None:
    log = tools.parent / "log"
    for tool in ("npm", "node", "cc", "make"):
        put(tools, tool, f'echo "{tool} $*" >> {log}')
    with pytest.raises(InfrastructureError, match="expected a program 'c\\+\\+' on the PATH"):
        command_of("confluent-js", KAFKA)
    put(tools, "c++", "")

    folder = Path(command_of("confluent-js", KAFKA)[1]).parent

    told = [line for line in log.read_text().splitlines() if line != "node --version"]
    assert told[0].startswith("npm ci ")
    assert "--ignore-scripts" in told[0].split()
    build = f"node {folder / 'build.mjs'}"
    assert told[1:] == [f"{build} library", f"{build} binding {sys.executable}"]


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no Node.js")
def test_headers_that_are_not_there_are_told_in_words(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    node = tmp_path / "bin" / "node"
    shutil.copyfile(str(shutil.which("node")), node)
    node.chmod(stat.S_IRWXU)
    program = environments.FOLDERS / "confluent_js" / "build.mjs"

    line = [str(node), str(program), "library"]
    done = subprocess.run(line, capture_output=True, text=True, check=False, timeout=60)

    told = rf"expected the headers of Node \S+ in {tmp_path}/include/node, saw none"
    assert (done.returncode, bool(re.search(told, done.stderr))) == (1, True)


def test_another_node_is_asked_anew_whether_it_is_new_enough(tools: Path) -> None:
    put(tools, "npm", "")
    put(tools, "node", "echo v22.22.0")
    built = command_of("platformatic", KAFKA)
    put(tools, "node", "echo v20.20.2")
    put(tools, "npm", "echo Unsupported engine >&2; exit 1")

    with pytest.raises(InfrastructureError, match=r"adapter of platformatic (?s:.)*engine"):
        command_of("platformatic", KAFKA)
    put(tools, "node", "echo v22.22.0")
    assert command_of("platformatic", KAFKA) == built


def test_what_fails_is_said_and_tried_again(tools: Path) -> None:
    put(tools, "go", "echo no network >&2; exit 1")
    with pytest.raises(InfrastructureError, match=r"adapter of kafka-go in (?s:.)*no network"):
        command_of("kafka-go", KAFKA)
    put(tools, "go", "")

    assert command_of("kafka-go", KAFKA)


@pytest.mark.parametrize("client", ["sarama:--help", "kafkajs:../x", "aiokafka:new", "redis"])
def test_what_is_no_client_is_refused_before_anything_starts(tools: Path, client: str) -> None:
    with pytest.raises(UsageError, match="expected a "):
        command_of(client, KAFKA)


def test_the_list_says_what_is_there_and_what_lacks(tools: Path) -> None:
    put(tools, "npm", "")
    put(tools, "node", "")
    command_of("kafkajs", KAFKA)

    here = {row["name"]: row["here"] for row in client_rows()}

    assert here["sarama"] == "lacks go"
    assert here["kafkajs"] == "built"
    assert here["platformatic"] == here["aiokafka"] == "built when it is first used"


@pytest.mark.parametrize(
    "folder", [*(k.folder for k in KNOWN.values()), *(x.folder for x in LANGUAGES)]
)
def test_an_adapter_is_short_and_says_how_it_is_built(folder: str) -> None:
    home = environments.FOLDERS / folder
    source = [each for each in (*home.iterdir(), *home.glob("src/*")) if each.suffix in SOURCES]

    assert max(len(each.read_text().splitlines()) for each in source) <= LONGEST
    assert (home / "README.md").is_file()


@pytest.mark.parametrize("folder", ["kafkajs", "platformatic", "confluent_js"])
def test_a_lock_of_node_has_hashes_and_no_host(folder: str) -> None:
    lock = json.loads((environments.FOLDERS / folder / "package-lock.json").read_text())
    packages = {name: each for name, each in lock["packages"].items() if name}

    assert packages
    assert [name for name, each in packages.items() if not each.get("integrity")] == []
    assert "://" not in json.dumps(lock)


def test_a_lock_of_rust_has_checksums_and_gets_the_registry_that_cargo_has(
    tools: Path, tmp_path: Path
) -> None:
    lock = (environments.FOLDERS / "rdkafka" / "Cargo.lock").read_text()
    told = tomllib.loads(lock)["package"]
    put(tools, "cargo", SOMEWHERE)
    shutil.copytree(environments.FOLDERS / "rdkafka", tmp_path / "rdkafka")

    program = str(environments.FOLDERS / "rust" / "lock.py")
    subprocess.run([sys.executable, program, str(tmp_path / "rdkafka")], check=True)

    assert "source" not in lock
    ours = ["adapter", "talk"]
    assert [each["name"] for each in told if "checksum" not in each] == ours
    found = tomllib.loads((tmp_path / "rdkafka" / "Cargo.lock").read_text())["package"]
    sources = [(each["name"], each.pop("source", None)) for each in found]
    assert found == told
    assert [name for name, source in sources if source != "somewhere"] == ours


def test_a_lock_that_cargo_cannot_make_is_told_in_its_words(tools: Path) -> None:
    put(tools, "cargo", "echo no network >&2; exit 101")
    put(tools, "cc", "")
    put(tools, "make", "")

    with pytest.raises(InfrastructureError, match=r"adapter of rdkafka in (?s:.)*no network") as it:
        command_of("rdkafka", KAFKA)
    assert "Traceback" not in str(it.value)


def test_a_tree_where_somebody_works_brings_nothing_that_is_made(
    tools: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folders = tools.parent / "adapters"
    for folder in ("node", "kafkajs"):
        shutil.copytree(environments.FOLDERS / folder, folders / folder)
    monkeypatch.setattr(environments, "FOLDERS", folders)
    put(tools, "npm", "")
    put(tools, "node", "")
    first = command_of("kafkajs", KAFKA)
    (folders / "kafkajs" / "node_modules").mkdir()
    (folders / "kafkajs" / "node_modules" / "much.js").write_text("")

    assert command_of("kafkajs", KAFKA) == first


def test_a_version_that_has_a_lock_is_installed_by_it() -> None:
    known = KNOWN["confluent-kafka"]

    def installed(version: str) -> str:
        return " ".join(known.language.steps(environments.FOLDERS, known, version)[-1])

    assert "--require-hashes" in installed("2.3.0")
    assert installed("2.3.0").endswith("/confluent_kafka/requirements-2.3.0.lock")
    assert installed("").endswith("/confluent_kafka/requirements.lock")
    assert installed("2.4.0").endswith(" confluent-kafka==2.4.0")


def test_ours_is_no_adapter_and_says_which_one_is() -> None:
    with pytest.raises(UsageError, match=r"confluent is part of Highwater .* confluent-kafka"):
        command_of("confluent", KAFKA)
