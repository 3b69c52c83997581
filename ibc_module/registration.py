"""Registration of plugins with pluggy, in the order of configuration; anything else is refused.

pluggy calls the last registered plugin first and orders entry points by installation, which may differ
between validators. So plugins are given as a list and registered in reverse. `AtWiring` stands for attributes
that a plugin has only once a `Pipeline` has wired it.
"""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from importlib import import_module
from typing import Any, Generic, NamedTuple, TypeVar

import pluggy

from ibc_module import PROJECT, hookspecs
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
            "list pyibc.plugins(config)"
        )


class _Manager(pluggy.PluginManager):
    """Plugin manager that ignores dunder names, half of a plugin's attributes, to speed up wiring."""

    def parse_hookimpl_opts(self, plugin: object, name: str) -> pluggy.HookimplOpts | None:
        python_s = name.startswith("__") and name.endswith("__")
        return None if python_s else super().parse_hookimpl_opts(plugin, name)


def registered(plugins: Sequence[object]) -> pluggy.PluginManager:
    """Return a manager of `plugins`, with the hook specifications that they add.

    Raises:
        WiringError: one is a class, is listed twice, or implements an unknown hook, one without @hookimpl
            or with unknown arguments.
    """
    manager = _Manager(PROJECT)
    manager.add_hookspecs(hookspecs)
    for position, plugin in enumerate(plugins):
        if any(plugin is other for other in plugins[:position]):
            raise WiringError(f"{name_of(plugin)} is listed twice")
        if isinstance(plugin, type):
            raise WiringError(f"{name_of(plugin)} is a class: list an object of it")
    try:
        for plugin in reversed(plugins):
            manager.register(plugin)
        added = [module for modules in manager.hook.chain_hookspecs() for module in modules]
        for module in dict.fromkeys(added):  # two plugins may bring the same hooks
            manager.add_hookspecs(module)
        _check_hooks(manager, plugins)
    except pluggy.PluginValidationError as error:
        raise WiringError(f"a hook is implemented with unknown arguments: {error}") from error
    return manager


def _check_hooks(manager: pluggy.PluginManager, plugins: Iterable[object]) -> None:
    specified = [name for name, hook in vars(manager.hook).items() if hook.spec is not None]
    for plugin in plugins:
        hooks = manager.get_hookcallers(plugin) or []
        _check_marks(plugin, {*specified} - {hook.name for hook in hooks})
        for hook in hooks:
            optional = all(each.optionalhook for each in hook.get_hookimpls() if each.plugin is plugin)
            if hook.spec is not None or optional:
                continue
            close = get_close_matches(hook.name, specified, 1)
            meant = f"did you mean {close[0]!a}?" if close else "is its option's plugin listed?"
            raise WiringError(f"{name_of(plugin)} implements an unknown hook {hook.name!a}: {meant}")


def _check_marks(plugin: object, others: set[str]) -> None:
    """Check that no attribute has the name of a hook in `others`, which the plugin does not implement."""
    for name in sorted(others.intersection(dir(plugin))):
        raise WiringError(f"{name_of(plugin)}.{name} is a hook's name, and is not marked by @hookimpl")


# -- loader of plugins named as `module:callable` in settings and options


def load_plugins(names: Sequence[str]) -> list[object]:
    """Return the plugins of a node, given callables that each return a list of plugins.

    Raises:
        ValueError: the module or callable does not exist; the message names the plugin.
    """
    return [plugin for name in names for plugin in call_named(name, "plugins")]


def call_named(name: str, what: str) -> Any:
    """Return the result of `module:callable`.

    Raises:
        ValueError: the module or callable does not exist; the message has its name and its purpose `what`.
    """
    module, colon, factory = name.partition(":")
    if not colon:
        raise ValueError(f"{what}: {name!r} is not module:callable")
    try:
        make = getattr(import_module(module), factory)
    except (ImportError, AttributeError) as error:
        raise ValueError(f"{what}: {name!r}: {error}") from error
    return make()
