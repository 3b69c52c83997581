"""A finished host chain: accounts, bank, fees, transactions, queries, upgrades, an ABCI application.

A chain lists its plugins; docs/chain.md shows one with a message and a packet of its own.
"""

from pyibc._lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__)
