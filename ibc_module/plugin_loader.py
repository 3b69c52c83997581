"""Loads what settings and options name as `module:callable`."""

from collections.abc import Sequence
from importlib import import_module
from typing import Any


def load_plugins(names: Sequence[str]) -> list[object]:
    """The plugins of a node, by callables that each return a list of them.

    Raises:
        ValueError: the module or callable does not exist; the message names the plugin.
    """
    return [plugin for name in names for plugin in call_named(name, "plugins")]


def call_named(name: str, what: str) -> Any:
    """What `module:callable` returns.

    Raises:
        ValueError: the module or callable does not exist; the message names it, and `what` it is for.
    """
    module, colon, factory = name.partition(":")
    if not colon:
        raise ValueError(f"{what}: {name!r} is not module:callable")
    try:
        make = getattr(import_module(module), factory)
    except (ImportError, AttributeError) as error:
        raise ValueError(f"{what}: {name!r}: {error}") from error
    return make()
