"""Attributes that a plugin has only once a `Pipeline` has wired it."""

from typing import Generic, TypeVar

from pyibc.core.setup_error import WiringError

_T = TypeVar("_T")


class AtWiring(Generic[_T]):
    """An attribute that a plugin sets in one of its hooks: `services = AtWiring[Services]()` in the class.

    Read before, it refuses; set, it is an attribute like any other, and costs as little.

    Raises:
        WiringError: no pipeline holds the plugin yet, or one without the IBC plugin.
    """

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, plugin: object, owner: type) -> _T:
        raise WiringError(
            f"{owner.__name__} has no {self._name} before a Pipeline holds it together with IbcPlugin: "
            "list ibc_module.plugin.plugins(config)"
        )
