"""The wheel: it has exactly our packages and their data, and works where the sources are not."""

import json
import os
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

from pyibc.installation import EXTRAS, PACKAGES
from tests.sampling import sample
from tools.release.checking import RELATIVE, metadata

DATA = {
    "pyibc/examples/prometheus/alerts.yml",
    "pyibc/examples/prometheus/relayer-dashboard.json",
    "pyibc/__init__.pyi",
    "pyibc/cli/completion.json",
    "pyibc/cli/init/project/test_ping.py.tmpl",
    "pyibc/indexer/__init__.pyi",
    "pyibc/indexer/spark/log4j2.properties",
    "pyibc/proto/descriptors.binpb",
    "pyibc/relayer/__init__.pyi",
    "pyibc/testing/__init__.pyi",
}
"""What programs read that is not Python."""
IMPORTED_AS = {
    "grpcio": "grpc",
    "grpcio-reflection": "grpc_reflection",
    "prometheus-client": "prometheus_client",
    "protobuf": "google",
    "py-ed25519-zebra-bindings": "ed25519_zebra",
    "pycryptodome": "Crypto",
    "pynacl": "nacl",
}
"""Distribution -> the name it is imported by, where they differ."""


@pytest.fixture(scope="module")
def files(wheel):
    with zipfile.ZipFile(wheel) as archive:
        return archive.namelist()


@pytest.fixture(scope="module")
def project(root):
    return tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def test_the_wheel_holds_our_packages_and_nothing_else(files):
    tops = {file.split("/")[0] for file in files}
    assert {top for top in tops if not top.endswith(".dist-info")} == {*PACKAGES}


def test_every_module_is_in_it(files, sources):
    assert set(sources) - set(files) == set()


def test_data_is_in_it(files):
    typed = {f"{package}/py.typed" for package in PACKAGES}
    assert (DATA | typed) - {*files} == set()


def test_no_rubbish_is_in_it(files):
    bad = (".pyc", ".orig", "pyproject.toml")
    assert [name for name in files if "__pycache__" in name or name.endswith(bad)] == []


def test_it_has_the_license(files):
    assert [name for name in files if name.endswith("/licenses/LICENSE")]


def test_its_description_has_links_that_the_package_index_can_follow(wheel, root):
    _, version, description = metadata(wheel)
    shown = f"https://github.com/pyibc/pyibc/blob/v{version}/.github/CONTRIBUTING.md"
    assert f"({shown})" in description
    assert len(description.splitlines()) == len((root / "README.md").read_text().splitlines())
    assert RELATIVE.findall(description) == []


# -- extras


def brought(project, extra):
    """Names of the modules that an extra brings, those of extras that it names among them."""
    names = set()
    for line in project["optional-dependencies"][extra] if extra else project["dependencies"]:
        name = re.match(r"[\w-]+", line)[0]
        if name == "pyibc":
            names = names.union(*(brought(project, each) for each in re.findall(r"\w+", line)[1:]))
        else:
            names.add(IMPORTED_AS.get(name, name))
    return names


def test_the_guard_knows_what_extras_bring(project):
    assert {extra: {*modules} for extra, modules in EXTRAS.items()} == {
        extra: brought(project, extra) for extra in EXTRAS
    }


EMBEDDED = ("pyibc.core", "pyibc.http", "pyibc.proto", "ibc_module", "handlers", "keepers", "light_client")
PARTS = {
    "": (
        (*EMBEDDED, "pyibc.exporter", "pyibc.queues", "pyibc.direct", "iavl", "abci_server"),
        ("abci_server.grpc", "pyibc.core.native"),
    ),
    "relayer": (
        ("pyibc.relayer", "pyibc.queue_relayer", "pyibc.cli.relay", "pyibc.cli.tx", "pyibc.examples"),
        (),
    ),
    "localnet": (("localnet", "pyibc.localnet"), ("localnet.grpc", "localnet.comet.application")),
    "testing": (("pyibc.testing",), ()),
    "node": (("localnet", "abci_server", "pyibc.node"), ()),
    "arrow": (tuple(f"pyibc.indexer.{name}" for name in ("bronze", "recordings", "chains", "events")), ()),
    "indexer": (("pyibc.indexer", "pyibc.cli.index"), ()),
}
"""Extra -> packages that need it and nothing else, and what within them needs more."""
IMPORT_ALL = """
import importlib.util, json, pkgutil, sys
allowed, packages, apart = json.loads(sys.argv[1])
third = {name for name in json.loads(sys.argv[2]) if name not in allowed}

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in third:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Absent())
find = importlib.util.find_spec
importlib.util.find_spec = lambda name, *more: None if name in third else find(name, *more)
count = 0
for package in packages:
    module = importlib.import_module(package)
    count += 1
    for found in pkgutil.walk_packages(getattr(module, "__path__", ()), package + "."):
        if not found.name.startswith(tuple(apart) or "-") and not found.name.endswith("__main__"):
            importlib.import_module(found.name)
            count += 1
print(count)
"""


@pytest.mark.parametrize("extra", sample(PARTS, 2, "brought"))
def test_an_extra_brings_all_that_its_packages_import(project, installed, tmp_path, extra):
    packages, apart = PARTS[extra]
    allowed = brought(project, "") | (brought(project, extra) if extra else set())
    everything = {name for each in project["optional-dependencies"] for name in brought(project, each)}
    arguments = [json.dumps([sorted(allowed), packages, apart]), json.dumps(sorted(everything))]
    done = outside(tmp_path, "-P", "-c", IMPORT_ALL, *arguments, PYTHONPATH=str(installed))
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) >= len(packages)


# -- outside the clone


def test_it_works_outside_the_clone(installed, tmp_path):
    code = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "import ibc_module, handlers\n"
        "assert ibc_module.__file__.startswith(sys.argv[1]), ibc_module.__file__\n"
        "from pyibc.testing import two_chains\n"
        "chains = two_chains()\n"
        "print(chains.a.chain.block(chains.a.chain.height).app_hash.hex())\n"
    )
    done = outside(tmp_path, "-P", "-c", code, str(installed))
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.strip()) == 64


def test_the_wheel_adds_no_command_of_the_clone(installed):
    (info,) = installed.glob("pyibc-*.dist-info")
    assert "pyibc.commands" not in (info / "entry_points.txt").read_text()


DOCS = Path(__file__).parents[2] / "docs"
NOT_RUN = {
    "abci": "it serves until it is stopped",
    "hooks": "it has signatures",
    "index-in-a-notebook": "it needs blocks of a network",
    "indexer": "it needs exported blocks",
    "indexer-clusters": "it needs exported blocks",
    "relayer": "it is part of a host",
}
"""Pages whose code is no program of its own."""
PAGES = [
    page.relative_to(DOCS).as_posix()
    for page in sorted(DOCS.rglob("*.md"))
    if "```python" in page.read_text("utf-8") and page.stem not in NOT_RUN
]
PAGE = """
import re, sys
text = open(sys.argv[1], encoding="utf-8").read()
blocks = re.findall(r"^```python\\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
names = {"__name__": "page"}
for number, block in enumerate(blocks, 1):
    exec(compile(block, f"block {number}", "exec"), names)
print(len(blocks))
"""


@pytest.mark.parametrize("page", [pytest.param(each, marks=pytest.mark.exhaustive) for each in PAGES])
def test_the_code_of_a_page_needs_no_clone(installed, tmp_path, page):
    done = outside(
        tmp_path, "-P", "-c", PAGE, str(DOCS / page), PYTHONPATH=str(installed), PATH=os.environ["PATH"]
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout.splitlines()[-1]) > 0


# -- pyibc alone

CHAIN = """
from pyibc.examples.tinychain import TinyBank, TinyChain
from pyibc import AddressCodec, Config, plugins
from pyibc.queues import QueueConfig, QueuePlugin

bank = TinyBank(AddressCodec("tiny"))
parts = [bank, *plugins(Config(account_prefix="tiny")), QueuePlugin(QueueConfig())]
chain = TinyChain("tiny-1", parts, {}, [b"v" * 32], lambda: 1_700_000_000 * 10**9)
chain.make_block()
print(chain.last.height)
"""


def test_a_chain_needs_pyibc_alone(installed, tmp_path):
    done = outside(tmp_path, "-c", CHAIN, PYTHONPATH=str(installed))
    assert (done.returncode, done.stdout) == (0, "2\n"), done.stderr


def outside(folder, *arguments, **env):
    """Python in a folder that is no clone."""
    env = {"PATH": "", "HOME": str(folder), **env}
    command = [sys.executable, *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=folder, check=False, env=env)
