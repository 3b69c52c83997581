"""Channel handshakes and closing, between chains and over localhost."""

from typing import NamedTuple

from conformance.walks import view
from conformance.walks.chain import Action, WalkChain
from conformance.walks.moves import Move
from conformance.walks.prover import Prover
from conformance.walks.view import ChannelView
from conformance.walks.world import World
from pyibc.apps.transfer import packet_data
from pyibc.core import paths
from pyibc.core.channel.messages import (
    MsgChannelCloseConfirm,
    MsgChannelCloseInit,
    MsgChannelOpenAck,
    MsgChannelOpenConfirm,
    MsgChannelOpenInit,
    MsgChannelOpenTry,
)
from pyibc.core.channel.types import ChannelCounterparty, ChannelEnd, ChannelState, Order
from pyibc.core.connection.types import ConnectionState

MOCK, MOCK_VERSION = "mock", "mock-version"


class Line(NamedTuple):
    """A channel end, and its counterparty if known."""

    near: ChannelView
    far_chain: WalkChain
    far: ChannelView | None
    client_id: str


def lines(world: World, chain: WalkChain) -> list[Line]:
    """Return every channel of a chain over a client that tracks a chain of the walk."""
    found = []
    ends = view.connections(chain)
    for near in view.channels(chain):
        client_id = ends[near.end.connection_id].client_id
        far_chain = world.followed(chain, client_id)
        if far_chain is not None:
            found.append(Line(near, far_chain, _far(far_chain, near), client_id))
    return found


def _far(far_chain: WalkChain, near: ChannelView) -> ChannelView | None:
    """Return the counterparty end: the one this end names, or one that names this end."""
    port, known = near.end.counterparty.port_id, near.end.counterparty.channel_id
    for each in view.channels(far_chain):
        if each.port_id == port and known in {"", each.channel_id} and each is not near:
            named = each.end.counterparty
            if (named.port_id, named.channel_id) == (near.port_id, near.channel_id):
                return each
    return None


def open_init(world: World, chain: WalkChain) -> list[object] | None:
    """Open a channel over an open connection."""
    usable = [name for name, end in view.connections(chain).items() if end.state is ConnectionState.OPEN]
    if not usable or len(view.channels(chain)) > 12:
        return None
    choices = world.choices
    connection, transfer = choices.pick(usable), choices.chance(35)
    if world.setting_up:  # connections between chains are listed before localhost's
        connection, transfer = usable[0], len(view.channels(chain)) == 2
    port, version = (packet_data.PORT_ID, packet_data.VERSION) if transfer else (MOCK, MOCK_VERSION)
    ordered = len(view.channels(chain)) == 1 if world.setting_up else choices.chance(50)
    order = Order.ORDERED if ordered and not transfer else Order.UNORDERED
    blank = "" if choices.chance(20) else version
    end = ChannelEnd(ChannelState.INIT, order, ChannelCounterparty(port, ""), (connection,), blank)
    return [MsgChannelOpenInit(port, end, world.relayer)]


def open_try(world: World, chain: WalkChain) -> list[object] | None:
    """Submit a ChanOpenTry for an INIT end of the other chain."""
    ours = view.connections(chain)
    waiting = []
    for name, end in ours.items():
        far_chain = world.followed(chain, end.client_id)
        if far_chain is None or end.state is not ConnectionState.OPEN:
            continue
        hop = end.counterparty.connection_id
        waiting += [(name, far_chain, each) for each in _inits(chain, far_chain, hop)]
    if not waiting:
        return None
    name, far_chain, far = world.choices.pick(waiting)
    proofs = world.prover(chain, ours[name].client_id)
    if proofs is None:
        return None
    port = far.end.counterparty.port_id
    other = ChannelCounterparty(far.port_id, far.channel_id)
    version = packet_data.VERSION if port == packet_data.PORT_ID else MOCK_VERSION
    tried = ChannelEnd(ChannelState.TRYOPEN, far.end.ordering, other, (name,), version)
    proof = proofs.proof(paths.channel_path(far.port_id, far.channel_id))
    message = MsgChannelOpenTry(port, "", tried, far.end.version, proof, proofs.height, world.relayer)
    return [*proofs.before, message]


def _inits(chain: WalkChain, far_chain: WalkChain, hop: str) -> list[ChannelView]:
    taken = {
        (each.end.counterparty.port_id, each.end.counterparty.channel_id) for each in view.channels(chain)
    }
    return [
        each
        for each in view.channels(far_chain)
        if each.end.state is ChannelState.INIT
        and each.end.connection_id == hop
        and (each.port_id, each.channel_id) not in taken
    ]


def _in_states(
    world: World, chain: WalkChain, near: ChannelState, far: ChannelState
) -> tuple[Line, ChannelView] | None:
    found = [
        (line, line.far)
        for line in lines(world, chain)
        if line.near.end.state is near and line.far is not None and line.far.end.state is far
    ]
    return world.choices.pick(found) if found else None


def _with_proof(
    world: World, chain: WalkChain, near: ChannelState, far: ChannelState
) -> tuple[ChannelView, ChannelView, Prover, bytes] | None:
    """Return a channel with ends in these states, and a proof of the other chain's end."""
    found = _in_states(world, chain, near, far)
    proofs = world.prover(chain, found[0].client_id) if found else None
    if found is None or proofs is None:
        return None
    line, end = found
    return line.near, end, proofs, proofs.proof(paths.channel_path(end.port_id, end.channel_id))


def open_ack(world: World, chain: WalkChain) -> list[object] | None:
    """Submit a ChanOpenAck for a TRYOPEN end of the other chain."""
    found = _with_proof(world, chain, ChannelState.INIT, ChannelState.TRYOPEN)
    if found is None:
        return None
    near, far, proofs, proof = found
    message = MsgChannelOpenAck(
        near.port_id,
        near.channel_id,
        far.channel_id,
        far.end.version,
        proof,
        proofs.height,
        world.relayer,
    )
    return [*proofs.before, message]


def open_confirm(world: World, chain: WalkChain) -> list[object] | None:
    """Submit a ChanOpenConfirm for an OPEN end of the other chain."""
    found = _with_proof(world, chain, ChannelState.TRYOPEN, ChannelState.OPEN)
    if found is None:
        return None
    near, _, proofs, proof = found
    message = MsgChannelOpenConfirm(near.port_id, near.channel_id, proof, proofs.height, world.relayer)
    return [*proofs.before, message]


def close_init(world: World, chain: WalkChain) -> list[object] | None:
    """Close a channel, by message or by the application."""
    open_ends = [each for each in view.channels(chain) if each.end.state is not ChannelState.CLOSED]
    if len(open_ends) < 3:
        return None
    end = world.choices.pick(open_ends)
    if end.port_id == MOCK and world.choices.chance(40):
        return [Action("chan_close_init", {"port": end.port_id, "channel": end.channel_id})]
    return [MsgChannelCloseInit(end.port_id, end.channel_id, world.relayer)]


def close_confirm(world: World, chain: WalkChain) -> list[object] | None:
    """Submit a ChanCloseConfirm for a CLOSED end of the other chain."""
    found = _with_proof(world, chain, ChannelState.OPEN, ChannelState.CLOSED)
    if found is None:
        return None
    near, _, proofs, proof = found
    message = MsgChannelCloseConfirm(near.port_id, near.channel_id, proof, proofs.height, world.relayer)
    return [*proofs.before, message]


MOVES: tuple[tuple[int, Move], ...] = (
    (2, open_init),
    (4, open_try),
    (4, open_ack),
    (4, open_confirm),
    (2, close_init),
    (3, close_confirm),
)
"""Weights and moves."""
