"""The README's tree is the tree on disk."""

import re
import subprocess

import pytest

ASIDE = {"requirements", "tools", "changelog.d", ".ci", ".github"}
"""Top-level folders that a newcomer need not know."""


@pytest.fixture(scope="module")
def tree(root):
    """Folder -> what the README says of it."""
    readme = root / "README.md"
    text = readme.read_text(encoding="utf-8") if readme.exists() else ""
    for block in re.split(r"^```.*\n", text, flags=re.MULTILINE)[1::2]:
        lines = [re.fullmatch(r"(\w[\w.]*)/ +(.+)", line) for line in block.splitlines()]
        if len(lines) > 3 and all(lines):
            return {line[1]: line[2] for line in lines}
    pytest.skip("README.md has no tree block yet: one folder a line, `name/   what it is`")


def test_every_folder_of_the_tree_is_there_and_none_is_missing(root, tree):
    listed = subprocess.run(["git", "ls-files"], capture_output=True, text=True, cwd=root, check=True).stdout
    tracked = {line.split("/")[0] for line in listed.splitlines() if "/" in line}
    assert set(tree) == tracked - ASIDE
