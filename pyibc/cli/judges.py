"""`pyibc conformance`: runs the conformance suite of a clone, which is not part of the wheel."""

import sys
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import click

ROOT = Path(__file__).resolve().parents[2]
ABSENT = "the judges are not part of an installed pyibc: `make conformance DIR=...` runs them in a clone"


class NotInstalled(click.ClickException):
    """A command that only a clone has; exit code 2."""

    exit_code = 2

    def __init__(self) -> None:
        super().__init__(ABSENT)


def present() -> bool:
    """Whether this is a clone with a folder `conformance`; beside a wheel such a folder is another's."""
    project = ROOT / "pyproject.toml"
    ours = project.is_file() and '\nname = "pyibc"\n' in project.read_text(encoding="utf-8")
    return ours and (ROOT / "conformance" / "command.py").is_file()


def command() -> click.Command:
    """The clone's command, loaded by path: `conformance` may also be a module of another distribution.

    Raises:
        NotInstalled: this is not a clone.
    """
    if not present():
        raise NotInstalled
    _take(ROOT / "conformance" / "__init__.py")
    found: click.Command = import_module("conformance.command").command
    return found


def _take(file: Path) -> None:
    """Imports `conformance` from `file`, whatever `sys.path` contains under that name."""
    held = sys.modules.get("conformance")
    if getattr(held, "__file__", None) == str(file):
        return
    spec = spec_from_file_location("conformance", file, submodule_search_locations=[str(file.parent)])
    if spec is None or spec.loader is None:
        raise NotInstalled
    for name in [each for each in sys.modules if each.partition(".")[0] == "conformance"]:
        del sys.modules[name]
    package = module_from_spec(spec)
    sys.modules["conformance"] = package
    spec.loader.exec_module(package)
