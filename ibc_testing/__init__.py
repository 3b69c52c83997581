"""Two chains in one process, validators that lie, networks that fail, messages made by hand.

To try an application as its users would:

    chains = two_chains()                     # accounts, coins, IBC with ICS-20, on one clock
    path = chains.open("transfer", Order.UNORDERED, "ics20-1")
    chains.a.execute("alice", message)        # a signed transaction in a block of its own
    chains.relay(path)                        # until nothing is pending
    chains.clock.advance(3_600 * SECOND)      # time passes on both chains
    two_chains(plugins=lambda: [MyApp()])     # the same with your own plugins

To see what one message does to a chain:

    pair = Pair.connected(("alpha-1", "beta-1"))     # two chains, clients of each other, an open connection
    path = pair.open("mock", Order.ORDERED, "mock-version")
    packet = pair.a.send(path.a, path.b, b"data")    # from inside a block, as an application does
    pair.sync()                                      # each client learns the other chain's last state
    message = Messages(pair, pair.b).recv(packet)    # proven and unsigned, to be spoilt by a test
    StagedBlock(pair.b.chain).attempt(message)       # what it does to the next block, never committed

`forged_headers.FORGERIES` are headers that dishonest validators sign, each with the error it must meet;
`faults` are endpoints that crash, lose answers, or answer late. `README.md` beside this file shows more.
"""

from ibc_testing.clock import SECOND, ManualClock
from ibc_testing.two_chains import Party, TwoChains, two_chains

__all__ = ["SECOND", "ManualClock", "Party", "TwoChains", "two_chains"]
