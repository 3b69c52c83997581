"""Plugins of others, which a node's settings name."""

from collections.abc import Sequence
from importlib import import_module


def load_plugins(names: Sequence[str]) -> list[object]:
    """Plugins of others, by `module:callable`.

    Raises:
        ValueError: there is no such module, or no such callable in it; the message names the plugin.
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
