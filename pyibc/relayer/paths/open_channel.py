"""Creation of a channel (ICS-4), or reuse of an existing one."""

from typing import NamedTuple

from pyibc.core import paths as keys
from pyibc.core.channel import messages
from pyibc.core.channel.types import ChannelCounterparty, ChannelEnd, ChannelState, Order
from pyibc.core.identifiers import is_channel_id
from pyibc.core.wire.message import Msg
from pyibc.relayer.chain.listings import channel_ends_on
from pyibc.relayer.chain.values import Proven
from pyibc.relayer.errors import AmbiguousPath, WrongCounterparty
from pyibc.relayer.paths import handshake
from pyibc.relayer.paths.ends import EndCandidate, channel_end, match_or_begun
from pyibc.relayer.paths.path import SIDES, Side, other

GENERATED = ("", "")
"""Names of ends that their chains will generate."""


class ChannelParams(NamedTuple):
    """Parameters of a channel."""

    ports: tuple[str, str]  # on a and b
    connections: tuple[str, str]
    order: Order
    version: str  # as proposed on a; the applications may negotiate another one
    names: tuple[str, str] = GENERATED  # chosen for the ends on a and b; the chains need `DirectPlugin`


def open_channel(clients: handshake.Clients, params: ChannelParams, *, new: bool) -> tuple[str, str]:
    """Return the ids on a and b of the only open channel; open one if none is open, or if `new`.

    If the parameters choose names, use the channel with these names, whatever other channels there are.

    Raises:
        AmbiguousPath: several channels are open.
        WrongCounterparty: a chosen name belongs to another channel.
        HandshakeStuck: the handshake cannot continue.
        TransactionFailed: a chain refuses a step.
    """
    if any(params.names):
        return finish_channel(clients, params, named_ends(clients, params))
    if new:
        return finish_channel(clients, params, GENERATED)
    on_a, on_b = _found(clients, params, 0), _found(clients, params, 1)
    names = tuple(end.name for end in on_a if end.is_open)
    if len(names) > 1:
        raise AmbiguousPath(f"channels over {params.connections[0]}", names)
    a, port = clients[0].host, params.ports[0]
    # guard: h305-what-began-on-b-is-not-seen {match_or_begun(on_a, on_b, lambda name: channel_end(a, port,
    #   name) is not None) => match_or_begun(on_a, on_b, lambda _: True)}
    #   test_h305_no_second_channel_is_opened_beside_a_begun_one
    ids = match_or_begun(on_a, on_b, lambda name: channel_end(a, port, name) is not None)
    return finish_channel(clients, params, ids)


def named_ends(clients: handshake.Clients, params: ChannelParams) -> tuple[str, str]:
    """Return the ids on a and b for chosen names; "" for an id that will be generated.

    Raises:
        WrongCounterparty: a name belongs to a channel with other parameters. Names are first come, first
            served, so a third party may have it.
    """
    ids = list(params.names)
    for side in SIDES:
        end = channel_end(clients[side].host, params.ports[side], ids[side])
        if end is None:
            continue
        far = end.counterparty.channel_id
        wanted = params.names[other(side)]
        # guard: h305-a-stranger-s-channel-of-that-name drop
        #   test_h305_a_name_that_a_stranger_took_is_no_channel_of_ours
        if not _fits(params, side, end) or (far and wanted not in {"", far}):
            raise WrongCounterparty(clients[side].host.chain_id, ids[side], _described(end))
        ids[other(side)] = ids[other(side)] or far
    for side in SIDES:
        if not ids[side]:
            ends = channel_ends_on(clients[side].host, params.ports[side])
            started = (name for name, end in ends if _names(params, side, end, ids[other(side)]))
            ids[side] = next(started, "")
    return ids[0], ids[1]


def _names(params: ChannelParams, side: Side, end: ChannelEnd, far_id: str) -> bool:
    return end.counterparty.channel_id == far_id and _fits(params, side, end)


def _described(end: ChannelEnd) -> str:
    far = end.counterparty
    return (
        f"is another channel: {end.state.name}, {end.ordering.text}, version {end.version[:64]!a}, over "
        f"{end.connection_id} to {far.port_id}/{far.channel_id}; choose another name"
    )


def finish_channel(
    clients: handshake.Clients, params: ChannelParams, ids: tuple[str, str]
) -> tuple[str, str]:
    """Complete a channel's handshake; `ids` on a and b, "" for an end to create."""
    return handshake.run_handshake(ChannelHandshake(clients, params, ids))


class ChannelHandshake(handshake.Handshake[ChannelEnd]):
    """Handshake of a channel."""

    noun = "channel"

    def __init__(self, clients: handshake.Clients, params: ChannelParams, ids: tuple[str, str]) -> None:
        """Set the `ids` on a and b: "" for an end that does not exist yet and whose name is generated."""
        super().__init__(clients, ids)
        self._params = params

    @property
    def steps(self) -> handshake.Steps:
        """Next step for each pair of states; both chains may have started a channel with two chosen names."""
        chosen = all(each and not is_channel_id(each) for each in self.ids)
        return handshake.BOTH_STARTED if chosen else handshake.NEXT_STEPS

    def find(self, side: Side) -> ChannelEnd | None:
        """Return the channel end on one side; None if it does not exist."""
        return channel_end(self.clients[side].host, self._params.ports[side], self.ids[side])

    def proof_key(self, prover: Side) -> bytes:
        """Return the channel end's path (ICS-24)."""
        return keys.channel_path(self._params.ports[prover], self.ids[prover])

    def init(self, signer: str) -> Msg:
        """Return ChanOpenInit for a."""
        end = self._new_end(0, ChannelState.INIT, self._params.version)
        message = messages.MsgChannelOpenInit(self._params.ports[0], end, signer, self.ids[0])
        return handshake.for_channel(message, self.ids[0], is_named=any(self.ids))

    def message(self, step: handshake.NextStep, proven: Proven, signer: str) -> Msg:
        """Return ChanOpenTry, ChanOpenAck or ChanOpenConfirm."""
        port, near = self._params.ports[step.target], self.ids[step.target]
        if step.kind == handshake.Step.CONFIRM:
            return handshake.for_channel(
                messages.MsgChannelOpenConfirm(port, near, proven.proof, proven.height, signer), near
            )
        far_id, far = self.ids[other(step.target)], self.end(other(step.target))
        proof = far.version, proven.proof, proven.height, signer
        if step.kind == handshake.Step.ACK:
            return handshake.for_channel(messages.MsgChannelOpenAck(port, near, far_id, *proof), near)
        named = far.counterparty.channel_id
        end, own = self._new_end(step.target, ChannelState.TRYOPEN, far.version), named or near
        message = messages.MsgChannelOpenTry(port, "", end, *proof, own, bool(named))
        return handshake.for_channel(message, own, is_named=bool(own))

    def _new_end(self, side: Side, state: ChannelState, version: str) -> ChannelEnd:
        far = ChannelCounterparty(self._params.ports[other(side)], self.ids[other(side)])
        return ChannelEnd(state, self._params.order, far, (self._params.connections[side],), version)


def _found(clients: handshake.Clients, params: ChannelParams, side: Side) -> list[EndCandidate]:
    """Return channels with these parameters on one side that are not closed."""
    return [
        EndCandidate(name, end.counterparty.channel_id, end.state == ChannelState.OPEN)
        for name, end in channel_ends_on(clients[side].host, params.ports[side])
        if _fits(params, side, end)
    ]


def _fits(params: ChannelParams, side: Side, end: ChannelEnd) -> bool:
    return (
        end.state != ChannelState.CLOSED
        and end.connection_hops == (params.connections[side],)
        and (end.ordering, end.version) == (params.order, params.version)
        and end.counterparty.port_id == params.ports[other(side)]
    )
