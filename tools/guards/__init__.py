"""The guards that `tools.mutants` removes, and the tests that must fail without them: one tuple an entry."""

from importlib import import_module
from pkgutil import iter_modules

from tools.guards.mutant import Mutant


def _listed() -> tuple[Mutant, ...]:
    """All mutants of this folder's modules, in the order of their names there."""
    modules = [import_module(f"{__name__}.{each.name}") for each in iter_modules(__path__)]
    tuples = [each for module in modules for each in vars(module).values() if isinstance(each, tuple)]
    return tuple(each for group in tuples for each in group if isinstance(each, Mutant))


MUTANTS = _listed()
