"""The early protocol's provable queues: applications, messages, ends, keys (docs/queue-protocol.md).

The package holds all layers: values, keepers, handlers, queries, the plugin, and `coins`, an application. It
is loaded only if a host lists `QueuePlugin`.
"""

from pyibc._lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__)
