"""For authors of applications: two chains in one process, a path between them, faults.

ibc_testing/README.md shows how.
"""

from ibc_testing.clock import SECOND, ManualClock
from ibc_testing.faults import Crashed, CrashingEndpoint, CrashPoints, RecordingEndpoint, UnreliableEndpoint
from ibc_testing.ledger import broken_laws, channel_view
from ibc_testing.transfers import abroad, in_escrow, supply, transfer, transfer_v2
from ibc_testing.two_chains import Party, TwoChains, ibc_plugins, two_chains

__all__ = [
    "SECOND",
    "CrashPoints",
    "Crashed",
    "CrashingEndpoint",
    "ManualClock",
    "Party",
    "RecordingEndpoint",
    "TwoChains",
    "UnreliableEndpoint",
    "abroad",
    "broken_laws",
    "channel_view",
    "ibc_plugins",
    "in_escrow",
    "supply",
    "transfer",
    "transfer_v2",
    "two_chains",
]
