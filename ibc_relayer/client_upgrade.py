"""Moves a client to its chain's next revision, once that chain has committed to it (ICS-2, ICS-7).

A chain whose upgrade is planned for height H halts before it commits block H. The state after block H - 1
holds the upgraded client and consensus state, and header H, which its validators have signed, proves them.
"""

from typing import NamedTuple

from ibc_core import paths
from ibc_core.client.types import TENDERMINT
from ibc_core.client.upgrade import MsgUpgradeClient
from ibc_core.client.upgrade_plan import decode_plan_height
from ibc_core.errors import IbcError
from ibc_core.host.block import TxOutcome
from ibc_core.identifiers import parse_client_id
from ibc_core.paths import UPGRADE_PLAN, UPGRADE_STORE_NAME
from ibc_core.wire.anys import decode_any
from ibc_core.wire.message import pack_msg
from ibc_relayer.endpoint import ChainEndpoint, Proven
from ibc_relayer.errors import EndpointRefused, EndpointUnavailable, MalformedAnswer
from ibc_relayer.foreign_client import ForeignClient
from ibc_relayer.submission import send


class Upgraded(NamedTuple):
    """What became of an attempt."""

    client_id: str
    height: int  # of the plan
    outcome: TxOutcome


def planned_height(reference: ChainEndpoint) -> int:
    """The first height that the chain does not commit, by its upgrade module; 0: nothing is planned.

    Raises:
        EndpointUnavailable, MalformedAnswer: the chain does not answer.
    """
    try:
        raw = reference.get(UPGRADE_PLAN, UPGRADE_STORE_NAME)
    except (EndpointUnavailable, MalformedAnswer):
        raise
    except IbcError:  # a chain without the module
        return 0
    return decode_plan_height(raw) or 0 if raw else 0


def upgrade(client: ForeignClient, height: int) -> Upgraded | None:
    """Upgrades the client, if its chain halts at `height` and has committed to its next states.

    None: it has not yet, or the client is beyond that height, or not of this chain any more.

    Raises:
        EndpointUnavailable, EndpointRefused, MalformedAnswer: a chain does not answer as it should.
        TransactionFailed: the client cannot be updated to the last header.
        ClientUnusable: it is frozen.
    """
    reference = client.reference
    if parse_client_id(client.client_id)[0] != TENDERMINT or reference.tip().height < height - 1:
        return None
    view = client.view()
    if view.chain_id != reference.chain_id or view.latest.revision_height > height:
        return None
    try:
        states = [
            reference.prove(key, height - 1, UPGRADE_STORE_NAME)
            for key in (paths.upgraded_client_path(height), paths.upgraded_consensus_state_path(height))
        ]
        if not all(state.value for state in states):
            return None
        client.update_to(height)
    except EndpointRefused:  # header `height` is not signed yet
        if reference.tip().height >= height:
            raise
        return None
    return Upgraded(client.client_id, height, send(client.host, [pack_msg(_message(client, *states))]))


def _message(client: ForeignClient, state: Proven, consensus: Proven) -> MsgUpgradeClient:
    return MsgUpgradeClient(
        client.client_id,
        decode_any(state.value or b""),
        decode_any(consensus.value or b""),
        state.proof,
        consensus.proof,
        client.host.signer,
    )
