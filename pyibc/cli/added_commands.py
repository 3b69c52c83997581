"""Commands that other distributions add, by entry points of the group GROUP."""

import sys
from collections.abc import Iterator
from importlib.machinery import PathFinder
from os import scandir
from os.path import exists, isdir, join
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "pyibc.commands"
"""Entry points of other distributions that add commands. The help shows the distribution's summary."""
_INFO = (".dist-info", ".egg-info", "EGG-INFO")


def added() -> dict[str, "EntryPoint"]:
    """Return the entry points of the commands that other distributions add, by name."""
    if not may_add():
        return {}
    from importlib.metadata import entry_points

    return {each.name: each for each in entry_points(group=GROUP)}


def may_add() -> bool:
    """Return whether a distribution may add a command; if not, `importlib.metadata` is not needed.

    Importing that takes a third of the time of `pyibc --help`. Only folders are looked through: what is in a
    zip file, or found in another way than by `sys.path`, is left to it.
    """
    if any(hasattr(each, "find_distributions") for each in sys.meta_path if each is not PathFinder):
        return True
    return any(GROUP.encode() in text for folder in sys.path for text in _entry_points(folder or "."))


def _entry_points(folder: str) -> Iterator[bytes]:
    """Iterate over the files that declare the entry points of the distributions in a folder of `sys.path`."""
    if not isdir(folder):
        if exists(folder):  # such as a zip file
            yield GROUP.encode()
        return
    try:
        names = [each.name for each in scandir(folder) if each.name.endswith(_INFO)]
    except OSError:  # not readable: nothing can be imported from it either
        return
    for name in names:
        try:
            with open(join(folder, name, "entry_points.txt"), "rb") as file:
                yield file.read()
        except OSError:  # most have none
            continue


def summary_of(entry_point: "EntryPoint") -> str:
    """Return the summary of the distribution that adds a command."""
    return (entry_point.dist and entry_point.dist.metadata["Summary"]) or ""


def load(entry_point: "EntryPoint") -> click.Command:
    """Import the command of an entry point."""
    try:
        command = entry_point.load()
    except (ImportError, AttributeError) as error:
        why = f"{entry_point.name} cannot be loaded from {entry_point.value}: {error}"
        raise click.ClickException(why) from error
    if not isinstance(command, click.Command):
        why = f"{entry_point.value} is not a click command, so {entry_point.name} cannot be run"
        raise click.ClickException(why)
    return command
