"""Moves with headers signed by dishonest validators, and misbehaviour."""

from conformance.kit.forged_headers import EQUIVOCATIONS, FORGERIES
from conformance.kit.headers import resigned, signers
from conformance.walks import view
from conformance.walks.chain import WalkChain
from conformance.walks.moves import Move
from conformance.walks.world import World
from light_client.tendermint.codec import MISBEHAVIOUR_TYPE_URL, pack_client_header
from light_client.tendermint.misbehaviour import encode_misbehaviour
from light_client.tendermint.types import ClientHeader, Misbehaviour
from pyibc.codec.anys import AnyMessage
from pyibc.core.client.messages import MsgUpdateClient
from pyibc.core.height import Height


def _honest(world: World, chain: WalkChain, *, spare: int) -> tuple[str, ClientHeader] | None:
    """Return a client that may be frozen without stopping the walk, and an honest header for it.

    `spare`: number of the oldest active clients that are not used.
    """
    ids = [each for each in view.tendermint_ids(chain) if view.is_active(chain, each, world.now_ns)]
    if len(ids) <= spare:
        return None
    client_id = world.choices.pick(ids[spare:])
    far = world.other(chain)
    world.run(far)
    known = view.known_heights(chain, client_id)
    last = far.height.revision_height
    trusted = [each for each in known if each.revision_height < last and _same_revision(each, far)]
    if not trusted:
        return None
    honest = far.header(last, world.choices.pick(trusted))
    if len(signers(honest)) < len(honest.validator_set):
        return None  # forgeries need every validator's signature
    return client_id, honest


def _same_revision(height: Height, far: WalkChain) -> bool:
    return height.revision_number == far.height.revision_number


def forged_header(world: World, chain: WalkChain) -> list[object] | None:
    """Submit a forged header, which must be rejected."""
    found = _honest(world, chain, spare=0)
    if found is None:
        return None
    client_id, honest = found
    told = FORGERIES[world.choices.pick(sorted(FORGERIES))].forge(honest, world.other(chain).keyring)
    return [MsgUpdateClient(client_id, pack_client_header(told), world.relayer)]


def fork(world: World, chain: WalkChain) -> list[object] | None:
    """Submit an honest header and a conflicting one: the client freezes."""
    found = _honest(world, chain, spare=1)
    if found is None:
        return None
    client_id, honest = found
    other = EQUIVOCATIONS[world.choices.pick(sorted(EQUIVOCATIONS))](honest, world.other(chain).keyring)
    first, second = (honest, other) if world.choices.chance(50) else (other, honest)
    return [
        MsgUpdateClient(client_id, pack_client_header(first), world.relayer),
        MsgUpdateClient(client_id, pack_client_header(second), world.relayer),
    ]


def misbehaviour(world: World, chain: WalkChain) -> list[object] | None:
    """Submit misbehaviour: a fork, a violation of time monotonicity, or invalid evidence."""
    found = _honest(world, chain, spare=1)
    if found is None:
        return None
    client_id, honest = found
    keyring = world.other(chain).keyring
    later = resigned(honest, keyring, time_ns=honest.header.time_ns + 5)
    pairs = (
        (EQUIVOCATIONS["other_state"](honest, keyring), honest),
        (honest, later),
        (honest, honest),
        (_above(world, chain, honest), honest),
    )
    evidence = Misbehaviour(client_id, *world.choices.pick(pairs))
    packed = AnyMessage(MISBEHAVIOUR_TYPE_URL, encode_misbehaviour(evidence))
    return [MsgUpdateClient(client_id, packed, world.relayer)]


def _above(world: World, chain: WalkChain, honest: ClientHeader) -> ClientHeader:
    """Return the next header, or one at its height with an earlier time."""
    far = world.other(chain)
    world.run(far)
    following = far.header(far.height.revision_height, honest.trusted_height)
    if world.choices.chance(50):
        return following
    return resigned(following, far.keyring, time_ns=honest.header.time_ns - 1)


MOVES: tuple[tuple[int, Move], ...] = ((4, forged_header), (2, fork), (4, misbehaviour))
"""Weights and moves."""
