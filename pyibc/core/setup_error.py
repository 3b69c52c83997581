"""Errors raised before a chain runs."""

from collections.abc import Mapping
from typing import Any

from pyibc.codec.gojson import Object


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


class InvalidGenesis(SetupError):
    """Raised for an invalid genesis; the message names the key, its value and the reason."""

    def __init__(self, key: str, got: object, why: str) -> None:
        """Create the error for the value at `key`, such as `ibc.channel_genesis.channels[3].state`."""
        super().__init__(f"genesis: {ascii(key)[1:-1]}: {shown(got)} {why}")
        self.key = key
        self.got = got


def shown(got: object) -> str:
    """Return a JSON value for an error message; only the type of containers, as they may be deeply nested."""
    if isinstance(got, list):
        return "[...]" if got else "[]"
    if isinstance(got, Mapping | Object):
        return "{...}"
    return f"{got!a:.80}"
