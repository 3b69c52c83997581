"""Commands of other distributions, by entry points of the group `pyibc.commands`."""

import pytest
from click.testing import CliRunner

from pyibc.cli import main


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
        monkeypatch.syspath_prepend(tmp_path)

    return install


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


def test_the_clone_adds_the_conformance_suite():
    done = run("conformance", "--help")
    assert done.exit_code == 0
    assert "Run the conformance vectors in DIR" in done.output
