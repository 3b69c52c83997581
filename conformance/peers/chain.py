"""A running chain of any implementation, used through its RPC."""

from collections.abc import Sequence

from pyibc.apps.transfer.messages import MsgTransfer
from pyibc.codec.anys import AnyMessage
from pyibc.core.coin import Coin
from pyibc.core.height import ZERO_HEIGHT, Height
from pyibc.core.host.block import TxOutcome
from pyibc.core.packet.events import read_packet_event
from pyibc.core.packet.types import Packet
from pyibc.core.packet_v2.events import read_packet_event_v2
from pyibc.core.packet_v2.types import NS_PER_S, PacketV2
from pyibc.core.wire.message import pack_msg
from pyibc.proto.cosmos.bank.v1beta1 import query_pb2 as bank_pb2
from pyibc.relayer.money.account import GasConfig
from pyibc.relayer.money.wallet import Wallet, seed_key
from pyibc.relayer.paths.path import AnyEnd, ClientEnd
from pyibc.relayer.rpc.client import RpcConfig
from pyibc.relayer.rpc.endpoint import RpcEndpoint
from pyibc.testing.transfers import hop

SEED = "live"
USERS = ("alice", "bob", "relayer")
BANK = "/cosmos.bank.v1beta1.Query/"
RPC_CONFIG = RpcConfig(poll_s=0.1)


def wallet(user: str, prefix: str = "cosmos") -> Wallet:
    """Return the wallet of one of `USERS`, the same on every chain. For test networks only."""
    return Wallet(private_key(user), prefix)


def private_key(user: str) -> bytes:
    """Return the private key of one of `USERS`, 32 bytes."""
    return seed_key(f"{SEED}/{user}")


def key_text(user: str) -> str:
    """Return the private key as 64 hex digits, for a key file."""
    return private_key(user).hex()


def addresses(prefix: str = "cosmos") -> list[str]:
    """Return the addresses of all users, for a genesis."""
    return [wallet(user, prefix).address.text for user in USERS]


class LiveChain:
    """A node, and the operations of its users.

    Args:
        url: URL of its RPC.
        grpc: URL of its gRPC server; "" if it has none.
        prefix: Bech32 prefix of its addresses.
        terms: Gas limit and fee of transactions.
    """

    def __init__(
        self,
        url: str,
        grpc: str = "",
        prefix: str = "cosmos",
        terms: GasConfig = GasConfig(),  # noqa: B008 - a value
    ) -> None:
        self.url = url
        self.grpc = grpc
        self._prefix = prefix
        self._terms = terms
        self._endpoints: dict[str, RpcEndpoint] = {}

    def as_user(self, user: str) -> RpcEndpoint:
        """Return an endpoint with a user's account; its connection is reused."""
        if user not in self._endpoints:
            key = wallet(user, self._prefix)
            self._endpoints[user] = RpcEndpoint.connect(self.url, key, self._terms, RPC_CONFIG)
        return self._endpoints[user]

    def close(self) -> None:
        """Close the connections."""
        for endpoint in self._endpoints.values():
            endpoint.close()
        self._endpoints.clear()

    @property
    def chain_id(self) -> str:
        """The chain's id."""
        return self.as_user("relayer").chain_id

    def address(self, user: str) -> str:
        """Return a user's address on this chain."""
        return wallet(user, self._prefix).address.text

    def balance(self, holder: str, denom: str) -> int:
        """Return the balance of a user or an address after the last block."""
        address = self.address(holder) if holder in USERS else holder
        request = bank_pb2.QueryBalanceRequest(address=address, denom=denom)
        raw = self.as_user("relayer").grpc(f"{BANK}Balance", request.SerializeToString())
        return int(bank_pb2.QueryBalanceResponse.FromString(raw).balance.amount or 0)

    def supply(self, denom: str) -> int:
        """Return the total supply of a denomination."""
        request = bank_pb2.QuerySupplyOfRequest(denom=denom)
        raw = self.as_user("relayer").grpc(f"{BANK}SupplyOf", request.SerializeToString())
        return int(bank_pb2.QuerySupplyOfResponse.FromString(raw).amount.amount or 0)

    def submit(self, user: str, messages: Sequence[AnyMessage]) -> TxOutcome:
        """Submit a user's transaction; return its outcome in a block, or in CheckTx."""
        return self.as_user(user).submit(messages)

    def transfer(
        self,
        user: str,
        end: AnyEnd,
        coin: Coin,
        receiver: str,
        *,
        until: Height | int | None = None,
        memo: str = "",
    ) -> AnyMessage:
        """Return the MsgTransfer of a user.

        Args:
            user: The sender.
            end: The channel end on this chain, or an IBC v2 client.
            coin: Amount and denomination (`ibc/...` for a voucher).
            receiver: Address on the other chain.
            until: Timeout height, or time in unix nanoseconds (seconds over a client); None: in ten
                minutes.
            memo: The memo.
        """
        if until is None:
            then_ns = self.as_user("relayer").tip().time_ns + 600 * 10**9
            until = then_ns // NS_PER_S if isinstance(end, ClientEnd) else then_ns
        height, time_ns = (ZERO_HEIGHT, until) if isinstance(until, int) else (until, 0)
        sender = self.address(user)
        message = MsgTransfer(
            *hop(end),
            coin.denom,
            str(coin.amount),
            sender,
            receiver,
            height,
            time_ns,
            memo,
        )
        return pack_msg(message)


def sent_packets(outcome: TxOutcome) -> list[Packet]:
    """Return the packets that a transaction sent."""
    found = [read_packet_event(event) for event in outcome.events if event[0] == "send_packet"]
    return [each.packet for each in found if each is not None]


def sent_packets_v2(outcome: TxOutcome) -> list[PacketV2]:
    """Return the IBC v2 packets that a transaction sent."""
    found = [read_packet_event_v2(event) for event in outcome.events if event[0] == "send_packet"]
    return [each.packet for each in found if each is not None]
