"""Comparison of client updates: 07-tendermint clients with and without native code get the same headers."""

from collections.abc import Iterator
from typing import NamedTuple

from conformance.memory import CLIENT, block
from conformance.native.trial import Trial, asking
from conformance.oracle import headers
from conformance.oracle.program import Case
from light_client.tendermint import store
from light_client.tendermint.client import TendermintLightClient
from light_client.tendermint.codec import HEADER_TYPE_URL
from light_client.tendermint.header_cache import VERIFIED_MESSAGES, NativeHeader
from light_client.tendermint.states import decode_client_state, decode_consensus_state
from light_client.tendermint.store import Processed
from pyibc.codec.anys import AnyMessage
from pyibc.core.crypto.signatures import VERIFIED
from pyibc.core.errors import IbcError
from pyibc.core.height import Height

_code = TendermintLightClient()


class Outcome(NamedTuple):
    """All observable results of an update."""

    error: str
    gas: int
    frozen: bool
    written: object


def trials(seed: int) -> Iterator[Trial]:
    """Yield updates, honest and forged: checked, verified and executed, twice in a row as after CheckTx."""
    for case in headers.cases(seed):
        VERIFIED_MESSAGES.clear()
        VERIFIED.clear()
        taken = _outcomes(case)
        accepted = any(
            isinstance(each, NativeHeader) and each.is_commit_verified for each in VERIFIED_MESSAGES.values()
        )
        VERIFIED_MESSAGES.clear()
        with asking(None):
            yield Trial(accepted, taken, _outcomes(case), case)


def _outcomes(case: Case) -> tuple[Outcome, Outcome]:
    return _outcome(case), _outcome(case)


def _outcome(case: Case) -> Outcome:
    state, consensus, place, raw, now = case.arguments
    ctx = block(int.from_bytes(now, "big"))
    height = Height(int.from_bytes(place[:8], "big"), int.from_bytes(place[8:], "big"))
    store.set_client_state(ctx, CLIENT, decode_client_state(state))
    store.set_consensus_state(
        ctx, CLIENT, height, decode_consensus_state(consensus), Processed(Height(1, 1), 1)
    )
    message, frozen, error = AnyMessage(HEADER_TYPE_URL, raw), False, ""
    try:
        _code.check_message(message)
        _code.verify_client_message(ctx, CLIENT, message)
        frozen = _code.check_for_misbehaviour(ctx, CLIENT, message)
        _code.update_state(ctx, CLIENT, message)
    except IbcError as refused:
        error = f"{refused.codespace}/{refused.code}: {refused}"
    return Outcome(error, ctx.gas.used, frozen, ctx.writes("ibc"))
