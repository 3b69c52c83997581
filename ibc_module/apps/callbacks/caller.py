"""What both middlewares do with a packet: read what it asks for, call the contract, tell of it."""

from collections.abc import Callable
from typing import Any

from ibc_core.address import Address
from ibc_core.application.packet_data import PacketData
from ibc_core.callbacks.asked import Asked, Side, asked
from ibc_core.callbacks.contract import (
    BoundContract,
    DestinationReceived,
    SourceAcknowledged,
    SourceSent,
    SourceTimedOut,
)
from ibc_core.callbacks.events import Occasion, callback_event
from ibc_core.errors import NO_VERDICT, CallbackAddressNotFound, IbcError
from ibc_core.host.context import WriteContext
from ibc_core.packet.types import Packet
from ibc_module.apps.callbacks.contracts import Contracts
from ibc_module.apps.callbacks.process import process
from ibc_module.at_wiring import AtWiring
from ibc_module.border import Place


class Caller:
    """Calls the contracts of one chain."""

    contracts = AtWiring[Contracts]()

    def __init__(self, max_gas: int) -> None:
        """`max_gas`: what a contract may use at most, whatever its packet says."""
        self._max_gas = max_gas
        self._place = Place("a contract")

    def asked(
        self, ctx: WriteContext, side: Side, decode: Callable[[], PacketData], version: str, port_id_on_a: str
    ) -> Asked | None:
        """The callback that a packet asks for; None: it asks for none, or the application cannot read it.

        Raises:
            InvalidCallbackData: what it asks for is malformed.
        """
        try:
            told = decode()
        except NO_VERDICT:
            raise
        except IbcError:
            return None
        return asked(told, side, version, port_id_on_a, ctx.gas.remaining, self._max_gas)

    def sent(self, ctx: WriteContext, asked: Asked, packet: Packet) -> None:
        """Asks the contract whether the packet may be sent.

        One that names its own sender, where there is no contract, asks nobody: every call of GMP names its
        sender, and may be an account's with a key.

        Raises:
            BaseException: it may not; see `process`.
        """
        # guard: h177-an-account-cannot-call drop
        #   test_an_account_that_names_itself_is_not_asked_and_is_told_in_vain
        if asked.address == asked.sender and self.contracts.at(asked.address) is None:
            return
        told = SourceSent(asked, packet)
        error = self._call(ctx, Occasion.SEND, asked, lambda contract: contract.on_send_packet, told)
        if error is not None:
            raise error
        self._tell(ctx, Occasion.SEND, asked, packet, None)

    def acknowledged(
        self, ctx: WriteContext, asked: Asked, packet: Packet, acknowledgement: bytes, relayer: Address
    ) -> None:
        """Tells the contract the answer to a packet."""
        told = SourceAcknowledged(asked, packet, acknowledgement, relayer)
        occasion = Occasion.ACKNOWLEDGEMENT
        error = self._call(ctx, occasion, asked, lambda contract: contract.on_acknowledgement_packet, told)
        # guard: h175-an-acknowledgement-waits-for-its-contract {=> if error is not None: raise error}
        #   test_h175_no_contract_holds_an_answer_or_a_timeout_up
        self._tell(ctx, occasion, asked, packet, error)

    def timed_out(self, ctx: WriteContext, asked: Asked, packet: Packet, relayer: Address) -> None:
        """Tells the contract that a packet came back."""
        told = SourceTimedOut(asked, packet, relayer)
        occasion = Occasion.TIMEOUT
        error = self._call(ctx, occasion, asked, lambda contract: contract.on_timeout_packet, told)
        self._tell(ctx, occasion, asked, packet, error)

    def received(
        self, ctx: WriteContext, asked: Asked, packet: Packet, acknowledgement: bytes
    ) -> IbcError | None:
        """Tells the contract of a packet that came in; returns the error it refused with."""
        told = DestinationReceived(asked, packet, acknowledgement)
        occasion = Occasion.RECEIVE
        error = self._call(ctx, occasion, asked, lambda contract: contract.on_recv_packet, told)
        self._tell(ctx, occasion, asked, packet, error)
        return error

    def _call(
        self,
        ctx: WriteContext,
        occasion: Occasion,
        asked: Asked,
        callback: Callable[[BoundContract], Callable[[Any, Any], None]],
        told: object,
    ) -> IbcError | None:
        contract = self.contracts.at(asked.address)
        if contract is None:
            # guard: h177-nobody-at-the-address-is-a-yes test_nobody_has_the_address
            return CallbackAddressNotFound(asked.address[:128])
        return process(ctx, occasion, asked, callback(contract), told, self._place)

    def _tell(
        self, ctx: WriteContext, occasion: Occasion, asked: Asked, packet: Packet, error: IbcError | None
    ) -> None:
        end = packet.port_id_on_a, packet.channel_id_on_a
        if occasion is Occasion.RECEIVE:
            end = packet.port_id_on_b, packet.channel_id_on_b
        ctx.emit(callback_event(occasion, asked, *end, packet.sequence, error))
