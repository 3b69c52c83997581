"""Commands of other distributions, by entry points of the group `pyibc.commands`."""

import subprocess
import sys
from importlib import metadata
from pathlib import Path
from zipfile import ZipFile

import pytest
from click.testing import CliRunner

from pyibc.cli import added_commands, main

ROOT = Path(__file__).parents[4]


@pytest.fixture
def add(tmp_path, monkeypatch):
    """Return a function that installs a distribution with one entry point."""

    def install(name, value):
        (tmp_path / "other_commands.py").write_text(
            "import click\n\n@click.command()\ndef greet():\n    click.echo('hello')\n\nnumber = 1\n"
        )
        info = tmp_path / "other-1.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(
            "Metadata-Version: 2.1\nName: other\nVersion: 1\nSummary: greet people\n"
        )
        (info / "entry_points.txt").write_text(f"[pyibc.commands]\n{name} = {value}\n")
        monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
        return tmp_path

    return install


@pytest.fixture
def alone(monkeypatch):
    """`sys.path` without the clone's conformance suite."""
    monkeypatch.setattr(sys, "path", [])


def run(*args):
    return CliRunner().invoke(main, args)


def test_it_is_listed_and_runs(add):
    assert run("greet").exit_code == 2
    add("greet", "other_commands:greet")
    listed = run("--help").output
    assert "greet" in listed
    assert "greet people" in listed
    done = run("greet")
    assert (done.exit_code, done.output) == (0, "hello\n")


def test_it_does_not_replace_a_command_of_pyibc(add):
    add("doctor", "other_commands:greet")
    assert "greet people" not in run("--help").output
    assert "Check Python, Java" in run("doctor", "--help").output


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (
            "other_absent:greet",
            "broken cannot be loaded from other_absent:greet: No module named 'other_absent'",
        ),
        ("other_commands:absent", "broken cannot be loaded from other_commands:absent: "),
        ("other_commands:number", "other_commands:number is not a click command, so broken cannot be run"),
    ],
)
def test_one_that_cannot_be_loaded_ends_in_one_line(add, value, said):
    add("broken", value)
    done = run("broken")
    assert done.exit_code == 1
    assert done.output.startswith(f"Error: {said}")
    assert done.output.count("\n") == 1


def test_the_help_without_any_loads_neither_metadata_nor_the_plugin():
    code = "import sys; from pyibc.cli import added_commands as added, main; added.GROUP = 'nobody'\n"
    code += "main(['--help'], standalone_mode=False)\n"
    code += "print(*{'importlib.metadata', 'ibc_module', 'pluggy', 'pathlib', 'email'} & set(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True, timeout=60
    )
    assert done.stdout.splitlines()[-1] == ""
    assert "Commands:" in done.stdout


def test_without_any_the_metadata_of_distributions_is_not_read(alone, monkeypatch, tmp_path):
    (tmp_path / "other-1.dist-info").mkdir()  # without entry points
    monkeypatch.setattr(sys, "path", [str(tmp_path), str(tmp_path / "absent"), str(tmp_path / "absent.zip")])
    monkeypatch.setattr(metadata, "entry_points", None)
    assert not added_commands.may_add()
    assert added_commands.added() == {}


def test_those_in_a_zip_file_are_found(alone, add, monkeypatch, tmp_path):
    folder = add("greet", "other_commands:greet")
    packed = tmp_path / "packed.zip"
    with ZipFile(packed, "w") as file:
        for each in folder.glob("other-1.dist-info/*"):
            file.write(each, each.relative_to(folder))
    monkeypatch.setattr(sys, "path", [str(packed)])
    assert [*added_commands.added()] == ["greet"]


def test_those_of_another_finder_are_found(alone, monkeypatch):
    class Finder(metadata.DistributionFinder):
        def find_spec(self, fullname, path, target=None):
            return None

        def find_distributions(self, context=None):
            return [Other()]

    class Other(metadata.Distribution):
        def read_text(self, filename):
            texts = {
                "METADATA": "Metadata-Version: 2.1\nName: other\nVersion: 1\n",
                "entry_points.txt": "[pyibc.commands]\ngreet = other_commands:greet\n",
            }
            return texts.get(filename)

        def locate_file(self, path):
            return Path(path)

    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path, Finder()])
    assert [*added_commands.added()] == ["greet"]
