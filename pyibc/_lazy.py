"""Lazy import of a package's public names.

A package lists its public names in `__init__.pyi`, one `from module import name as name` per line, for type
checkers. `lazy_names` reads the same file, so `import pyibc` loads neither Spark nor gRPC.
"""

import re
import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from os.path import dirname, join
from types import MappingProxyType

from pyibc.installation import lacking, need

_IMPORT = re.compile(r"^from ([\w.]+) import (?:\(\s*)?(\w+) as \2\b", re.MULTILINE)


def public_modules(package: str) -> tuple[str, ...]:
    """Return the names of a package's public modules."""
    return tuple(name for name, home in _homes(package).items() if home == package)


def lazy_names(
    package: str, extras: Mapping[str, str] = MappingProxyType({})
) -> tuple[Callable[[str], object], Callable[[], list[str]], list[str]]:
    """Return `__getattr__`, `__dir__` and `__all__` for a package.

    Args:
        package: The package's name; its `__init__.pyi` lists the names.
        extras: Extra of the distribution that a name needs, by name; "" is the default for all other names.
            Names whose extra is not installed are left out of `__all__`.
    """
    homes = _homes(package)

    def find(name: str) -> object:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}", name=name)
        extra = extras.get(name, extras.get(""))
        if extra:
            need(extra)
        home = homes[name]
        value = import_module(f"{home}.{name}") if home == package else _named(home, name)
        setattr(sys.modules[package], name, value)
        return value

    def listed() -> list[str]:
        return sorted({*vars(sys.modules[package]), *homes})

    def is_public(name: str) -> bool:
        extra = extras.get(name, extras.get(""))
        return homes[name] != package and not (extra and lacking(extra))

    return find, listed, [name for name in homes if is_public(name)]


def _named(home: str, name: str) -> object:
    """Return a name of a module, or a module of a package, which may not be loaded yet."""
    module = import_module(home)
    return getattr(module, name) if hasattr(module, name) else import_module(f"{home}.{name}")


def _homes(package: str) -> dict[str, str]:
    """Map each public name to the module that defines it, or to the package if it is one of its modules."""
    module = vars(sys.modules[package])
    stub = module["__loader__"].get_data(join(dirname(module["__file__"]), "__init__.pyi")).decode()
    return {name: home for home, name in _IMPORT.findall(stub)}
