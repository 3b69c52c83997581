"""Moves of chain upgrades: a planned revision, and clients that are upgraded to it."""

from conformance.walks import genesis, prover, view
from conformance.walks.chain import Action, WalkChain
from conformance.walks.moves import Move
from conformance.walks.moves.clients import DAY
from conformance.walks.world import World
from light_client.tendermint.states import CLIENT_STATE_TYPE_URL, ClientState, encode_client_state
from light_client.tendermint.verifier import TrustLevel
from pyibc.codec.anys import AnyMessage, decode_any
from pyibc.codec.gotime import GO_ZERO_TIME_NS
from pyibc.core import paths
from pyibc.core.client.messages import MsgIbcSoftwareUpgrade, MsgUpgradeClient
from pyibc.core.client.types import UpgradePlan, decode_plan_height
from pyibc.core.height import ZERO_HEIGHT, Height

FAR_AWAY = 20
"""Upgrades this many blocks ahead are not reached: a mutated plan may name any height."""


def _next_id(chain_id: str) -> str:
    name, _, number = chain_id.rpartition("-")
    return f"{name}-{int(number) + 1}"


def _next_state(chain: WalkChain, plan_height: int, unbonding_ns: int) -> ClientState:
    chain_id = _next_id(chain.chain_id)
    latest = Height(chain.height.revision_number + 1, plan_height + 1)
    return ClientState(chain_id, TrustLevel(0, 0), 0, unbonding_ns, 0, latest, ZERO_HEIGHT)


def plan(world: World, chain: WalkChain) -> list[object] | None:
    """Schedule an upgrade by the authority, with the client state of the next revision."""
    choices = world.choices
    at = chain.height.revision_height + choices.between(3, 8)
    if choices.chance(15):
        at = choices.pick((0, chain.height.revision_height))
    state = _next_state(chain, at, choices.pick((21 * DAY, 7 * DAY)))
    packed = AnyMessage(CLIENT_STATE_TYPE_URL, encode_client_state(state))
    scheme = UpgradePlan("next", GO_ZERO_TIME_NS, at, "", has_client_state=False)
    signer = genesis.AUTHORITY if choices.chance(85) else world.someone()
    return [MsgIbcSoftwareUpgrade(scheme, packed, signer)]


def _planned(chain: WalkChain) -> int | None:
    raw = chain.host.store.get(paths.UPGRADE_STORE_NAME, paths.UPGRADE_PLAN)
    return None if raw is None else decode_plan_height(raw)


def upgrade(world: World, chain: WalkChain) -> list[object] | None:
    """Run the other chain to its upgrade height, then upgrade a client with proofs."""
    far = world.other(chain)
    at = _planned(far)
    active = [each for each in view.tendermint_ids(chain) if view.is_active(chain, each, world.now_ns)]
    if at is None or not active or not 0 < at - far.height.revision_height < FAR_AWAY:
        return None
    while far.height.revision_height < at:
        world.run(far)
    client_id = world.choices.pick(active)
    world.send(chain, prover.update(far, chain, client_id, world.relayer), note="update before an upgrade")
    committed = [paths.upgraded_client_path(at), paths.upgraded_consensus_state_path(at)]
    values = [far.host.store.get(paths.UPGRADE_STORE_NAME, key) for key in committed]
    if None in values:
        return None
    states = [decode_any(value or b"") for value in values]
    proofs = [far.proof(key, at, paths.UPGRADE_STORE_NAME) for key in committed]
    return [MsgUpgradeClient(client_id, states[0], states[1], proofs[0], proofs[1], world.relayer)]


def new_revision(_: World, chain: WalkChain) -> list[object] | None:
    """Continue a chain past its upgrade height with its new chain id."""
    at = _planned(chain)
    if at is None or chain.height.revision_height < at:
        return None
    return [Action("set_chain_id", {"chain_id": _next_id(chain.chain_id)})]


MOVES: tuple[tuple[int, Move], ...] = ((4, plan), (4, upgrade))
"""Weights and moves."""
