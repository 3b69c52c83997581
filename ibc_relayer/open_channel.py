"""Opens a channel (ICS-4), or finds an existing one."""

from typing import NamedTuple

from ibc_core import paths as keys
from ibc_core.channel.open_ack import MsgChannelOpenAck
from ibc_core.channel.open_confirm import MsgChannelOpenConfirm
from ibc_core.channel.open_init import MsgChannelOpenInit
from ibc_core.channel.open_try import MsgChannelOpenTry
from ibc_core.channel.types import ChannelCounterparty, ChannelEnd, ChannelState, Order
from ibc_core.wire.message import Msg
from ibc_relayer.endpoint import Proven
from ibc_relayer.ends import EndCandidate, channel_end, channels_of, match_ends
from ibc_relayer.errors import AmbiguousPath
from ibc_relayer.handshake import Clients, Handshake, NextStep, Step, run_handshake
from ibc_relayer.path import Side, other


class ChannelParams(NamedTuple):
    """Parameters of a channel."""

    ports: tuple[str, str]  # on a and b
    connections: tuple[str, str]
    order: Order
    version: str  # as proposed on a; the applications may negotiate another


def open_channel(clients: Clients, params: ChannelParams, *, new: bool) -> tuple[str, str]:
    """The channel ids on a and b of the only open channel; opens one if none is open, or if `new`.

    Raises:
        AmbiguousPath: several are open.
        HandshakeStuck: the handshake cannot continue.
        TransactionFailed: a chain refuses a step.
    """
    if new:
        return finish_channel(clients, params, ("", ""))
    on_a, on_b = _found(clients, params, 0), _found(clients, params, 1)
    names = tuple(end.name for end in on_a if end.is_open)
    if len(names) > 1:
        raise AmbiguousPath(f"channels over {params.connections[0]}", names)
    return finish_channel(clients, params, match_ends(on_a, on_b))


def finish_channel(clients: Clients, params: ChannelParams, ids: tuple[str, str]) -> tuple[str, str]:
    """Completes a channel's handshake; `ids` on a and b, "" for an end to create."""
    return run_handshake(ChannelHandshake(clients, params, ids))


class ChannelHandshake(Handshake[ChannelEnd]):
    """The handshake of a channel."""

    noun = "channel"

    def __init__(self, clients: Clients, params: ChannelParams, ids: tuple[str, str]) -> None:
        """`ids` on a and b, "" for an end that does not exist yet."""
        super().__init__(clients, ids)
        self._params = params

    def find(self, side: Side) -> ChannelEnd | None:
        """The channel end on one side, None if it does not exist."""
        return channel_end(self.clients[side].host, self._params.ports[side], self.ids[side])

    def proof_key(self, prover: Side) -> bytes:
        """The channel end's path (ICS-24)."""
        return keys.channel_path(self._params.ports[prover], self.ids[prover])

    def init(self, signer: str) -> Msg:
        """ChanOpenInit for a."""
        end = self._new_end(0, ChannelState.INIT, self._params.version)
        return MsgChannelOpenInit(self._params.ports[0], end, signer)

    def message(self, step: NextStep, proven: Proven, signer: str) -> Msg:
        """ChanOpenTry, -Ack or -Confirm."""
        port, near = self._params.ports[step.target], self.ids[step.target]
        if step.kind == Step.CONFIRM:
            return MsgChannelOpenConfirm(port, near, proven.proof, proven.height, signer)
        far_id, far = self.ids[other(step.target)], self.end(other(step.target))
        if step.kind == Step.TRY:
            end = self._new_end(step.target, ChannelState.TRYOPEN, far.version)
            return MsgChannelOpenTry(port, "", end, far.version, proven.proof, proven.height, signer)
        return MsgChannelOpenAck(port, near, far_id, far.version, proven.proof, proven.height, signer)

    def _new_end(self, side: Side, state: ChannelState, version: str) -> ChannelEnd:
        far = ChannelCounterparty(self._params.ports[other(side)], self.ids[other(side)])
        return ChannelEnd(state, self._params.order, far, (self._params.connections[side],), version)


def _found(clients: Clients, params: ChannelParams, side: Side) -> list[EndCandidate]:
    """Channels with these parameters on one side that are not closed."""
    return [
        EndCandidate(name, end.counterparty.channel_id, end.state == ChannelState.OPEN)
        for name, end in channels_of(clients[side].host, params.ports[side])
        if _fits(params, side, end)
    ]


def _fits(params: ChannelParams, side: Side, end: ChannelEnd) -> bool:
    return (
        end.state != ChannelState.CLOSED
        and end.connection_hops == (params.connections[side],)
        and (end.ordering, end.version) == (params.order, params.version)
        and end.counterparty.port_id == params.ports[other(side)]
    )
