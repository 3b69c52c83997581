"""Loads the additional plugins that a node's settings name."""

from collections.abc import Sequence
from importlib import import_module


def load_plugins(names: Sequence[str]) -> list[object]:
    """Loads plugins by `module:callable`, each returning a list of plugins.

    Raises:
        ValueError: the module or callable does not exist; the message names the plugin.
    """
    found: list[object] = []
    for name in names:
        module, colon, factory = name.partition(":")
        if not colon:
            raise ValueError(f"plugins: {name!r} is not module:callable")
        try:
            make = getattr(import_module(module), factory)
        except (ImportError, AttributeError) as error:
            raise ValueError(f"plugins: {name!r}: {error}") from error
        found += make()
    return found
