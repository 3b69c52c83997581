"""Whether the packages found by our names are ours: looked at before any of them is imported.

Our top-level names are common ones (`handlers`, `keepers`, `light_client`), and Python takes the first that
it finds: a module in the user's folder hides ours, another distribution's files may have replaced them, and
uninstalling that one leaves holes. Each would show as an ImportError from deep inside, or not at all.

Nothing but the standard library is imported here: this file is run from its place, without an import, by
packages that cannot rely on finding `ibc_core`.
"""

import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType

DISTRIBUTION = "pyibc"
"""What a chain installs."""
DISTRIBUTIONS = MappingProxyType(
    {
        "pyibc-testing": ("ibc_testing",),
        "pyibc-localnet": ("localnet",),
        "pyibc-relayer": ("ibc_relayer",),
        "pyibc-indexer": ("ibc_indexer",),
        DISTRIBUTION: (
            "pyibc",
            "ibc_module",
            "handlers",
            "keepers",
            "light_client",
            "ibc_core",
            "iavl",
            "abci_server",
            "ibc_http",
            "ibc_proto",
        ),
    }
)
"""Distribution -> its top-level packages; all but `pyibc` may be absent (docs/adr/0030)."""
PACKAGES = tuple(name for names in DISTRIBUTIONS.values() for name in names)
"""Top-level packages of all of our distributions."""
ROOT = Path(__file__).resolve().parents[1]
"""The folder that has our packages."""
_OWNERS = {name: owner for owner, names in DISTRIBUTIONS.items() for name in names}


class NotInstalled(ImportError):
    """A package of a distribution of ours that is not there."""


def check() -> None:
    """Looks for every package where the import system would, and at its first file.

    A package of another distribution than `pyibc` may be absent; others may have its name then, until
    somebody needs ours (`need`).

    Raises:
        ImportError: one is not ours. One line: the package, the file found, whose it is, the mend.
    """
    for name in PACKAGES:
        problem = _problem(name)
        if problem:
            raise ImportError(problem, name=name)


def need(name: str) -> None:
    """Looks for a package that may be absent, before it is imported.

    Raises:
        NotInstalled: it is not there, or what Python finds by its name is not ours. One line, with the mend.
    """
    if not has(name):
        raise NotInstalled(_absent(name, _origin(name)), name=name)


def has(name: str) -> bool:
    """Whether a package that may be absent is there, and is what Python finds by its name."""
    found = _origin(name)
    return found is not None and _marked(name, found)


def mark(name: str) -> bytes:
    """A line that a package's `__init__.py` has."""
    return f'\n__distribution__ = "{_OWNERS[name]}"\n'.encode()


def _problem(name: str) -> str:
    """What is wrong with a package, empty if nothing is."""
    found = _origin(name)
    own = ROOT.joinpath(name)
    first = own.joinpath("__init__.py")
    if found is not None and found.resolve().parent == own and _marked(name, found):
        return ""
    if not _is_installed(name, first):
        return ""
    if found is not None and found.resolve().parent == own:
        return _replaced(name, found)
    return _hidden(name, found, own) if first.is_file() else _gone(name, own)


def _is_installed(name: str, first: Path) -> bool:
    """Whether the package has to be there; what stands in its place may be another's if it has not."""
    owner = _OWNERS[name]
    if owner == DISTRIBUTION or (first.is_file() and _marked(name, first)):
        return True
    from importlib.metadata import distributions  # noqa: PLC0415 - dear, and only for what is absent

    return next(iter(distributions(name=owner)), None) is not None


def _origin(name: str) -> Path | None:
    """The file that `import name` runs or has run; None for none, and for a folder without `__init__.py`."""
    module = sys.modules.get(name)
    if module is not None:
        path = getattr(module, "__file__", None)
    else:
        spec = find_spec(name)  # of a top-level name: nothing is imported
        path = spec.origin if spec is not None and spec.has_location else None
    return Path(path) if path else None


def _marked(name: str, path: Path) -> bool:
    if path.suffix != ".py" or not path.is_file():  # frozen or zipped: nobody installs over that
        return True
    return mark(name) in path.read_bytes().replace(b"\r\n", b"\n")


# -- the words: whoever comes here has time


def _gone(name: str, own: Path) -> str:
    where = own.joinpath("__init__.py")
    why = "uninstalling another distribution that had installed over it removes it"
    return f"{DISTRIBUTION}: its package {name!a} is gone, there is no {where} ({why}); mend: {_again(name)}"


def _hidden(name: str, found: Path | None, own: Path) -> str:
    owner = next(owners(found), None) if found else None
    whose = f"of the distribution {owner!a}" if owner else "of no distribution"
    move = f"uninstall {owner!a} or" if owner else "rename that file, or take its folder off sys.path, or"
    return (
        f"{DISTRIBUTION}: its package {name!a} ({own}) is hidden by {found or 'a module'} {whose}, which "
        f"comes first on sys.path; mend: {move} use an environment where nobody else has this name"
    )


def _replaced(name: str, found: Path) -> str:
    owner = next(owners(found), None)
    whose = f"the distribution {owner!a}" if owner else "somebody (no other distribution records it)"
    first = f"pip uninstall {owner.partition(' ')[0]} && " if owner else ""
    return (
        f"{DISTRIBUTION}: the first file of its package {name!a}, {found}, was replaced by {whose}; "
        f"mend: {first}{_again(name)}"
    )


def _again(name: str) -> str:
    clone = ROOT.joinpath(".git").exists()
    again = f"pip install --force-reinstall --no-deps {_OWNERS[name]}"
    return f"git restore {name} in {ROOT}" if clone else again


def _absent(name: str, found: Path | None) -> str:
    instead = f" (by its name Python finds {found}, which is not ours)" if found else ""
    extra = _OWNERS[name].removeprefix(f"{DISTRIBUTION}-")
    return f"{DISTRIBUTION}: {name!a} is not installed{instead}; mend: pip install '{DISTRIBUTION}[{extra}]'"


def owners(path: Path) -> Iterator[str]:
    """Name and version of every distribution but ours whose record lists the file `path`."""
    from importlib.metadata import distributions  # noqa: PLC0415 - dear, and only for who lost already

    place = path.resolve()
    for each in distributions():
        if each.name in DISTRIBUTIONS:
            continue
        listed = (file for file in each.files or () if file.name == path.name)
        if any(Path(str(file.locate())).resolve() == place for file in listed):
            yield f"{each.name} {each.version}"
