"""Access to what a plugin gets when a Pipeline registers it."""

from typing import TypeVar

T = TypeVar("T")


def registered(value: T | None, plugin: str) -> T:
    """The value that a plugin got at registration.

    Raises:
        ValueError: no Pipeline has registered the plugin yet.
    """
    if value is None:
        raise ValueError(f"no Pipeline has registered the {plugin} yet")
    return value
