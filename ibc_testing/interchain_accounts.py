"""Interchain accounts by hand: registering them, and what is sent to them."""

from collections.abc import Sequence

from ibc_core.any_message import AnyMessage
from ibc_core.channel.types import Order
from ibc_core.interchain_accounts.cosmos_tx import write_messages
from ibc_core.interchain_accounts.metadata import PROTO3, decode_metadata
from ibc_core.interchain_accounts.msg_register import MsgRegisterInterchainAccount
from ibc_core.interchain_accounts.msg_send_tx import MsgSendTx
from ibc_core.interchain_accounts.names import controller_port
from ibc_core.interchain_accounts.packet_data import EXECUTE_TX, InterchainAccountPacketData
from ibc_core.wire.message import pack_msg
from ibc_proto.cosmos.base.abci.v1beta1.abci_pb2 import TxMsgData
from ibc_proto.ibc.applications.interchain_accounts.controller.v1.tx_pb2 import (
    MsgRegisterInterchainAccountResponse,
)
from ibc_relayer.errors import TransactionFailed
from ibc_relayer.known_path import known_path
from ibc_relayer.path import Path
from ibc_testing.two_chains import Party, TwoChains

MINUTE_NS = 60 * 10**9


def register(
    net: TwoChains,
    user: str,
    connection_id: str,
    ordering: Order = Order.UNORDERED,
    version: str = "",
) -> Path:
    """Has a user of chain a register an account on chain b, and a relayer open the channel.

    Raises:
        TransactionFailed: chain a refused, or either of them a step of the handshake.
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
    """The account that a channel leads to, in the host's spelling."""
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
    """A user's MsgSendTx: what his account is to execute within `timeout_ns` from now."""
    data = InterchainAccountPacketData(EXECUTE_TX, write_messages(messages, encoding), memo)
    return pack_msg(MsgSendTx(party.address(user), connection_id, data, timeout_ns))
