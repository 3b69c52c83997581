"""The README's tree is the tree on disk, in the words of the folders and the order of the layers."""

import ast
import re
import subprocess
import tomllib

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


def test_each_folder_says_of_itself_what_the_tree_says(root, tree, packages):
    inits = {name: root / name / "__init__.py" for name in tree}
    docs = {
        name: ast.get_docstring(ast.parse(init.read_text(encoding="utf-8"))).splitlines()[0]
        for name, init in inits.items()
        if init.exists()
    }
    assert docs == {name: tree[name] for name in docs}
    assert set(packages) | {"conformance", "examples"} == set(docs)


def test_the_tree_stands_in_the_order_of_the_layers(root, tree):
    settings = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    (contract,) = [each for each in settings["contracts"] if each["type"] == "layers"]
    order = [name.strip() for layer in contract["layers"] for name in layer.split("|")]
    assert [name for name in tree if name in order] == order
    assert settings["root_packages"] == order
