"""`pyibc init`: the project of a new chain."""

import os
import re
import shutil
import sys
from importlib.resources import files
from keyword import iskeyword
from pathlib import Path
from tempfile import mkdtemp

import click

from pyibc.cli.reporting import reporting
from pyibc.installation import PACKAGES

_NAME = re.compile(r"[a-z][a-z0-9]{1,19}")
_TAKEN = {*PACKAGES, *sys.stdlib_module_names, "tests", "transfer", "bank", "acc", "ibc"}
"""Names of modules and stores that a chain has already."""

FILES = {
    "chain.py": "{name}/chain.py",
    "test_chain.py": "tests/test_chain.py",
    "localnet.toml": "localnet.toml",
    "pyproject.toml": "pyproject.toml",
    "README.md": "README.md",
    "test.yml": ".github/workflows/test.yml",
    "gitignore": ".gitignore",
}
"""Place of each file in the project, by the name of its template."""


@click.command()
@click.argument("name")
@reporting(FileExistsError, wrong_use=ValueError)
def command(name: str) -> None:
    """Write the project of a chain NAME into a new folder: an application, tests, settings of a localnet."""
    folder = Path(name)
    write_project(name, folder)
    click.echo(f"{folder}: a chain with one message and one packet, in {name}/chain.py. Next:")
    click.echo(f"  cd {folder}\n  pip install -e '.[test]'\n  pytest\n  pyibc localnet up")


def write_project(name: str, folder: Path) -> None:
    """Write the project of a chain, all of it or nothing.

    Raises:
        ValueError: the name is not usable as that of a package, a store and a network.
        FileExistsError: the folder is not empty, or is a file.
        OSError: the folder cannot be written.
    """
    if not _NAME.fullmatch(name):
        raise ValueError(f"{name!a:.64} cannot name a chain: use 2 to 20 of a-z and 0-9, a letter first")
    if name in _TAKEN or iskeyword(name):
        raise ValueError(f"{name} is the name of a module or store already: choose another one")
    if folder.is_symlink() or (folder.exists() and not (folder.is_dir() and not any(folder.iterdir()))):
        raise FileExistsError(f"{folder} exists and is not an empty folder: choose another name, or move it")
    staging = Path(mkdtemp(prefix=f".{name}-", dir=folder.parent))
    try:
        made = staging / name
        templates = files("pyibc.cli.init") / "project"
        for template, place in FILES.items():
            path = made / place.format(name=name)
            path.parent.mkdir(parents=True, exist_ok=True)
            text = (templates / f"{template}.tmpl").read_text("utf-8")
            path.write_text(text.replace("{{name}}", name), "utf-8")
        (made / name / "__init__.py").write_text(f'"""The chain {name}."""\n', "utf-8")
        os.replace(made, folder)  # noqa: PTH105 - onto an empty folder, which fails if it is not
    finally:
        shutil.rmtree(staging)
