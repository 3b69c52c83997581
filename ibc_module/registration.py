"""Plugins are registered with pluggy, in the order of configuration; anything else is refused.

pluggy calls the last registered plugin first and orders entry points by installation, which two validators
may not share; so plugins are given as a list, and are registered backwards.
"""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches

import pluggy

from ibc_module import PROJECT, hookspecs
from ibc_module.wiring_error import WiringError, name_of


class _Manager(pluggy.PluginManager):
    """Looks for no hooks among Python's own names, half of what a plugin has: a chain is wired sooner."""

    def parse_hookimpl_opts(self, plugin: object, name: str) -> pluggy.HookimplOpts | None:
        python_s = name.startswith("__") and name.endswith("__")
        return None if python_s else super().parse_hookimpl_opts(plugin, name)


def registered(plugins: Sequence[object]) -> pluggy.PluginManager:
    """A manager of `plugins`, with the hooks that they bring.

    Raises:
        WiringError: one is a class, is listed twice, or implements a hook that does not exist, without its
            mark, or with arguments that it does not have.
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
        raise WiringError(f"a hook is implemented with other arguments: {error}") from error
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
    """`others`: hooks that the plugin does not implement, as far as anybody can see."""
    for name in sorted(others.intersection(dir(plugin))):
        raise WiringError(f"{name_of(plugin)}.{name} is a hook's name, and is not marked by @hookimpl")
