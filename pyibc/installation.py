"""Check that the top-level packages found on sys.path are this distribution's, before any is imported.

Their names are common ones (`handlers`, `keepers`, `light_client`), and Python imports the first one found: a
module in the user's folder may hide a package, another distribution may have replaced its files, and
uninstalling that one deletes them. Without this check each case would end in an obscure ImportError, or go
unnoticed.

Only the standard library is imported here: `ibc_module` runs this file by its path, without an import,
because another module may hide `pyibc` itself. Not `pathlib`: it takes longer to import than all of this.
"""

import os.path
import sys
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from types import MappingProxyType

DISTRIBUTION = "pyibc"
PACKAGES = (
    "pyibc",
    "localnet",
    "ibc_module",
    "handlers",
    "keepers",
    "light_client",
    "iavl",
    "abci_server",
    "pyspark_ibc",
)
"""Top-level packages of the distribution."""
_RELAYER = ("mnemonic", "prometheus_client", "urllib3")
EXTRAS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "relayer": _RELAYER,
        "localnet": _RELAYER,
        "testing": _RELAYER,
        "node": (*_RELAYER, "grpc", "grpc_reflection", "h2"),
        "arrow": ("pyarrow",),
        "indexer": (
            "pyarrow",
            "pyspark",
            "pandas",
            "duckdb",
            "deltalake",
            "prometheus_client",
            "urllib3",
            "matplotlib",
            "jinja2",
        ),
    }
)
"""Modules that an extra of the distribution installs and its packages import, by extra (docs/adr/0037)."""
MARK = f'\n__distribution__ = "{DISTRIBUTION}"\n'.encode()
"""Line in the `__init__.py` of every package."""
ROOT = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
"""Folder of the packages."""


class NotInstalled(ImportError):
    """A module that an extra of the distribution installs is missing."""


def check() -> None:
    """Check that the import system finds this distribution's packages, with unchanged first files.

    Raises:
        ImportError: one is another distribution's. One line: the package, the file found, its owner, and
            the remedy.
    """
    for name in PACKAGES:
        problem = _problem(name)
        if problem:
            raise ImportError(problem, name=name)


def need(extra: str) -> None:
    """Check that all modules of an extra are installed.

    Raises:
        NotInstalled: one is not. One line with the extra to install.
    """
    for name in lacking(extra):
        fix = f"pip install '{DISTRIBUTION}[{extra}]'"
        raise NotInstalled(f"{DISTRIBUTION}: {name} is not installed; fix: {fix}", name=name)


def lacking(extra: str) -> list[str]:
    """Return the modules of an extra that are not installed."""
    return [name for name in EXTRAS[extra] if name not in sys.modules and find_spec(name) is None]


def _problem(name: str) -> str:
    """Return the problem of a package, empty if there is none."""
    found, own = _origin(name), os.path.join(ROOT, name)
    if found is not None and os.path.dirname(os.path.realpath(found)) == own:
        return "" if _marked(found) else _replaced(name, found)
    first = os.path.join(own, "__init__.py")
    return _hidden(name, found, own) if os.path.isfile(first) else _gone(name, own)


def _origin(name: str) -> str | None:
    """Return the file that `import name` runs or has run; None if there is none or no `__init__.py`."""
    module = sys.modules.get(name)
    if module is not None:
        return getattr(module, "__file__", None)
    spec = find_spec(name)  # of a top-level name, which imports nothing
    return spec.origin if spec is not None and spec.has_location else None


def _marked(path: str) -> bool:
    if not path.endswith(".py") or not os.path.isfile(path):  # frozen or zipped: cannot be installed over
        return True
    with open(path, "rb") as file:
        return MARK in file.read().replace(b"\r\n", b"\n")


# -- error messages


def _gone(name: str, own: str) -> str:
    where = os.path.join(own, "__init__.py")
    why = "uninstalling another distribution that had installed over it removes it"
    return f"{DISTRIBUTION}: its package {name!a} is gone, there is no {where} ({why}); fix: {_again(name)}"


def _hidden(name: str, found: str | None, own: str) -> str:
    owner = next(owners(found), None) if found else None
    whose = f"of the distribution {owner!a}" if owner else "of no distribution"
    move = f"uninstall {owner!a} or" if owner else "rename that file, or take its folder off sys.path, or"
    return (
        f"{DISTRIBUTION}: its package {name!a} ({own}) is hidden by {found or 'a module'} {whose}, which "
        f"comes first on sys.path; fix: {move} use an environment without another package of this name"
    )


def _replaced(name: str, found: str) -> str:
    owner = next(owners(found), None)
    unknown = "an unknown program (no other distribution records it)"
    whose = f"the distribution {owner!a}" if owner else unknown
    first = f"pip uninstall {owner.partition(' ')[0]} && " if owner else ""
    return (
        f"{DISTRIBUTION}: the first file of its package {name!a}, {found}, was replaced by {whose}; "
        f"fix: {first}{_again(name)}"
    )


def _again(name: str) -> str:
    clone = os.path.exists(os.path.join(ROOT, ".git"))
    again = f"pip install --force-reinstall --no-deps {DISTRIBUTION}"
    return f"git restore {name} in {ROOT}" if clone else again


def owners(path: str) -> Iterator[str]:
    """Yield name and version of every other distribution whose record lists the file `path`."""
    from importlib.metadata import distributions  # noqa: PLC0415 - slow, and only for errors

    place, name = os.path.realpath(path), os.path.basename(path)
    for each in distributions():
        if each.name == DISTRIBUTION:
            continue
        listed = (file for file in each.files or () if file.name == name)
        if any(os.path.realpath(str(file.locate())) == place for file in listed):
            yield f"{each.name} {each.version}"
