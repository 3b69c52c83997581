"""What a pair's two chains call themselves and what they make first; nothing is the same on both."""

from typing import Final, NamedTuple

from conformance.kit.scripted_app import PORT, PORT_ON_B
from ibc_core.host.context import ReadContext
from ibc_testing.numbers import SHIFTED, Numbers


class Side(NamedTuple):
    """What is one chain's own, as tests name it without having the chain."""

    chain_id: str
    port: str  # of its scripted application
    numbers: Numbers
    client_id: str  # of its client of the other chain
    connection_id: str
    channel_id: str  # of its transfer channel


def _side(chain_id: str, port: str, numbers: Numbers) -> Side:
    client, connection, channel = numbers
    names = f"07-tendermint-{client}", f"connection-{connection}", f"channel-{channel}"
    return Side(chain_id, port, numbers, *names)


ALONE: Final = _side("alone-1", PORT, Numbers())
"""A chain that is of no pair."""
A: Final = _side("alpha-1", PORT, SHIFTED)
B: Final = _side("beta-1", PORT_ON_B, Numbers())


def side_of(ctx: ReadContext) -> Side:
    """The chain whose block it is."""
    return A if ctx.chain_id == A.chain_id else B


CLIENT_ON_A, CLIENT_ON_B = A.client_id, B.client_id
CONNECTION_ON_A, CONNECTION_ON_B = A.connection_id, B.connection_id
