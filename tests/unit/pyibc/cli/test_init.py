"""`pyibc init`: a project whose tests pass and whose chain a node opens, or nothing at all."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from localnet.network import Network, NetworkPlan
from localnet.node import open_chain
from localnet.settings import read_node, read_plan
from pyibc.cli import init
from pyibc.cli.init import EXAMPLES, FILES, write_example, write_project

ROOT = Path(__file__).parents[4]


def run(*arguments):
    return CliRunner().invoke(init.command, arguments)


@pytest.fixture
def project(tmp_path):
    write_project("mychain", tmp_path / "mychain")
    return tmp_path / "mychain"


@pytest.mark.parametrize(
    ("example", "chosen", "passed"),
    [
        ("", "kept or without", "2 passed"),
        ("ping", "", "1 passed"),
        pytest.param("", "", "4 passed", marks=pytest.mark.exhaustive),
        *(
            pytest.param(each, "", "1 passed", marks=pytest.mark.exhaustive)
            for each in EXAMPLES
            if each != "ping"
        ),
    ],
)
def test_the_tests_of_what_is_written_pass(tmp_path, example, chosen, passed):
    folder = tmp_path / "mychain"
    write_example(example, "mychain", folder) if example else write_project("mychain", folder)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", chosen],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTEST_ADDOPTS": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert passed in done.stdout


@pytest.mark.parametrize("example", EXAMPLES)
def test_an_example_is_a_package_of_its_own(tmp_path, monkeypatch, example):
    monkeypatch.chdir(tmp_path)
    done = run("--example", example)
    assert (done.exit_code, done.stderr) == (0, "")
    texts = {path: path.read_text() for path in Path(example).rglob("*") if path.is_file()}
    assert {Path(example, example, "__init__.py"), Path(example, "tests", f"test_{example}.py")} <= {*texts}
    assert not any("pyibc.examples" in text or "{{" in text.replace("${{", "") for text in texts.values())
    planned = read_plan(Path(example))
    assert (planned is not None) is ("pyibc localnet up" in done.stdout) is (example == "ping")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (
            ["--example", "pnig"],
            "error: there is no example 'pnig', did you mean ping? there are ping, ift, ",
        ),
        (["--example", "zzz"], "error: there is no example 'zzz': there are ping, ift, "),
        (["my-ping", "--example", "ping"], "error: 'my-ping' cannot name a chain"),
        ([], "Usage: "),
    ],
)
def test_an_example_that_there_is_not_is_refused(tmp_path, monkeypatch, arguments, told):
    monkeypatch.chdir(tmp_path)
    done = run(*arguments)
    assert done.exit_code == 2
    assert done.stderr.startswith(told)
    assert list(tmp_path.iterdir()) == []


def test_a_node_opens_the_chain_of_its_localnet_file(project, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(project)
    planned = read_plan(project)
    network = Network(planned.name, tmp_path / "net")
    network.create(NetworkPlan(**planned.plan()))
    home = network.folder / "mychain-a-1"
    chain = open_chain(home, read_node(home))
    try:
        assert chain.height == 1
        assert "mychain" in chain.app.store.names()
        assert "/mychain.Write" in chain.app.pipeline.messages()
    finally:
        chain.close()
        for name in [each for each in sys.modules if each.partition(".")[0] == "mychain"]:
            del sys.modules[name]


def test_it_writes_an_empty_folder_and_says_what_comes_next(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mychain").mkdir()
    done = run("mychain")
    assert (done.exit_code, done.stderr) == (0, "")
    assert "cd mychain" in done.stdout
    made = {str(path.relative_to("mychain")) for path in Path("mychain").rglob("*") if path.is_file()}
    assert made == {*(place.format(name="mychain") for place in FILES.values()), "mychain/__init__.py"}
    assert [path.name for path in tmp_path.iterdir()] == ["mychain"]
    assert not any(
        "{{" in path.read_text().replace("${{", "") for path in Path("mychain").rglob("*.*") if path.is_file()
    )


@pytest.mark.parametrize("what", ["file", "folder", "link"])
def test_what_is_there_is_not_touched(tmp_path, monkeypatch, what):
    monkeypatch.chdir(tmp_path)
    target = tmp_path / "mychain"
    if what == "file":
        target.write_text("mine")
    elif what == "folder":
        target.mkdir()
        (target / "mine").write_text("mine")
    else:
        (tmp_path / "elsewhere").mkdir()
        target.symlink_to(tmp_path / "elsewhere")
    before = sorted(tmp_path.rglob("*"))
    done = run("mychain")
    assert done.exit_code == 1
    assert done.stderr.startswith("error: mychain exists and is not an empty folder: ")
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize(
    "name",
    ["", "a", "My", "my-chain", "../up", "1chain", "a" * 21, "class", "json", "pyibc", "transfer", "é" * 3],
)
def test_a_name_that_fits_nothing_is_refused(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    done = run(name)
    assert done.exit_code == 2
    assert done.stderr.startswith("error: ")
    assert list(tmp_path.iterdir()) == []


def test_a_project_is_written_as_a_whole_or_not_at_all(tmp_path, monkeypatch):
    monkeypatch.setitem(init.FILES, "no such template", "late.txt")
    with pytest.raises(FileNotFoundError):
        write_project("mychain", tmp_path / "mychain")
    assert list(tmp_path.iterdir()) == []
