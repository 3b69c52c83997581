"""Staking of the recorded hosts, as far as accounts of other chains use it: MsgDelegate.

The value of a validator's share stays as at genesis, and there are no rewards: the blocks were recorded
without votes.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Annotated, Any, Final

from conformance.transcripts.recorded_accounts import RecordedBank
from ibc_module import hookimpl
from pyibc.chain.config import module_address
from pyibc.core.address import AddressCodec
from pyibc.core.checking import HasAddresses
from pyibc.core.coin import coin, is_denom, parse_amount
from pyibc.core.errors import IbcError, InvalidAddress, InvalidSdkAddress, InvalidSdkRequest
from pyibc.core.genesis import export_entries, parse_entries
from pyibc.core.host.context import MessageRoute, ReadContext, WriteContext
from pyibc.core.value import value
from pyibc.core.wire.columns import Signer, Wire
from pyibc.core.wire.message import Msg, message, route_of
from pyibc.isolation.isolate import builtin
from pyibc.proto.cosmos.staking.v1beta1 import tx_pb2

STORE: Final = "recorded_staking"
_POOL: Final = "bonded_tokens_pool"
_BOND_DENOM: Final = "stake"
_TOKENS_A_SHARE: Final = 10**6
_DECIMALS: Final = 10**18


class NoValidator(IbcError, code=3, source="Cosmos SDK's `ErrNoValidatorFound`"):
    """No validator has this operator address."""

    codespace = "staking"
    validator: str
    text = "validator {validator!a} does not exist"


@message(tx_pb2.MsgDelegate)
@value
class MsgDelegate(Msg):
    """Delegates coins to a validator."""

    delegator: Annotated[str, Wire("delegator_address"), *Signer.__metadata__]
    validator: Annotated[str, Wire("validator_address")]
    denom: Annotated[str, Wire("amount.denom")]
    amount: Annotated[str, Wire("amount.amount")]

    def check(self, chain: HasAddresses) -> None:
        """Check addresses and amount; raises InvalidSdkAddress, InvalidAddress, InvalidSdkRequest."""
        _operator(chain.addresses, self.validator)
        chain.addresses.decode(self.delegator, "delegator_address")
        if (parse_amount(self.amount) or 0) <= 0 or not is_denom(self.denom):
            raise InvalidSdkRequest("invalid delegation amount")


def _operator(addresses: AddressCodec, text: str) -> bytes:
    """Return a validator's operator address, which on the recorded chains is the address of its key."""
    try:
        return AddressCodec(f"{addresses.prefix}valoper").decode(text, "validator_address").raw
    except InvalidAddress as error:
        raise InvalidSdkAddress(text[:128], "validator_address") from error


@builtin
class StakingPlugin:
    """Delegations on one recorded chain, to `validators` with these addresses; empty: any address."""

    def __init__(self, bank: RecordedBank, addresses: AddressCodec, validators: Collection[bytes]) -> None:
        self._bank = bank
        self.addresses = addresses
        self._validators = validators

    @hookimpl
    def chain_stores(self) -> Sequence[str]:
        """Return the store of delegations."""
        return (STORE,)

    @hookimpl
    def chain_messages(self) -> Mapping[str, MessageRoute]:
        """Return the route of MsgDelegate."""
        return {MsgDelegate.TYPE_URL: route_of(MsgDelegate, self, self._delegate)}

    @hookimpl
    def chain_init_genesis(self, ctx: WriteContext, genesis: Mapping[str, Any]) -> None:
        """Restore the exported entries."""
        for key, content in parse_entries(genesis.get(STORE, []), STORE):
            ctx.store(STORE).set(key, content)

    @hookimpl
    def chain_export_genesis(self, ctx: ReadContext) -> Mapping[str, Any]:
        """Export every entry of the store."""
        return {STORE: export_entries(ctx.reader(STORE).iterate(b"\0", None))}

    def _delegate(self, ctx: WriteContext, msg: MsgDelegate) -> bytes:
        delegator = self.addresses.decode(msg.delegator, "delegator_address")
        if self._validators and _operator(self.addresses, msg.validator) not in self._validators:
            raise NoValidator(msg.validator)
        if msg.denom != _BOND_DENOM:
            raise InvalidSdkRequest(f"invalid coin denomination: got {msg.denom}")
        pool = self.addresses.encode(module_address(_POOL))
        amount = coin(msg.denom, int(msg.amount))
        store, key = ctx.store(STORE), f"{delegator.text}/{msg.validator}".encode()
        who = ("validator", msg.validator), ("delegator", delegator.text)
        if store.has(key):  # x/distribution pays rewards first
            ctx.emit(("withdraw_rewards", (("amount", f"0{msg.denom}"), *who)))
        self._bank.bond(ctx, delegator, pool, amount)
        store.set(key, b"\1")
        shares = amount.amount * _DECIMALS // _TOKENS_A_SHARE
        new_shares = f"{shares // _DECIMALS}.{shares % _DECIMALS:018}"
        ctx.emit(("delegate", (*who, ("amount", amount.text), ("new_shares", new_shares))))
        return b""
