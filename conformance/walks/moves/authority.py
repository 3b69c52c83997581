"""Moves of governance: parameters and recovery of clients."""

from conformance.walks import genesis, view
from conformance.walks.chain import Action, WalkChain
from conformance.walks.moves import Move
from conformance.walks.moves.clients import pack_states
from conformance.walks.record import text_of
from conformance.walks.world import World
from light_client.tendermint.states import ConsensusState
from pyibc.apps.transfer.messages import MsgUpdateTransferParams
from pyibc.core import paths
from pyibc.core.client.messages import MsgCreateClient, MsgRecoverClient, MsgUpdateClientParams
from pyibc.core.client.types import ALLOW_ALL_CLIENTS, SOLOMACHINE, TENDERMINT
from pyibc.core.connection.messages import MsgUpdateConnectionParams
from pyibc.core.height import Height
from pyibc.core.wire import states
from pyibc.core.wire.message import Msg, pack_msg

OPEN_LISTS = ((ALLOW_ALL_CLIENTS,), (TENDERMINT, SOLOMACHINE), (TENDERMINT, SOLOMACHINE, "08-wasm"))
CLOSED_LISTS: tuple[tuple[str, ...], ...] = ((), (SOLOMACHINE,), (TENDERMINT,))
BAD_LISTS = (("",), (ALLOW_ALL_CLIENTS, TENDERMINT), (TENDERMINT, TENDERMINT), tuple(map(str, range(201))))
BLOCK_TIMES = (30_000_000_000, 1_000_000_000, 1)


def _signer(world: World) -> str:
    return genesis.AUTHORITY if world.choices.chance(80) else world.someone()


def client_params(world: World, chain: WalkChain) -> list[object] | None:
    """Change the allowed client types; a restrictive list is reverted."""
    allowed = states.decode_client_params(chain.get(paths.CLIENT_PARAMS) or b"")
    if allowed not in OPEN_LISTS:
        return [MsgUpdateClientParams(OPEN_LISTS[0], genesis.AUTHORITY)]
    if world.choices.chance(25):
        return [MsgUpdateClientParams(world.choices.pick(BAD_LISTS), genesis.AUTHORITY)]
    lists = CLOSED_LISTS if world.choices.chance(20) else OPEN_LISTS
    return [MsgUpdateClientParams(world.choices.pick(lists), _signer(world))]


def connection_params(world: World, _: WalkChain) -> list[object] | None:
    """Change the maximum expected time per block, used for delay periods."""
    length = 0 if world.choices.chance(15) else world.choices.pick(BLOCK_TIMES)
    message = MsgUpdateConnectionParams(length, _signer(world))
    if world.choices.chance(30):
        return governance(message)
    return [message]


def governance(message: Msg) -> list[object]:
    """Return the action of a message of the authority, executed outside of transactions."""
    packed = pack_msg(message)
    return [Action("authority_msg", {"type_url": packed.type_url, "value_b64": text_of(packed.value)})]


def ics20_params(world: World, chain: WalkChain) -> list[object] | None:
    """Enable or disable sending and receiving; a disabled direction is enabled again."""
    if chain.host.store.get("transfer", b"params") != b"\x08\x01\x10\x01":
        return [pack_msg(MsgUpdateTransferParams(True, True, genesis.AUTHORITY))]
    one, two = world.choices.chance(60), world.choices.chance(60)
    return [pack_msg(MsgUpdateTransferParams(one, two, _signer(world)))]


def recover(world: World, chain: WalkChain) -> list[object] | None:
    """Recover a frozen or expired client with a new substitute."""
    ids = view.tendermint_ids(chain)
    lost = [each for each in ids if not view.is_active(chain, each, world.now_ns)]
    if not lost or len(ids) > 20:
        return None
    used = {end.client_id for end in view.connections(chain).values()}
    subject = world.choices.pick([each for each in lost if each in used] or lost)
    far = world.other(chain)
    world.run(far)
    height = far.height.revision_height
    header = far.sealed(height).header
    state = view.client_state(chain, subject)._replace(
        chain_id=header.chain_id,
        latest_height=Height(far.height.revision_number, height),
        frozen_height=Height(0, 0),
    )
    consensus = ConsensusState(header.time_ns, header.app_hash, header.next_validators_hash)
    substitute = f"{TENDERMINT}-{view.sequence(chain, paths.NEXT_CLIENT_SEQUENCE)}"
    return [
        MsgCreateClient(*pack_states(state, consensus), world.relayer),
        MsgRecoverClient(subject, substitute, _signer(world)),
    ]


def recover_by_other(world: World, chain: WalkChain) -> list[object] | None:
    """Recover any client with any other, which rarely succeeds."""
    ids = view.client_ids(chain)
    if len(ids) < 2:
        return None
    message = MsgRecoverClient(world.choices.pick(ids), world.choices.pick(ids), _signer(world))
    return governance(message) if world.choices.chance(50) else [message]


def behave(world: World, chain: WalkChain) -> list[object] | None:
    """Make a callback of the mock application fail, or all of them succeed again."""
    if chain.host.mock.apps["mock"].refusing:
        return [Action("app_behaviour", {"callback": "all", "error": None})]
    names = ("on_chan_close_init", "on_chan_close_confirm", "on_acknowledgement_packet", "on_timeout_packet")
    return [Action("app_behaviour", {"callback": world.choices.pick(names), "error": "refused"})]


def is_shut(chain: WalkChain) -> bool:
    """Return whether parameters or the mock application make most messages fail."""
    allowed = states.decode_client_params(chain.get(paths.CLIENT_PARAMS) or b"")
    params = chain.host.store.get("transfer", b"params")
    return (
        allowed not in OPEN_LISTS
        or params != b"\x08\x01\x10\x01"
        or bool(chain.host.mock.apps["mock"].refusing)
    )


def is_lost(world: World, chain: WalkChain) -> bool:
    """Return whether a client of a connection is frozen or expired."""
    used = {end.client_id for end in view.connections(chain).values()}
    return any(
        not view.is_active(chain, client_id, world.now_ns)
        for client_id in view.tendermint_ids(chain)
        if client_id in used
    )


MOVES: tuple[tuple[int, Move], ...] = (
    (2, client_params),
    (3, connection_params),
    (2, ics20_params),
    (4, recover),
    (2, recover_by_other),
    (1, behave),
)
"""Weights and moves."""
