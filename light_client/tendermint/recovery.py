"""Bringing an expired or frozen client back by a substitute (ibc-go `07-tendermint/proposal_handle.go`)."""

from ibc_core.errors import InvalidSubstitute
from ibc_core.height import ZERO_HEIGHT
from light_client.tendermint.states import ClientState


def recovered(subject: ClientState, substitute: ClientState) -> ClientState:
    """The subject's state after recovery: unfrozen, at the substitute's height, chain id and trusting period.

    Raises:
        InvalidSubstitute: they differ in a parameter that says how the chain is followed.
    """
    if _parameters(subject) != _parameters(substitute):
        raise InvalidSubstitute("subject client state does not match substitute client state")
    return subject._replace(
        chain_id=substitute.chain_id,
        latest_height=substitute.latest_height,
        trusting_period_ns=substitute.trusting_period_ns,
        frozen_height=ZERO_HEIGHT,
    )


def _parameters(state: ClientState) -> ClientState:
    return state._replace(
        chain_id="",
        latest_height=ZERO_HEIGHT,
        frozen_height=ZERO_HEIGHT,
        trusting_period_ns=0,
        allow_update_after_expiry=True,
        allow_update_after_misbehaviour=True,
    )
