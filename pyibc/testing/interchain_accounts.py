"""Interchain accounts in tests: registration, and transactions for them."""

from collections.abc import Sequence

from pyibc.apps.interchain_accounts.messages import MsgRegisterInterchainAccount, MsgSendTx
from pyibc.apps.interchain_accounts.packet_data import (
    EXECUTE_TX,
    PROTO3,
    InterchainAccountPacketData,
    controller_port,
    decode_metadata,
)
from pyibc.codec.anys import AnyMessage
from pyibc.core.channel.types import Order
from pyibc.core.wire.message import pack_msg
from pyibc.proto.cosmos.base.abci.v1beta1.abci_pb2 import TxMsgData
from pyibc.proto.ibc.applications.interchain_accounts.controller.v1.tx_pb2 import (
    MsgRegisterInterchainAccountResponse,
)
from pyibc.relayer.errors import TransactionFailed
from pyibc.relayer.interchain_tx import write_messages
from pyibc.relayer.paths.discovery import known_path
from pyibc.relayer.paths.path import Path
from pyibc.testing.pair import Party, TwoChains

MINUTE_NS = 60 * 10**9


def register_account(
    net: TwoChains,
    user: str,
    connection_id: str,
    ordering: Order = Order.UNORDERED,
    version: str = "",
) -> Path:
    """Register an account on chain b for a user of chain a, and complete the channel handshake.

    Raises:
        TransactionFailed: chain a refused the registration, or a chain refused a step of the handshake.
    """
    owner = net.a.address(user)
    outcome = net.a.execute(
        user, pack_msg(MsgRegisterInterchainAccount(owner, connection_id, version, ordering))
    )
    if outcome.code:
        refusal = f"{outcome.codespace}/{outcome.code}"
        raise TransactionFailed(net.a.chain.chain_id, "a registration", refusal, outcome.log)
    [answer] = TxMsgData.FromString(outcome.data).msg_responses
    opened = MsgRegisterInterchainAccountResponse.FromString(answer.value)
    return known_path(net.a.endpoint, net.b.endpoint, controller_port(owner), opened.channel_id)


def account_of(path: Path) -> str:
    """Return the address of a channel's interchain account, in the host's encoding."""
    return decode_metadata(path.version).address


def send_tx(
    party: Party,
    user: str,
    connection_id: str,
    messages: Sequence[AnyMessage],
    encoding: str = PROTO3,
    timeout_ns: int = MINUTE_NS,
    memo: str = "",
) -> AnyMessage:
    """Return a user's MsgSendTx with messages for the account to execute within `timeout_ns` from now."""
    data = InterchainAccountPacketData(EXECUTE_TX, write_messages(messages, encoding), memo)
    return pack_msg(MsgSendTx(party.address(user), connection_id, data, timeout_ns))
