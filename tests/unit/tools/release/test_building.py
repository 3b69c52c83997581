"""A release is built twice, and two builds of a commit are equal byte for byte."""

import subprocess
import tarfile

import pytest

from tools.release.building import build, compare, members
from tools.release.errors import NotReproducible

PROJECT = """
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"

[project]
name = "tiny"
version = "1.2"
requires-python = ">=3.11"

[tool.hatch.build.hooks.custom]
"""
HOOK = """
import os, pathlib
from hatchling.builders.hooks.plugin.interface import BuildHookInterface

class Hook(BuildHookInterface):
    def initialize(self, version, build_data):
        pathlib.Path(self.root, "tiny.py").write_text({text})
"""
TIME = 1_700_000_000


@pytest.fixture
def project(tmp_path):
    """A committed project whose build writes the value of an expression into its module."""

    def make(text):
        root = tmp_path / "project"
        root.mkdir()
        (root / "pyproject.toml").write_text(PROJECT)
        (root / "hatch_build.py").write_text(HOOK.replace("{text}", text))
        (root / "tiny.py").write_text("")
        who = ("-c", "user.name=a", "-c", "user.email=a@b")
        for command in (("init", "-q"), ("add", "."), (*who, "commit", "-qm", "first")):
            env = {"PATH": "/usr/bin:/bin:/usr/local/bin", "GIT_COMMITTER_DATE": f"{TIME} +0000"}
            subprocess.run(["git", *command], cwd=root, check=True, env=env)
        return root

    return make


def test_two_builds_are_equal_and_bear_the_time_of_the_commit(project, tmp_path):
    root = project("'x = 1'")
    (root / "tiny.py").write_text("what is not committed")
    (tmp_path / "out").mkdir()
    sdist, wheel = sorted(build(root, tmp_path / "out"), key=lambda path: path.suffix)
    assert (sdist.name, wheel.name) == ("tiny-1.2.tar.gz", "tiny-1.2-py3-none-any.whl")
    assert "tiny.py" in members(sdist)
    with tarfile.open(sdist) as archive:
        assert {member.mtime for member in archive.getmembers()} == {TIME}
        assert archive.extractfile("tiny-1.2/tiny.py").read() == b"x = 1"


def test_a_build_that_takes_something_from_the_machine_is_refused(project, tmp_path):
    root = project("os.environ['TZ']")
    (tmp_path / "out").mkdir()
    with pytest.raises(NotReproducible, match=r"tiny-1\.2-py3-none-any\.whl, tiny-1\.2\.tar\.gz"):
        build(root, tmp_path / "out")
    assert list((tmp_path / "out").iterdir()) == []


def test_a_file_of_one_build_only_is_a_difference(tmp_path):
    first, second = tmp_path / "1", tmp_path / "2"
    for folder in (first, second):
        folder.mkdir()
        (folder / "same").write_text("")
    (second / "more").write_text("")
    with pytest.raises(NotReproducible, match="differ in more:"):
        compare(first, second)
