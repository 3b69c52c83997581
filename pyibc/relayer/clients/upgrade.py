"""Client upgrade to the next revision of its chain (MsgUpgradeClient; ICS-2, ICS-7).

A chain with an upgrade plan for height H halts before it commits block H. The state after block H - 1
contains the upgraded client and consensus states; header H, which the validators have signed, proves them.
"""

from typing import NamedTuple

from pyibc.codec.anys import decode_any
from pyibc.core import paths
from pyibc.core.client.messages import MsgUpgradeClient
from pyibc.core.client.types import TENDERMINT, decode_plan_height
from pyibc.core.errors import IbcError
from pyibc.core.host.block import TxOutcome
from pyibc.core.identifiers import parse_client_id
from pyibc.core.paths import UPGRADE_PLAN, UPGRADE_STORE_NAME
from pyibc.core.wire.message import pack_msg
from pyibc.relayer.chain.endpoint import ChainEndpoint
from pyibc.relayer.chain.values import Proven
from pyibc.relayer.clients.foreign_client import ForeignClient
from pyibc.relayer.errors import EndpointRefused, EndpointUnavailable, MalformedAnswer
from pyibc.relayer.links.outcomes import send


class UpgradeResult(NamedTuple):
    """Result of a client upgrade."""

    client_id: str
    height: int  # upgrade height of the plan
    outcome: TxOutcome


def planned_height(reference: ChainEndpoint) -> int:
    """Query the height of the upgrade plan (x/upgrade), the first one that is not committed; 0: no plan.

    Raises:
        EndpointUnavailable, MalformedAnswer: no response, or a malformed one.
    """
    try:
        raw = reference.get(UPGRADE_PLAN, UPGRADE_STORE_NAME)
    except (EndpointUnavailable, MalformedAnswer):
        raise
    except IbcError:  # a chain without the upgrade module
        return 0
    return decode_plan_height(raw) or 0 if raw else 0


def upgrade(client: ForeignClient, height: int) -> UpgradeResult | None:
    """Upgrade the client if its chain halted at `height` and committed the upgraded states.

    Returns:
        The result; None if the chain has not halted there yet, the client is above that height, or it tracks
        another chain by now.

    Raises:
        EndpointUnavailable, EndpointRefused, MalformedAnswer: a query failed.
        TransactionFailed: the client cannot be updated to the last header.
        ClientUnusable: the client is frozen.
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
    return UpgradeResult(client.client_id, height, send(client.host, [pack_msg(_message(client, *states))]))


def _message(client: ForeignClient, state: Proven, consensus: Proven) -> MsgUpgradeClient:
    return MsgUpgradeClient(
        client.client_id,
        decode_any(state.value or b""),
        decode_any(consensus.value or b""),
        state.proof,
        consensus.proof,
        client.host.signer,
    )
