"""For authors of applications: two chains in one process, a path between them, faults.

    chains = two_chains()                     # accounts, coins, IBC with ICS-20, on one clock
    path = chains.open("transfer", Order.UNORDERED, "ics20-1")
    chains.a.execute("alice", message)        # a signed transaction in a block of its own
    chains.relay(path)                        # until nothing is pending
    chains.clock.advance(3_600 * SECOND)      # time passes on both chains
    two_chains(plugins=lambda: [MyApp()])     # the same with your own plugins

`faults` are endpoints that crash, lose answers, or answer late. `README.md` beside this file shows more.
"""

import ibc_core  # noqa: F401 - its guard runs first
from ibc_testing.clock import SECOND, ManualClock
from ibc_testing.two_chains import Party, TwoChains, two_chains

__distribution__ = "pyibc-testing"

__all__ = ["SECOND", "ManualClock", "Party", "TwoChains", "two_chains"]
