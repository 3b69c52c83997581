"""ICS-20 as a plugin: registers through the hooks that are open to every application."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from ibc_module import hookimpl
from ibc_module.apps.transfer import msg_transfer, state
from ibc_module.apps.transfer.app import TransferApp
from ibc_module.apps.transfer.coins import CoinMover
from ibc_module.apps.transfer.msg_transfer import TransferHandler
from ibc_module.core.address import AddressCodec
from ibc_module.core.application import IbcApp, Services
from ibc_module.core.context import WriteContext
from ibc_module.core.module_account import module_address
from ibc_module.core.transfer import MsgTransfer
from ibc_module.hookspecs import MessageRoute
from ibc_module.wire._generated.ibc.applications.transfer.v1 import tx_pb2
from ibc_module.wire.messages.transfer import TRANSFER, decode_transfer

_T = TypeVar("_T")

MODULE_NAME = "transfer"


class TransferPlugin:
    """Gives a host with coins the application ICS-20, its message and its store."""

    def __init__(self) -> None:
        self._handler: TransferHandler | None = None
        self._addresses: AddressCodec | None = None

    @hookimpl
    def chain_stores(self) -> Sequence[str]:
        """One store, `transfer`."""
        return (state.STORE_NAME,)

    @hookimpl
    def ibc_register_apps(self, services: Services) -> Mapping[str, IbcApp]:
        """The application, on port `transfer`.

        Raises:
            ValueError: the host offers no bank.
        """
        if services.bank is None:
            raise ValueError("ICS-20 needs a host that offers its coins through the hook ibc_bank")
        module = services.addresses.encode(module_address(MODULE_NAME))
        coins = CoinMover(services.bank, services.addresses, module)
        self._addresses = services.addresses
        self._handler = TransferHandler(coins, services.bank, services.sender, services.addresses)
        return {state.PORT_ID: TransferApp(coins, services.addresses)}

    @hookimpl
    def chain_messages(self) -> Mapping[str, MessageRoute]:
        """MsgTransfer."""
        route = MessageRoute(_decode, self._signers, self._deliver, f"{TRANSFER}Response")
        return {TRANSFER: route}

    @hookimpl
    def chain_init_genesis(self, ctx: WriteContext, genesis: Mapping[str, Any]) -> None:
        """Sets the parameters; both directions are open unless the genesis says otherwise."""
        given = genesis.get(MODULE_NAME, {})
        state.set_port(ctx)
        state.set_params(
            ctx, state.Params(given.get("send_enabled", True), given.get("receive_enabled", True))
        )

    def _signers(self, msg: MsgTransfer) -> tuple[bytes, ...]:
        addresses = self._require(self._addresses)
        return (addresses.decode(msg.sender, "sender").raw,)

    def _deliver(self, ctx: WriteContext, msg: MsgTransfer) -> bytes:
        handler = self._require(self._handler)
        sequence = handler.execute(ctx, handler.validate(ctx, msg))
        return tx_pb2.MsgTransferResponse(sequence=sequence).SerializeToString()

    @staticmethod
    def _require(part: _T | None) -> _T:
        if part is None:
            raise ValueError("the transfer plugin was used before it was wired")
        return part


def _decode(raw: bytes) -> MsgTransfer:
    msg = decode_transfer(raw)
    msg_transfer.check(msg)
    return msg
