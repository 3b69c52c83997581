"""Relays packets between chains that it reads as any outsider does (ICS-18)."""

from pyibc._lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__, {"": "relayer"})
