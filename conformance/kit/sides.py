"""Names and first identifiers of a pair's two chains; no value is the same on both."""

from typing import Final, NamedTuple

from conformance.kit.scripted_app import PORT, PORT_ON_B
from pyibc.core.host.context import ReadContext
from pyibc.testing.pair import SHIFTED, Numbers


class Side(NamedTuple):
    """Names and identifiers of one chain, for tests that do not hold the chain itself."""

    chain_id: str
    port: str  # of the scripted application
    numbers: Numbers
    client_id: str  # of the client of the other chain
    connection_id: str
    channel_id: str  # of the transfer channel


def _side(chain_id: str, port: str, numbers: Numbers) -> Side:
    client, connection, channel = numbers
    names = f"07-tendermint-{client}", f"connection-{connection}", f"channel-{channel}"
    return Side(chain_id, port, numbers, *names)


ALONE: Final = _side("alone-1", PORT, Numbers())
"""A chain outside of a pair."""
A: Final = _side("alpha-1", PORT, SHIFTED)
B: Final = _side("beta-1", PORT_ON_B, Numbers())


def side_of(ctx: ReadContext) -> Side:
    """Return the side of the chain that executes the block."""
    return A if ctx.chain_id == A.chain_id else B


CLIENT_ON_A, CLIENT_ON_B = A.client_id, B.client_id
CONNECTION_ON_A, CONNECTION_ON_B = A.connection_id, B.connection_id
