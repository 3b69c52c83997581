"""`pyibc init`: the project of a new chain, or of an example."""

import os
import re
import shutil
import sys
from collections.abc import Iterator
from difflib import get_close_matches
from importlib.resources import files
from importlib.resources.abc import Traversable
from keyword import iskeyword
from pathlib import Path
from tempfile import mkdtemp
from typing import NamedTuple

import click

from pyibc.cli.reporting import reporting
from pyibc.installation import PACKAGES

_CODE = "pyibc.examples"


class Example(NamedTuple):
    """An example, by the name of its module or package below `pyibc.examples`."""

    module: str
    summary: str
    run: str = ""  # commands of its README, after the tests


EXAMPLES = {
    "ping": Example(
        "ping_app",
        "an application: a message sends a ping, the other chain answers",
        """
Two chains in processes of their own, by `localnet.toml`, and a ping from the first to the second:

    pyibc localnet up
    pyibc relay create path --port ping --version ping-1
    pyibc tx json /examples.Ping '{"channel": "channel-0", "until_ns": 9000000000000000000}'
    pyibc relay --port ping --version ping-1
    pyibc query packet ping/channel-0 1
""",
    ),
    "ift": Example("ift", "a token that a contract on another chain mints by GMP"),
    "attestor": Example("attestor", "a light client: attestors sign the roots of a chain"),
    "tinychain": Example("tinychain", "a host of its own for IBC, with a bank and its own transactions"),
    "kvchain": Example(
        "kvchain",
        "a key-value chain under CometBFT, without IBC",
        """
Under CometBFT (`pyibc cometbft install` prints its path), in two shells:

    python -m {{name}} . unix://app.sock
    cometbft init --home .comet && cometbft start --home .comet --proxy_app unix://app.sock
    curl 'localhost:26657/broadcast_tx_commit?tx="a=b"'
""",
    ),
}


def example_of(name: str) -> Example:
    """Return an example; raise ValueError if there is none of this name."""
    if name in EXAMPLES:
        return EXAMPLES[name]
    close = get_close_matches(name, EXAMPLES, 1)
    meant = f", did you mean {close[0]}?" if close else ":"
    raise ValueError(f"there is no example {name!a:.64}{meant} there are {', '.join(EXAMPLES)}")


def example_files(example: Example, name: str) -> Iterator[tuple[str, str]]:
    """Iterate over the places and texts of an example's code, as the package `name`."""
    old = f"{_CODE}.{example.module}"
    source = files(_CODE)
    module = source / f"{example.module}.py"
    found = [("__init__.py", module)] if module.is_file() else _modules(source / example.module)
    for place, file in found:
        yield f"{name}/{place}", file.read_text("utf-8").replace(old, name)


def _modules(folder: Traversable) -> list[tuple[str, Traversable]]:
    """Return the modules of a package, which has no packages inside."""
    return sorted((each.name, each) for each in folder.iterdir() if each.name.endswith(".py"))


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


_EXAMPLE_FILES = {
    "example.README.md": "README.md",
    "pyproject.toml": "pyproject.toml",
    "test.yml": ".github/workflows/test.yml",
    "gitignore": ".gitignore",
}
"""Files of a project that is made of an example, beside its code and test."""
_LISTED = "\n".join(f"  {name:<10} {example.summary}" for name, example in EXAMPLES.items())


@click.command(epilog=f"\b\nExamples:\n{_LISTED}")
@click.argument("name", required=False)
@click.option(
    "--example", help="Write this example, instead of a new chain; NAME is the example's if left out."
)
@reporting(FileExistsError, wrong_use=ValueError)
def command(name: str | None, example: str | None) -> None:
    """Write the project of a chain NAME into a new folder: an application, tests, settings of a localnet."""
    if name is None and example is None:
        raise click.UsageError("Missing argument 'NAME': the name of the chain, or --example")
    if example is None:
        folder = Path(name or "")
        write_project(str(name), folder)
        click.echo(f"{folder}: a chain with one message and one packet, in {name}/chain.py. Next:")
    else:
        folder = Path(name or example)
        summary = example_of(example).summary
        write_example(example, folder.name, folder)
        click.echo(f"{folder}: {summary}. Next:")
    click.echo(f"  cd {folder}\n  pip install -e '.[test]'\n  pytest")
    if (folder / "localnet.toml").exists():
        click.echo("  pyibc localnet up")


def write_project(name: str, folder: Path) -> None:
    """Write the project of a chain, all of it or nothing.

    Raises:
        ValueError: the name is not usable as that of a package, a store and a network.
        FileExistsError: the folder is not empty, or is a file.
        OSError: the folder cannot be written.
    """
    _check(name, folder)
    texts = {place.format(name=name): _template(name, template) for template, place in FILES.items()}
    _write(folder, {**texts, f"{name}/__init__.py": f'"""The chain {name}."""\n'})


def write_example(example: str, name: str, folder: Path) -> None:
    """Write a project with the code of an example as the package `name`, and a test, all of it or nothing.

    Raises:
        ValueError: there is no such example, or the name is not usable as that of a package and a network.
        FileExistsError: the folder is not empty, or is a file.
        OSError: the folder cannot be written.
    """
    chosen = example_of(example)
    _check(name, folder)
    texts = {place: _template(name, template) for template, place in _EXAMPLE_FILES.items()}
    texts["README.md"] = (
        texts["README.md"]
        .replace("{{summary}}", chosen.summary)
        .replace("{{example}}", example)
        .replace("{{run}}", chosen.run.replace("{{name}}", name))
    )
    texts.update(example_files(chosen, name))
    texts[f"tests/test_{name}.py"] = _template(name, f"test_{example}.py")
    if "localnet up" in chosen.run:
        texts["localnet.toml"] = _template(name, "localnet.toml").replace(f"{name}.chain:", f"{name}:")
    _write(folder, texts)


def _check(name: str, folder: Path) -> None:
    """Raise ValueError or FileExistsError where a project cannot be written."""
    if not _NAME.fullmatch(name):
        raise ValueError(f"{name!a:.64} cannot name a chain: use 2 to 20 of a-z and 0-9, a letter first")
    if name in _TAKEN or iskeyword(name):
        raise ValueError(f"{name} is the name of a module or store already: choose another one")
    if folder.is_symlink() or (folder.exists() and not (folder.is_dir() and not any(folder.iterdir()))):
        raise FileExistsError(f"{folder} exists and is not an empty folder: choose another name, or move it")


def _template(name: str, template: str) -> str:
    text = (files("pyibc.cli.init") / "project" / f"{template}.tmpl").read_text("utf-8")
    return text.replace("{{name}}", name)


def _write(folder: Path, texts: dict[str, str]) -> None:
    staging = Path(mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    try:
        made = staging / folder.name
        for place, text in texts.items():
            path = made / place
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
        os.replace(made, folder)  # noqa: PTH105 - onto an empty folder, which fails if it is not
    finally:
        shutil.rmtree(staging)
