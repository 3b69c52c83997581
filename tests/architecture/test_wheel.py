"""The wheels: each has exactly its packages, their data, and works where the sources are not."""

import os
import shutil
import subprocess
import sys
import tomllib
import zipfile

import pytest

from ibc_core.installation import DISTRIBUTION, DISTRIBUTIONS

DATA = {
    "ibc_indexer/log4j2.properties",
    "ibc_indexer/storage/s3a.lock",
    "ibc_proto/descriptors.binpb",
}
"""What programs read that is not Python."""
MOST_LINES = 56_000
"""Of a wheel, written by hand: so much can be known by those who keep it."""


def names(wheel):
    with zipfile.ZipFile(wheel) as archive:
        return archive.namelist()


def packed(wheels):
    """All files of all wheels."""
    return [name for wheel in wheels.values() for name in names(wheel)]


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_a_wheel_holds_its_packages_and_nothing_else(wheels, name):
    tops = {file.split("/")[0] for file in names(wheels[name])}
    assert {top for top in tops if not top.endswith(".dist-info")} == {*DISTRIBUTIONS[name]}


def test_every_module_is_in_one(wheels, sources):
    files = packed(wheels)
    assert set(sources) - set(files) == set()
    assert len(files) == len({*files})


def test_data_is_in_it(wheels, packages):
    typed = {f"{package}/py.typed" for package in packages}
    assert (DATA | typed) - {*packed(wheels)} == set()


def test_no_rubbish_is_in_it(wheels):
    bad = (".pyc", ".orig", "pyproject.toml")
    assert [name for name in packed(wheels) if "__pycache__" in name or name.endswith(bad)] == []


def test_every_wheel_has_the_license(wheels):
    for wheel in wheels.values():
        assert [name for name in names(wheel) if name.endswith("/licenses/LICENSE")], wheel


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_no_wheel_is_more_than_its_keepers_can_know(wheels, name):
    with zipfile.ZipFile(wheels[name]) as archive:
        files = [each for each in archive.namelist() if each.endswith(".py") and not each.endswith("_pb2.py")]
        lines = sum(archive.read(each).count(b"\n") for each in files)
    assert lines <= MOST_LINES


def project(root, folder):
    return tomllib.loads((root / folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def test_all_are_of_one_release(root):
    main = project(root, ".")
    assert main["name"] == DISTRIBUTION
    extras = [line for lines in main["optional-dependencies"].values() for line in lines]
    for name, (package, *_) in list(DISTRIBUTIONS.items())[:-1]:
        part = project(root, package)
        for key in ("version", "requires-python", "license"):
            assert part[key] == main[key], (name, key)
        ours = [line for line in [*part["dependencies"], *extras] if line.startswith(DISTRIBUTION)]
        pinned = {line.partition("==")[2] for line in ours if not line.startswith("pyibc[")}
        assert pinned == {main["version"]}
        assert any(line.startswith(name) for line in extras), f"no extra brings {name}"


# -- all of them, outside the clone


def test_it_works_outside_the_clone(installed, tmp_path):
    code = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "import ibc_module, handlers\n"
        "assert ibc_module.__file__.startswith(sys.argv[1]), ibc_module.__file__\n"
        "from ibc_testing import two_chains\n"
        "chains = two_chains()\n"
        "print(chains.a.chain.block(chains.a.chain.height).app_hash.hex())\n"
    )
    done = outside(tmp_path, "-P", "-c", code, str(installed))
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.strip()) == 64


def test_the_judges_stay_in_the_clone(installed, tmp_path):
    (tmp_path / "vectors").mkdir()
    site = {"PYTHONPATH": str(installed)}
    listed = outside(tmp_path, "-P", "-m", "pyibc", "--help", **site)
    assert listed.returncode == 0, listed.stderr
    assert "doctor" in listed.stdout
    assert "conformance" not in listed.stdout
    asked = outside(tmp_path, "-P", "-m", "pyibc", "conformance", "vectors", **site)
    where = "the judges are not part of an installed pyibc: `make conformance DIR=...` runs them in a clone"
    assert (asked.returncode, asked.stdout, asked.stderr) == (2, "", f"Error: {where}\n")


def test_a_folder_conformance_beside_an_installation_is_anothers(installed, tmp_path):
    site = shutil.copytree(installed, tmp_path / "site")
    (site / "conformance").mkdir()
    for name in ("__init__", "command"):
        (site / "conformance" / f"{name}.py").write_text("raise SystemExit('ran a stranger')")
    (site / "pyproject.toml").write_text('[project]\nname = "another"\n')
    listed = outside(tmp_path, "-P", "-m", "pyibc", "--help", PYTHONPATH=str(site))
    assert "conformance" not in listed.stdout
    asked = outside(tmp_path, "-P", "-m", "pyibc", "conformance", ".", PYTHONPATH=str(site))
    assert asked.returncode == 2
    assert "make conformance" in asked.stderr


def test_a_clone_finds_its_judges_by_place(root, tmp_path):
    front = tmp_path / "front" / "conformance"
    front.mkdir(parents=True)
    for name in ("__init__", "command", "dispatch"):
        (front / f"{name}.py").write_text("raise SystemExit('ran a stranger')")
    family = tmp_path / "ibc-literals"
    family.mkdir()
    (family / "ibc.json").write_text('{"denom": [{"path": "uatom", "ibc": "uatom"}]}')
    paths = os.pathsep.join([str(front.parent), str(root)])
    asked = outside(tmp_path, "-P", "-m", "pyibc", "conformance", str(family), PYTHONPATH=paths)
    assert asked.returncode == 0, asked.stderr
    assert asked.stdout.splitlines()[-1] == "1 passed, 0 failed"


# -- pyibc alone

CHAIN = """
from examples.tinychain import TinyBank, TinyChain
from pyibc import AddressCodec, Config, plugins
from pyibc.queues import QueueConfig, QueuePlugin

bank = TinyBank(AddressCodec("tiny"))
parts = [bank, *plugins(Config(account_prefix="tiny")), QueuePlugin(QueueConfig())]
chain = TinyChain("tiny-1", parts, {}, [b"v" * 32], lambda: 1_700_000_000 * 10**9)
chain.make_block()
print(chain.last.height)
"""


def test_a_chain_needs_pyibc_alone(core, root, tmp_path):
    shutil.copytree(root / "examples", tmp_path / "examples")
    done = outside(tmp_path, "-c", CHAIN, PYTHONPATH=str(core))
    assert (done.returncode, done.stdout) == (0, "2\n"), done.stderr


def outside(folder, *arguments, **env):
    """Python in a folder that is no clone."""
    env = {"PATH": "", "HOME": str(folder), **env}
    command = [sys.executable, *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=folder, check=False, env=env)
