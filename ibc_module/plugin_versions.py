"""Names and versions of plugins, as recorded in a chain's state."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from pyibc.core.setup_error import WiringError, name_of

MAX_VERSION = 65_535
"""Maximal version of a plugin: migrations run one version at a time."""


class PluginVersion(NamedTuple):
    """Plugin with its recorded name, version and stores."""

    plugin: object
    name: str
    version: int
    stores: tuple[str, ...]

    def __str__(self) -> str:
        """Return name, class and version, for messages."""
        return f"{self.name!a} ({name_of(self.plugin)}, version {self.version})"


def plugin_versions(
    plugins: Sequence[object], stores: Sequence[tuple[object, Any]], declared: Sequence[tuple[object, Any]]
) -> list[PluginVersion]:
    """Return name, version and stores of each plugin with stores or a declared version, in order.

    Args:
        plugins: All plugins.
        stores: Plugins with their answers to `chain_stores`.
        declared: Plugins with their answers to `chain_version`.

    Raises:
        WiringError: a declaration is not a name and a version of at least 1, or two plugins have one name.
    """
    found: dict[str, PluginVersion] = {}
    for plugin in plugins:
        own = next((tuple(names) for each, names in stores if each is plugin), ())
        own_version = next((_checked(plugin, answer) for each, answer in declared if each is plugin), None)
        name, version = own_version or (own[0] if own else "", 1)
        if name in found:
            first = name_of(found[name].plugin)
            raise WiringError(f"{first} and {name_of(plugin)} both have the name {name!a} (chain_version)")
        if name:
            found[name] = PluginVersion(plugin, name, version, own)
    return list(found.values())


def _checked(plugin: object, answer: Any) -> tuple[str, int]:
    if isinstance(answer, tuple) and len(answer) == 2:
        name, version = answer
        if type(name) is str and name and type(version) is int and 1 <= version <= MAX_VERSION:
            return name, version
    raise WiringError(
        f"{name_of(plugin)}.chain_version returns {answer!a:.60}, and should return a name and a version "
        f"from 1 to {MAX_VERSION}"
    )
