"""The guard in front of our common names, and the doctor: the real wheel among bad neighbours."""

import base64
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import click
import pytest

from pyibc.installation import EXTRAS, MARK, PACKAGES
from tests.sampling import sample

ENTRIES = ("pyibc", "ibc_module")
"""What a program imports first, and is told then even if `pyibc.core` itself cannot be found."""
REINSTALL = "pip install --force-reinstall --no-deps pyibc"


@pytest.fixture
def site(installed, tmp_path):
    """A folder of its own with the wheel in it."""
    return shutil.copytree(installed, tmp_path / "site")


@pytest.fixture
def python(tmp_path):
    """Runs Python with folders in front of `sys.path`, in a folder of its own; nothing of the clone."""

    def run(*arguments, paths, cwd=None):
        here = cwd or tmp_path / "work"
        here.mkdir(exist_ok=True)
        env = {"PATH": "", "HOME": str(tmp_path), "PYTHONPATH": os.pathsep.join(map(str, paths))}
        return subprocess.run(
            [sys.executable, *arguments], capture_output=True, text=True, cwd=here, env=env, check=False
        )

    return run


@pytest.fixture
def alone(python):
    """The same without the clone, which this environment's `.pth` file adds: no `.pth` file is read."""
    third_parties = Path(click.__file__).parents[1]

    def run(*arguments, paths):
        return python("-S", "-P", *arguments, paths=[*paths, third_parties])

    return run


def distribution(site, name, files):
    """Puts a distribution's files into `site` as pip does, over whatever is there; its RECORD lists them."""
    info = site / f"{name}-1.2.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.2\n")
    record = []
    for file, text in files.items():
        (site / file).parent.mkdir(parents=True, exist_ok=True)
        (site / file).write_text(text)
        digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
        record.append(f"{file},sha256={digest},{len(text)}")
    (info / "RECORD").write_text("\n".join([*record, f"{info.name}/RECORD,,", ""]))


def uninstall(site, name):
    """Removes what the distribution's RECORD lists."""
    info = site / f"{name}-1.2.dist-info"
    for line in (info / "RECORD").read_text().splitlines():
        (site / line.split(",")[0]).unlink()
    shutil.rmtree(info)


def told(done):
    """The error's one line."""
    assert done.returncode == 1, done.stdout
    *_, last = done.stderr.splitlines()
    assert last.startswith("ImportError: pyibc: "), done.stderr
    return last.removeprefix("ImportError: pyibc: ")


# -- all is well


def test_the_guard_knows_every_package(root):
    tool = tomllib.loads((root / "pyproject.toml").read_text())["tool"]
    assert list(PACKAGES) == tool["hatch"]["build"]["targets"]["wheel"]["only-include"]
    assert list(PACKAGES) == tool["importlinter"]["root_packages"]
    assert [name for name in PACKAGES if MARK not in (root / name / "__init__.py").read_bytes()] == []


@pytest.mark.exhaustive
def test_every_package_can_be_imported_first(site, python):
    for name in PACKAGES:
        code = f"import {name}; print({name}.__file__)"
        done = python("-P", "-c", code, paths=[site])
        assert (done.stderr, done.stdout) == ("", f"{site / name / '__init__.py'}\n")


@pytest.mark.exhaustive
def test_a_neighbour_behind_us_harms_nobody(site, python, tmp_path):
    distribution(tmp_path / "later", "late", {"handlers/__init__.py": "", "light_client.py": ""})
    done = python("-P", "-c", "import pyibc, light_client.registry", paths=[site, tmp_path / "later"])
    assert (done.returncode, done.stderr) == (0, "")


# -- hidden


@pytest.mark.exhaustive
@pytest.mark.parametrize("entry", ENTRIES)
def test_a_module_of_the_users_folder_hides_ours(site, python, tmp_path, entry):
    for name in PACKAGES:
        if name == entry:
            continue
        folder = tmp_path / name
        folder.mkdir()
        (folder / f"{name}.py").write_text("raise SystemExit('the wrong one was imported')\n")
        words = told(python("-c", f"import {entry}", paths=[site], cwd=folder))
        assert words == (
            f"its package {name!r} ({site / name}) is hidden by {folder / name}.py of no distribution, "
            "which comes first on sys.path; fix: rename that file, or take its folder off sys.path, or use "
            "an environment without another package of this name"
        )


@pytest.mark.exhaustive
def test_another_distribution_comes_first(site, python, tmp_path):
    front = tmp_path / "front"
    distribution(front, "rival", {"keepers/__init__.py": "x = 1\n", "handlers.py": ""})
    for entry in ENTRIES:
        words = told(python("-P", "-c", f"import {entry}", paths=[front, site]))
        assert f"its package 'handlers' ({site / 'handlers'}) is hidden by {front / 'handlers.py'}" in words
        assert "of the distribution 'rival 1.2'" in words
        assert "fix: uninstall 'rival 1.2' or use an environment" in words


@pytest.mark.exhaustive
@pytest.mark.parametrize("made", ["types.ModuleType('keepers')", "importlib.import_module('json')"])
def test_a_module_that_is_imported_already_counts(site, python, made):
    code = f"import sys, types, importlib; sys.modules['keepers'] = {made}; import pyibc"
    words = told(python("-P", "-c", code, paths=[site]))
    assert words.startswith(f"its package 'keepers' ({site / 'keepers'}) is hidden by ")


# -- replaced


@pytest.mark.parametrize("name", sample([name for name in PACKAGES if name != "pyibc"], 2, "installed over"))
def test_another_distribution_was_installed_over_ours(site, python, name):
    distribution(site, "rival", {f"{name}/__init__.py": "__version__ = '1.2'\n", f"{name}/more.py": ""})
    words = told(python("-P", "-c", "import pyibc", paths=[site]))
    file = site / name / "__init__.py"
    assert words == (
        f"the first file of its package {name!r}, {file}, was replaced by the distribution 'rival 1.2'; "
        "fix: pip uninstall rival && pip install --force-reinstall --no-deps pyibc"
    )


@pytest.mark.exhaustive
def test_somebody_emptied_a_file(site, python):
    (site / "keepers" / "__init__.py").write_text("")
    words = told(python("-P", "-c", "import ibc_module", paths=[site]))
    assert "was replaced by an unknown program (no other distribution records it)" in words


# -- gone


@pytest.mark.exhaustive
@pytest.mark.parametrize("entry", ENTRIES)
def test_the_other_distribution_was_uninstalled(site, python, entry):
    distribution(site, "rival", {"light_client/__init__.py": ""})
    uninstall(site, "rival")
    words = told(python("-P", "-c", f"import {entry}", paths=[site]))
    file = site / "light_client" / "__init__.py"
    assert words.startswith(f"its package 'light_client' is gone, there is no {file} (")
    assert words.endswith(f"; fix: {REINSTALL}")


# -- pyibc without extras

USES = {
    "arrow": "from pyibc.indexer import read",
    "indexer": "from pyibc import index",
    "localnet": "from pyibc import localnet",
    "node": "import pyibc; pyibc.node",
    "relayer": "from pyibc import relay",
    "testing": "from pyibc.testing import two_chains",
}
WITHOUT = """
import importlib.util, sys
names, rest, find = set(sys.argv[1].split(",")), sys.argv[2:], importlib.util.find_spec
importlib.util.find_spec = lambda name, *more: None if name in names else find(name, *more)

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name in names:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Absent())
"""
"""Hides the modules that its first argument names."""
COMMAND = (
    f"{WITHOUT}\nimport runpy\nsys.argv = ['pyibc', *rest]\nrunpy.run_module('pyibc', run_name='__main__')"
)


def bare(*names):
    """The argument of `WITHOUT`: what all extras bring, or the modules of these names."""
    return ",".join(names or sorted({name for brought in EXTRAS.values() for name in brought}))


def test_every_extra_has_a_use():
    assert USES.keys() == EXTRAS.keys()


@pytest.mark.parametrize("extra", sample(USES, 2, "extras"))
def test_what_is_not_installed_says_so_when_it_is_used(installed, alone, extra):
    first = EXTRAS[extra][-1]
    done = alone("-c", f"{WITHOUT}\n{USES[extra]}", first, paths=[installed])
    *_, last = done.stderr.splitlines()
    words = f"pyibc: {first} is not installed; fix: pip install 'pyibc[{extra}]'"
    assert last == f"pyibc.installation.NotInstalled: {words}"


ALL = """
from pyibc import *
print(*sorted({"Pipeline", "index", "relay"} & {*globals()}))
"""


def test_all_that_is_public_is_there(installed, python):
    assert python("-P", "-c", ALL, paths=[installed]).stdout == "Pipeline index relay\n"


@pytest.mark.exhaustive
def test_all_that_is_public_is_what_is_installed(site, alone):
    assert alone("-c", f"{WITHOUT}\n{ALL}", bare(), paths=[site]).stdout == "Pipeline\n"


@pytest.mark.exhaustive
@pytest.mark.parametrize("command", ["demo", "localnet", "tx", "relay", "query", "watch", "export", "index"])
def test_a_command_says_what_it_lacks(site, alone, command):
    done = alone("-c", COMMAND, bare(), command, "--help", paths=[site])
    assert (done.returncode, done.stdout) == (1, "")
    assert re.fullmatch(r"Error: pyibc: \w+ is not installed; fix: pip install 'pyibc\[\w+\]'\n", done.stderr)


@pytest.mark.exhaustive
def test_the_help_says_which_commands_are_not_installed(site, alone):
    done = alone("-c", COMMAND, bare(), "--help", paths=[site])
    assert done.returncode == 0
    lines = " ".join(done.stdout.split())
    assert "relay packets between two chains (needs pyibc[relayer])" in lines
    assert "how to install them (needs" not in lines


@pytest.mark.exhaustive
def test_the_doctor_of_a_chain_misses_nothing(site, alone):
    done = alone("-c", COMMAND, bare(), "doctor", paths=[site])
    assert done.returncode == 0, done.stdout
    assert "ok   Java: not needed without pyibc[indexer]\n" in done.stdout


@pytest.mark.exhaustive
def test_the_doctor_names_what_extras_would_bring(site, alone):
    done = alone("-c", COMMAND, bare("grpc", "pyspark"), "doctor", paths=[site])
    node, indexer = (
        "without grpc: pip install 'pyibc[node]'",
        "without pyspark: pip install 'pyibc[indexer]'",
    )
    assert f"ok   extras: {node}; {indexer}\n" in done.stdout


# -- the command and the doctor


def files_line(done):
    (line,) = [line for line in done.stdout.splitlines() if re.match("(ok|BAD) +files: ", line)]
    return line


@pytest.mark.exhaustive
def test_the_doctor_finds_nothing_wrong(site, python):
    (info,) = site.glob("pyibc-*.dist-info")
    version = info.stem.partition("-")[2]
    done = python("-P", "-m", "pyibc", "doctor", paths=[site])
    assert files_line(done) == f"ok   files: version {version}, in {site}"


@pytest.mark.exhaustive
def test_the_doctor_names_files(site, python):
    (site / "handlers" / "dispatch.py").unlink()
    with (site / "iavl" / "errors.py").open("a") as file:
        file.write("\n")
    distribution(site, "rival", {"light_client/added.py": "", "light_client/py.typed": "", "rival.py": ""})
    done = python("-P", "-m", "pyibc", "doctor", paths=[site])
    assert done.returncode == 1
    assert files_line(done) == (
        "BAD  files: missing: handlers/dispatch.py; changed: iavl/errors.py; also another's: "
        "light_client/added.py (rival 1.2), light_client/py.typed (rival 1.2)"
    )
    assert f"     fix: uninstall the other distribution, if one is named; {REINSTALL}" in done.stdout


@pytest.mark.exhaustive
def test_an_editable_installation(site, python, tmp_path):
    (info,) = site.glob("pyibc-*.dist-info")
    place = tmp_path / "lib"
    shutil.move(info, place / info.name)
    (place / info.name / "RECORD").write_text("_editable_impl_pyibc.pth,,\n")
    (place / info.name / "direct_url.json").write_text(
        f'{{"dir_info": {{"editable": true}}, "url": "{site.as_uri()}"}}'
    )
    done = python("-P", "-m", "pyibc", "doctor", paths=[place, site])
    assert files_line(done) == f"ok   files: editable, in {site}"
    (place / info.name / "direct_url.json").unlink()
    done = python("-P", "-m", "pyibc", "doctor", paths=[place, site])
    assert files_line(done) == f"ok   files: not installed, run from {site}"
