"""Interchain fungible token: minted by the account that its counterparty contract has here (docs/gmp.md).

The contract on Ethereum burns, and calls this chain by GMP with a MsgIFTMint in protojson, in the form of
Solidity's `CosmosIFTSendCallConstructor`. The account that must sign it has no private key.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from google.protobuf.descriptor_pb2 import FieldDescriptorProto, FileDescriptorProto, FileDescriptorSet
from google.protobuf.message_factory import GetMessageClass

from pyibc import AtWiring, Bank, IbcAppV2, MessageRoute, Services, WriteContext, coin, hookimpl
from pyibc.errors import InvalidAmount, Unauthorized
from pyibc.host import module_address
from pyibc.messages import Msg, Signer, message, route_of, value
from pyibc.wire import build, message_class

_FILE = FileDescriptorProto(name="examples/ift/v1/ift.proto", package="examples.ift.v1", syntax="proto3")
_MINT = _FILE.message_type.add(name="MsgIFTMint")
for _number, _name in enumerate(("signer", "denom", "receiver", "amount"), 1):
    _MINT.field.add(name=_name, number=_number, type=FieldDescriptorProto.TYPE_STRING)
_POOL = build(FileDescriptorSet(file=[_FILE]).SerializeToString())
_QUERY = "ibc.applications.gmp.v1.QueryAccountIdentifier"


@message(GetMessageClass(_POOL.FindMessageTypeByName("examples.ift.v1.MsgIFTMint")))
@value
class MsgIFTMint(Msg):
    """Mints tokens that were burned on the other chain."""

    signer: Signer
    denom: str
    receiver: str
    amount: str  # decimal

    def check(self, chain: Any) -> None:
        """Run the stateless checks. Raises InvalidAddress, InvalidAmount."""
        chain.addresses.decode(self.receiver, "receiver")
        if not self.amount.isdecimal() or self.amount[0] == "0" or len(self.amount) > 77:
            raise InvalidAmount(self.amount[:78])


class Bridge(NamedTuple):
    """Location of the token's counterparty contract."""

    client_id: str  # on this chain; identifies the contract's chain
    contract: str  # its address on that chain


class IftPlugin:
    """Token that only its bridge can mint."""

    services = AtWiring[Services]()
    bank = AtWiring[Bank]()

    def __init__(self, denom: str, bridge: Bridge) -> None:
        self._denom = denom
        self._bridge = bridge

    @hookimpl
    def ibc_register_apps_v2(self, services: Services) -> Mapping[str, IbcAppV2]:
        """Register no application; store the services and the bank.

        Raises:
            ValueError: the host has no bank.
        """
        if services.bank is None:
            raise ValueError("a token needs a host that offers its coins through the hook ibc_bank")
        self.services, self.bank = services, services.bank
        return {}

    @hookimpl
    def chain_messages(self) -> Mapping[str, MessageRoute]:
        """Route MsgIFTMint."""
        return {MsgIFTMint.TYPE_URL: route_of(MsgIFTMint, self.services, self._mint)}

    def _mint(self, ctx: WriteContext, msg: MsgIFTMint) -> bytes:
        if msg.denom != self._denom or self._owner(ctx, msg.signer) != self._bridge:
            raise Unauthorized(f"{self._bridge.contract} over {self._bridge.client_id}", msg.signer)
        addresses, amount = self.services.addresses, coin(msg.denom, int(msg.amount))
        module = addresses.encode(module_address("ift"))
        self.bank.mint(ctx, module, amount)
        self.bank.send(ctx, module, addresses.decode(msg.receiver, "receiver"), amount)
        return b""

    def _owner(self, ctx: WriteContext, account: str) -> Bridge:
        """Return the owner of a GMP account. Raises NotFound."""
        request = message_class(f"{_QUERY}Request")(account_address=account).SerializeToString()
        answer = self.services.messages.query(
            ctx, "/ibc.applications.gmp.v1.Query/AccountIdentifier", request
        )
        found: Any = message_class(f"{_QUERY}Response").FromString(answer)
        return Bridge(found.account_id.client_id, found.account_id.sender)
