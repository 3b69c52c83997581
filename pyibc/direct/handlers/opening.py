"""Direct calls that open and close channels (ICS-4 chanOpen*, chanClose*).

Checks follow the order of the specification: identifier, hops, existing channel, capability, connection,
proof. Checks whose order cannot be observed are left to the standard handlers.
"""

from handlers.channel import close_confirm, close_init, open_ack, open_confirm, open_init, open_try
from handlers.identifiers import check_channel_is_new, check_channel_name, find_own_init
from pyibc.core.channel.messages import (
    MsgChannelCloseConfirm,
    MsgChannelOpenAck,
    MsgChannelOpenConfirm,
    MsgChannelOpenInit,
    MsgChannelOpenTry,
    check_end,
)
from pyibc.core.channel.types import BOTH_STARTED, ChannelEnd, ChannelState
from pyibc.core.errors import ChannelExists
from pyibc.core.height import Height
from pyibc.core.host.context import ReadContext, WriteContext
from pyibc.core.identifiers import validate_channel_id, validate_port_id
from pyibc.direct.calls import DirectOpening, OpenedChannel
from pyibc.direct.capability import Capability
from pyibc.direct.handlers import plain
from pyibc.direct.handlers.access import ModuleAccess, stub_app
from pyibc.direct.messages import check_chosen_channel_id
from pyibc.isolation.scoped_context import opened


class OpeningCalls:
    """Handshake and closing functions of a `DirectHandler`."""

    __slots__ = ()
    _access: ModuleAccess

    def chan_open_init(self, ctx: WriteContext, port: Capability, opening: DirectOpening) -> OpenedChannel:
        """Start a channel (chanOpenInit). Raises as `handlers.channel.open_init`."""
        access, ctx = self._access, opened(ctx)
        keepers, port_id = access.keepers, opening.port_id
        _check_form(access, opening)
        check_chosen_channel_id(opening.counterparty.channel_id)
        # CHANNEL
        check_channel_is_new(keepers, ctx, port_id, opening.channel_id)
        keepers.connections.get(ctx, opening.connection_hops[0])
        access.port(port, port_id)
        end = _end(ChannelState.INIT, opening)
        msg = MsgChannelOpenInit(port_id, end, access.signer(port_id), opening.channel_id)
        verified = open_init.validate(keepers, ctx, msg)
        # STATE
        app = stub_app(version=opening.version)
        channel_id, _ = open_init.execute(keepers, ctx, verified._replace(app=app))
        return OpenedChannel(channel_id, access.capabilities.channel(port_id, channel_id))

    def chan_open_try(
        self,
        ctx: WriteContext,
        port: Capability,
        opening: DirectOpening,
        counterparty_version: str,
        proof_init: bytes,
        proof_height: Height,
        *,
        named_by_counterparty: bool = True,
    ) -> OpenedChannel:
        """Answer an INIT of the other chain, or continue from this chain's own INIT (chanOpenTry).

        `named_by_counterparty`: the other end names `opening.channel_id`; ignored if that is "".

        Raises as `handlers.channel.open_try`.
        """
        access, ctx = self._access, opened(ctx)
        keepers, port_id = access.keepers, opening.port_id
        _check_form(access, opening)
        validate_channel_id(opening.counterparty.channel_id)
        plain.require(str, counterparty_version)
        plain.proven(proof_init, proof_height)
        end = _end(ChannelState.TRYOPEN, opening)
        # CHANNEL
        _check_previous(access, ctx, opening, end)
        access.port(port, port_id)
        # PROOF
        names = access.signer(port_id), opening.channel_id, named_by_counterparty
        msg = MsgChannelOpenTry(port_id, "", end, counterparty_version, proof_init, proof_height, *names)
        verified = open_try.validate(keepers, ctx, msg)
        # STATE
        app = stub_app(version=opening.version)
        channel_id, _ = open_try.execute(keepers, ctx, verified._replace(app=app))
        return OpenedChannel(channel_id, access.capabilities.channel(port_id, channel_id))

    def chan_open_ack(
        self,
        ctx: WriteContext,
        channel: Capability,
        port_id: str,
        channel_id: str,
        counterparty: tuple[str, str],
        proof_try: bytes,
        proof_height: Height,
    ) -> None:
        """Set the channel OPEN on chain A (chanOpenAck); `counterparty`: other end's channel id and version.

        Raises as `handlers.channel.open_ack`.
        """
        access, ctx = self._access, opened(ctx)
        plain.require(str, *counterparty)
        plain.proven(proof_try, proof_height)
        # CHANNEL
        access.in_state(ctx, port_id, channel_id, "open_ack")
        access.channel(ctx, channel, port_id, channel_id)
        signer = access.signer(port_id)
        # PROOF
        msg = MsgChannelOpenAck(port_id, channel_id, *counterparty, proof_try, proof_height, signer)
        verified = open_ack.validate(access.keepers, ctx, msg, BOTH_STARTED)
        # STATE
        open_ack.execute(access.keepers, ctx, verified._replace(app=stub_app()))

    def chan_open_confirm(
        self,
        ctx: WriteContext,
        channel: Capability,
        port_id: str,
        channel_id: str,
        proof_ack: bytes,
        proof_height: Height,
    ) -> None:
        """Set the channel OPEN on chain B (chanOpenConfirm). Raises as `handlers.channel.open_confirm`."""
        access, ctx = self._access, opened(ctx)
        plain.proven(proof_ack, proof_height)
        # CHANNEL
        access.in_state(ctx, port_id, channel_id, "open_confirm")
        access.channel(ctx, channel, port_id, channel_id)
        # PROOF
        msg = MsgChannelOpenConfirm(port_id, channel_id, proof_ack, proof_height, access.signer(port_id))
        verified = open_confirm.validate(access.keepers, ctx, msg)
        # STATE
        open_confirm.execute(access.keepers, ctx, verified._replace(app=stub_app()))

    def chan_close_init(self, ctx: WriteContext, channel: Capability, port_id: str, channel_id: str) -> None:
        """Close the module's end (chanCloseInit). Raises as `handlers.channel.close_init`."""
        access, ctx = self._access, opened(ctx)
        # CHANNEL
        access.channel(ctx, channel, port_id, channel_id)
        # STATE
        keepers = access.keepers
        close_init.close(keepers, ctx, close_init.validate_close(keepers, ctx, port_id, channel_id))

    def chan_close_confirm(
        self,
        ctx: WriteContext,
        channel: Capability,
        port_id: str,
        channel_id: str,
        proof_init: bytes,
        proof_height: Height,
    ) -> None:
        """Close the module's end after the other end was closed (chanCloseConfirm).

        Raises as `handlers.channel.close_confirm`.
        """
        access, ctx = self._access, opened(ctx)
        plain.proven(proof_init, proof_height)
        # CHANNEL
        access.channel(ctx, channel, port_id, channel_id)
        # PROOF
        msg = MsgChannelCloseConfirm(port_id, channel_id, proof_init, proof_height, access.signer(port_id))
        # STATE
        close_confirm.execute(access.keepers, ctx, close_confirm.RoutedCloseConfirm(msg, stub_app()))


def _check_form(access: ModuleAccess, opening: DirectOpening) -> None:
    """Run the checks that need no state.

    Raises:
        InvalidRequest: a field has a wrong type.
        InvalidIdentifier, InvalidChannelIdentifier: an identifier is malformed or reserved.
        TooManyConnectionHops: there is more than one hop.
        InvalidChannelOrdering: the connection does not support the order.
    """
    plain.opening(opening)
    validate_port_id(opening.port_id)
    check_channel_name(access.keepers, opening.port_id, opening.channel_id)
    check_end(_end(ChannelState.INIT, opening))


def _end(state: ChannelState, opening: DirectOpening) -> ChannelEnd:
    hops = opening.connection_hops
    return ChannelEnd(state, opening.order, opening.counterparty, hops, opening.version)


def _check_previous(access: ModuleAccess, ctx: ReadContext, opening: DirectOpening, end: ChannelEnd) -> None:
    previous = find_own_init(access.keepers, ctx, opening.port_id, opening.channel_id, end)
    if previous is not None and previous.version != opening.version:
        raise ChannelExists(opening.port_id, opening.channel_id)
