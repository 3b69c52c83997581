"""The error of a host that is set up wrongly."""

from typing import Any

from ibc_core.setup_error import SetupError


class WiringError(SetupError):
    """The host is set up wrongly: the message names the plugins, and what is expected of them.

    Raised while a `Pipeline` is made, or when the host first asks it for messages; never by a running chain.
    """


def name_of(plugin: Any) -> str:
    """A plugin's name in messages: its class with its module, or the module that it is."""
    named = plugin if hasattr(plugin, "__name__") else type(plugin)
    module = "" if named is plugin and not isinstance(plugin, type) else f"{named.__module__}."
    return f"{module}{getattr(named, '__qualname__', named.__name__)}"
