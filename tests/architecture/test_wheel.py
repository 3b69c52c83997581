"""The wheel: exactly our packages, their data, and it works where the sources are not."""

import os
import shutil
import subprocess
import sys
import zipfile

import pytest

pytestmark = pytest.mark.slow

DATA = {
    "ibc_proto/descriptors.binpb",
    "ibc_core/py.typed",
    "ibc_proto/py.typed",
    "pyibc/py.typed",
}


def names(wheel):
    with zipfile.ZipFile(wheel) as archive:
        return archive.namelist()


def test_the_wheel_holds_the_packages_and_nothing_else(wheel, packages):
    tops = {name.split("/")[0] for name in names(wheel)}
    assert {top for top in tops if not top.endswith(".dist-info")} == set(packages)


def test_every_module_is_in_it(wheel, sources):
    assert set(sources) - set(names(wheel)) == set()


def test_data_is_in_it(wheel):
    assert DATA - set(names(wheel)) == set()


def test_no_rubbish_is_in_it(wheel):
    assert [name for name in names(wheel) if "__pycache__" in name or name.endswith((".pyc", ".orig"))] == []


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


def outside(folder, *arguments, **env):
    """Python in a folder that is no clone."""
    env = {"PATH": "", "HOME": str(folder), **env}
    command = [sys.executable, *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=folder, check=False, env=env)
