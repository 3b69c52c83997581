"""Direct calls: the first text of ICS-4 and ICS-25, in which a module calls the handler itself.

The package holds all layers: capabilities, messages with chosen identifiers, handlers, the plugin. It is
loaded only if a host lists `DirectPlugin` (docs/adr/0013).
"""

from pyibc._lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__)
