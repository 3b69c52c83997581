"""Errors raised before a chain runs."""

from typing import Any


class SetupError(ValueError):
    """Raised for a wrong host program or genesis during wiring or start, never by a running chain."""


class WiringError(SetupError):
    """Raised if plugins do not fit together; the message names them and what is expected.

    Raised while a `Pipeline` is built, or when the host first calls its `messages`.
    """


def name_of(plugin: Any) -> str:
    """Return a plugin's name for messages: its class with its module, or the name of the module it is."""
    named = plugin if hasattr(plugin, "__name__") else type(plugin)
    module = "" if named is plugin and not isinstance(plugin, type) else f"{named.__module__}."
    return f"{module}{getattr(named, '__qualname__', named.__name__)}"
