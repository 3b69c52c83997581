"""Two chains to test an application on, validators that lie, and networks that fail.

    pair = two_chains()                       # accounts, coins, IBC with ICS-20, on one clock
    path = pair.open("transfer", Order.UNORDERED, "ics20-1")
    pair.a.execute("alice", message)          # a signed transaction in a block of its own
    pair.relay(path)                          # until nothing is pending
    pair.clock.advance(3_600 * SECOND)        # time passes on both chains

    two_chains(plugins=lambda: [MyApp()])     # the same with your own plugins

`lies.LIES` are headers that dishonest validators sign, each with the error that must come of it;
`faults` are endpoints that crash, lose answers, or answer late. `README.md` beside this file shows both.
"""

from localnet.testkit.clock import SECOND, ManualClock
from localnet.testkit.pair import Pair, Party, two_chains

__all__ = ["SECOND", "ManualClock", "Pair", "Party", "two_chains"]
