"""Object capabilities (ICS-5, ICS-4): what a module shows to act for a port or a channel.

A capability is an object, and its identity is all its authority: nothing in it is read when it is
presented. The keeper that made it compares with `is`, so that an equal, a renamed or a rebuilt one is a
stranger. None of it is state: a node that starts again makes new ones, and applications ask again.
"""

from typing import Any, Never, final

from ibc_core.errors.direct import InvalidCapability


@final
class Capability:
    """Authority over one port, or over one channel of it. Only its keeper makes one that is worth a thing."""

    __slots__ = ("__weakref__", "_name")

    def __new__(cls) -> "Capability":
        """Refuses.

        Raises:
            InvalidCapability: always; `mint` is the keeper's.
        """
        raise InvalidCapability("anything", "capabilities are made by their keeper")

    def __init_subclass__(cls) -> Never:
        raise TypeError("a capability has no subclasses")

    def __setattr__(self, name: str, value: Any) -> Never:
        raise InvalidCapability(shown(self), "it cannot be changed")

    def __delattr__(self, name: str) -> Never:
        raise InvalidCapability(shown(self), "it cannot be changed")

    def __reduce_ex__(self, protocol: Any) -> Never:
        raise InvalidCapability(shown(self), "it cannot be copied")

    def __repr__(self) -> str:
        return f"<capability {shown(self)}>"


def mint(name: str) -> Capability:
    """A new capability, worth what its keeper takes it for; `name` is for people."""
    made = object.__new__(Capability)
    object.__setattr__(made, "_name", name)
    return made


def shown(presented: object) -> str:
    """The name of a capability, for errors; of anything else, what it is."""
    name = getattr(presented, "_name", None) if type(presented) is Capability else None
    return name if type(name) is str else type(presented).__name__
