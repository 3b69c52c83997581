"""MsgCreateClient (ICS-2)."""

from ibc_core.any_message import AnyMessage
from ibc_core.checking import HasClientTypes, check_readable
from ibc_core.errors import InvalidAddress, InvalidClientType, TooLarge
from ibc_core.value import value
from ibc_core.wire.columns import Signer
from ibc_core.wire.message import Msg, message, response
from ibc_proto.ibc.core.client.v1 import tx_pb2

MAX_STATE_SIZE = 32_768
"""Bytes of a client state, and of a consensus state."""


@message(tx_pb2.MsgCreateClient, response(tx_pb2.MsgCreateClientResponse, "client_id"))
@value
class MsgCreateClient(Msg):
    """Creates a light client of another chain."""

    client_state: AnyMessage
    consensus_state: AnyMessage
    signer: Signer

    def check(self, chain: HasClientTypes) -> None:
        """Stateless checks; the light client checks its own types.

        Raises:
            TxDecode, InvalidAddress, TooLarge, UnpackAny, ClientTypeNotFound, InvalidClientType.
            ...: whatever the light client refuses its states with.
        """
        try:
            chain.addresses.decode(self.signer, "signer")
        except InvalidAddress:
            _check_size("client_state", self.client_state.value)
            _check_size("consensus_state", self.consensus_state.value)
            check_readable(chain, self.client_state, self.consensus_state)
            raise
        _check_size("client_state", self.client_state.value)
        client = chain.client_types.by_client_state(self.client_state.type_url)
        client.check_client_state(self.client_state.value)
        _check_size("consensus_state", self.consensus_state.value)
        if chain.client_types.by_consensus_state(self.consensus_state.type_url) is not client:
            raise InvalidClientType("client state and consensus state are of different types")
        client.check_consensus_state(self.consensus_state.value)


def _check_size(field: str, raw: bytes) -> None:
    if len(raw) > MAX_STATE_SIZE:
        raise TooLarge(field, len(raw), MAX_STATE_SIZE)
