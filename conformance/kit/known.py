"""Every message of this distribution, by type URL.

Messages of the protocols come from their dispatch tables; those of applications from their packages.
"""

import pkgutil
from collections.abc import Iterable
from importlib import import_module

from handlers.dispatch import HANDLERS
from pyibc.core.wire.message import Msg
from pyibc.direct.handlers.handler import HANDLERS_DIRECT
from pyibc.queues.handlers.dispatch import HANDLERS as QUEUE_HANDLERS


def _by_url(classes: Iterable[type[Msg]]) -> dict[str, type[Msg]]:
    return {cls.TYPE_URL: cls for cls in classes}


def messages_in(package: str) -> dict[str, type[Msg]]:
    """Return the messages whose classes are defined in the modules of a package, without subpackages."""
    modules = [
        import_module(found.name)
        for found in pkgutil.iter_modules(import_module(package).__path__, f"{package}.")
        if not found.ispkg
    ]
    return _by_url(
        each
        for module in modules
        for each in vars(module).values()
        if isinstance(each, type) and issubclass(each, Msg) and each.__module__ == module.__name__
    )


HANDLED = _by_url(HANDLERS)
"""Messages of clients, connections, channels, packets and IBC v2."""
NAMED = _by_url(HANDLERS_DIRECT)
"""Messages of ICS-4's first text."""
QUEUE = _by_url(QUEUE_HANDLERS)
"""Messages of the queue protocol."""
TRANSFER = messages_in("pyibc.apps.transfer")
ACCOUNTS = {**messages_in("pyibc.apps.interchain_accounts"), **messages_in("pyibc.apps.gmp")}
"""Messages of interchain accounts and GMP."""
RATE_LIMIT = messages_in("pyibc.apps.rate_limit")

MESSAGES = {**HANDLED, **NAMED, **QUEUE, **TRANSFER, **ACCOUNTS, **RATE_LIMIT}
