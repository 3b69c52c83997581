"""Moves of connection handshakes."""

from conformance.walks import view
from conformance.walks.chain import WalkChain
from conformance.walks.moves import Move
from conformance.walks.world import World
from pyibc.core import paths
from pyibc.core.connection.messages import (
    MsgConnectionOpenAck,
    MsgConnectionOpenConfirm,
    MsgConnectionOpenInit,
    MsgConnectionOpenTry,
)
from pyibc.core.connection.types import (
    COMPATIBLE_VERSIONS,
    DEFAULT_VERSION,
    ConnectionCounterparty,
    ConnectionEnd,
    ConnectionState,
    Version,
)

DELAYS = ((8, 0), (1, 3_000_000_000), (1, 45_000_000_000))
"""Weights and delay periods, nanoseconds."""

VERSIONS = (None, DEFAULT_VERSION, Version("1", ("ORDER_UNORDERED",)))


def usable(world: World, chain: WalkChain) -> list[str]:
    """Return active 07-tendermint clients of a chain, in key order."""
    ids = view.tendermint_ids(chain)
    return [client_id for client_id in ids if view.is_active(chain, client_id, world.now_ns)]


def open_init(world: World, chain: WalkChain) -> list[MsgConnectionOpenInit] | None:
    """Open a connection between clients that track each other's chain."""
    near, far = usable(world, chain), usable(world, world.other(chain))
    if not near or not far or len(view.connections(chain)) > 8:
        return None
    choices = world.choices
    counterparty = ConnectionCounterparty(choices.pick(far), "", paths.COMMITMENT_PREFIX)
    version = DEFAULT_VERSION if world.setting_up else choices.pick(VERSIONS)
    delay = 0 if world.setting_up else choices.weighted(DELAYS)
    return [MsgConnectionOpenInit(choices.pick(near), counterparty, version, delay, world.relayer)]


def _pairs(
    world: World, chain: WalkChain, near_state: ConnectionState, far_state: ConnectionState
) -> list[tuple[str, str]]:
    """Return connections of both chains that name each other, in these states."""
    near, far = view.connections(chain), view.connections(world.other(chain))
    return [
        (name, other)
        for name, end in near.items()
        for other, their in far.items()
        if end.state is near_state
        and their.state is far_state
        and name == their.counterparty.connection_id
        and end.counterparty.connection_id in {"", other}
    ]


def _unanswered(world: World, chain: WalkChain) -> list[tuple[str, ConnectionEnd]]:
    near, far = view.connections(chain), view.connections(world.other(chain))
    answered = {end.counterparty.connection_id for end in near.values()}
    return [
        (name, end)
        for name, end in far.items()
        if end.state is ConnectionState.INIT
        and end.counterparty.client_id in view.tendermint_ids(chain)
        and (name not in answered or world.choices.chance(5))
    ]


def open_try(world: World, chain: WalkChain) -> list[object] | None:
    """Submit a ConnOpenTry for an INIT end of the other chain."""
    waiting = _unanswered(world, chain)
    if not waiting:
        return None
    name, end = world.choices.pick(waiting)
    client_id = end.counterparty.client_id
    proofs = world.prover(chain, client_id)
    if proofs is None:
        return None
    far = ConnectionCounterparty(end.client_id, name, paths.COMMITMENT_PREFIX)
    proof = proofs.proof(paths.connection_path(name))
    versions = end.versions or COMPATIBLE_VERSIONS
    delay, height = end.delay_period_ns, proofs.height
    message = MsgConnectionOpenTry(client_id, far, delay, versions, proof, height, world.relayer)
    return [*proofs.before, message]


def open_ack(world: World, chain: WalkChain) -> list[object] | None:
    """Submit a ConnOpenAck for a TRYOPEN end of the other chain."""
    found = _pairs(world, chain, ConnectionState.INIT, ConnectionState.TRYOPEN)
    if not found:
        return None
    name, other = world.choices.pick(found)
    version = view.connections(world.other(chain))[other].versions[0]
    proofs = world.prover(chain, view.connections(chain)[name].client_id)
    if proofs is None:
        return None
    proof = proofs.proof(paths.connection_path(other))
    return [
        *proofs.before,
        MsgConnectionOpenAck(name, other, version, proof, proofs.height, world.relayer),
    ]


def open_confirm(world: World, chain: WalkChain) -> list[object] | None:
    """Submit a ConnOpenConfirm for an OPEN end of the other chain."""
    found = _pairs(world, chain, ConnectionState.TRYOPEN, ConnectionState.OPEN)
    if not found:
        return None
    name, other = world.choices.pick(found)
    proofs = world.prover(chain, view.connections(chain)[name].client_id)
    if proofs is None:
        return None
    proof = proofs.proof(paths.connection_path(other))
    return [*proofs.before, MsgConnectionOpenConfirm(name, proof, proofs.height, world.relayer)]


MOVES: tuple[tuple[int, Move], ...] = ((3, open_init), (4, open_try), (4, open_ack), (4, open_confirm))
"""Weights and moves."""
