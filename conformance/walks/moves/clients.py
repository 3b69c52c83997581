"""07-tendermint clients: creation, updates in any order, deletion of the creator."""

from conformance.walks import prover, view
from conformance.walks.chain import WalkChain
from conformance.walks.moves import Move
from conformance.walks.world import World
from light_client.tendermint.states import (
    CLIENT_STATE_TYPE_URL,
    CONSENSUS_STATE_TYPE_URL,
    ClientState,
    ConsensusState,
    encode_client_state,
    encode_consensus_state,
)
from light_client.tendermint.verifier import TrustLevel
from pyibc.codec.anys import AnyMessage
from pyibc.core.client.messages import MsgCreateClient, MsgDeleteClientCreator, MsgUpdateClient
from pyibc.core.height import Height
from pyibc.testing.pair import SECOND

MINUTE, DAY = 60 * SECOND, 86_400 * SECOND
TRUSTING = ((12, 14 * DAY), (4, 12 * MINUTE), (3, 3 * MINUTE))
LEVELS = ((6, TrustLevel(1, 3)), (2, TrustLevel(2, 3)), (1, TrustLevel(1, 1)))
DRIFT = ((6, 10 * SECOND), (1, 1), (1, DAY))


def make_states(world: World, far: WalkChain, height: int) -> tuple[ClientState, ConsensusState]:
    """Return the states of a new client that starts at a header of `far`."""
    choices, header = world.choices, far.sealed(height).header
    terms = (LEVELS[0][1], TRUSTING[0][1], DRIFT[0][1])
    if not world.setting_up:
        terms = choices.weighted(LEVELS), choices.weighted(TRUSTING), choices.weighted(DRIFT)
    state = ClientState(
        header.chain_id,
        terms[0],
        terms[1],
        21 * DAY,
        terms[2],
        Height(far.height.revision_number, height),
    )
    return state, ConsensusState(header.time_ns, header.app_hash, header.next_validators_hash)


def pack_states(state: ClientState, consensus: ConsensusState) -> tuple[AnyMessage, AnyMessage]:
    """Return both states as Any."""
    return (
        AnyMessage(CLIENT_STATE_TYPE_URL, encode_client_state(state)),
        AnyMessage(CONSENSUS_STATE_TYPE_URL, encode_consensus_state(consensus)),
    )


def create(world: World, chain: WalkChain) -> list[object] | None:
    """Create a client, with any signer."""
    if len(view.client_ids(chain)) > 9:
        return None
    far = world.other(chain)
    last = far.height.revision_height
    height = last if world.setting_up or world.choices.chance(80) else world.choices.between(1, last)
    packed = pack_states(*make_states(world, far, height))
    signer = world.relayer if world.setting_up or world.choices.chance(70) else world.someone()
    return [MsgCreateClient(*packed, signer)]


def _one(world: World, chain: WalkChain) -> str | None:
    """Return a client, usually an active one."""
    ids = view.tendermint_ids(chain)
    active = [client_id for client_id in ids if view.is_active(chain, client_id, world.now_ns)]
    if active and world.choices.chance(85):
        return world.choices.pick(active)
    return world.choices.pick(ids) if ids else None


def update(world: World, chain: WalkChain) -> list[object] | None:
    """Update a client with the last header, an earlier one, or a known one."""
    client_id = _one(world, chain)
    if client_id is None:
        return None
    choices, far = world.choices, world.other(chain)
    world.run(far)
    known = view.known_heights(chain, client_id)
    known = [height for height in known if height.revision_height <= far.height.revision_height]
    if not known:
        return None
    trusted = known[-1] if choices.chance(60) else choices.pick(known)
    last = far.height.revision_height
    height = last if choices.chance(60) else choices.between(min(trusted.revision_height + 1, last), last)
    message = prover.header(far, height, trusted)
    return [MsgUpdateClient(client_id, message, world.relayer)]


def update_many(world: World, chain: WalkChain) -> list[object] | None:
    """Update several clients in one transaction."""
    ids = [each for each in view.tendermint_ids(chain) if view.is_active(chain, each, world.now_ns)]
    if not ids:
        return None
    far = world.other(chain)
    world.run(far)
    return [prover.update(far, chain, client_id, world.relayer) for client_id in ids]


def keep_alive(world: World, chain: WalkChain) -> list[object] | None:
    """Update a client with a short trusting period until its first consensus states expire."""
    short = [
        each
        for each in view.tendermint_ids(chain)
        if view.is_active(chain, each, world.now_ns)
        and view.client_state(chain, each).trusting_period_ns < DAY
    ]
    far = world.other(chain)
    if not short:
        state, consensus = make_states(world, far, far.height.revision_height)
        return [
            MsgCreateClient(
                *pack_states(state._replace(trusting_period_ns=3 * MINUTE), consensus), world.relayer
            )
        ]
    client_id = world.choices.pick(short)
    period = view.client_state(chain, client_id).trusting_period_ns
    for _ in range(2):
        world.now_ns += period // 2
        world.run(far)
        world.send(chain, prover.update(far, chain, client_id, world.relayer), note="kept alive")
    world.run(far)
    return [prover.update(far, chain, client_id, world.relayer)]


def delete_creator(world: World, chain: WalkChain) -> list[object] | None:
    """Delete the record of a client's creator."""
    ids = view.client_ids(chain)
    if len(ids) < 3:
        return None
    signer = world.relayer if world.choices.chance(70) else world.someone()
    return [MsgDeleteClientCreator(world.choices.pick(ids), signer)]


MOVES: tuple[tuple[int, Move], ...] = (
    (2, create),
    (9, update),
    (2, update_many),
    (3, delete_creator),
    (3, keep_alive),
)
"""Weights and moves."""
