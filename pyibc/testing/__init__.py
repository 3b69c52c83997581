"""Test support for authors of applications: two chains in one process, a path between them, faults.

    chains = two_chains()                     # accounts, coins, IBC with ICS-20, on one clock
    path = chains.open("transfer", Order.UNORDERED, "ics20-1")
    chains.a.execute("alice", message)        # a signed transaction in a block of its own
    chains.relay(path)                        # until nothing is pending
    chains.clock.advance(3_600 * SECOND)      # time passes on both chains
    two_chains(plugins=lambda: [MyApp()])     # the same with your own plugins

`faults` has endpoints that crash, lose responses or respond late. `README.md` beside this file shows more.
"""

from pyibc._lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__, {"": "testing"})
