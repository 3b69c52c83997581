"""Plugins of the software that carries out the upgrade `limits`, for `test_host_upgrade`."""

from ibc_module.hookspecs import Upgrade
from ibc_module.upgrades import UpgradePlugin
from pyibc.apps.rate_limit.plugin import RateLimitPlugin


def plugins():
    """Return rate limits, which the upgrade adds, and who carries it out."""
    return [RateLimitPlugin(), UpgradePlugin({"limits": Upgrade(genesis={}, run=None)})]
