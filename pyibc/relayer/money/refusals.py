"""Refusals by simulation and CheckTx, judged by another node where there is one (`second_opinion.py`)."""

from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple

from pyibc.core.host.block import TxOutcome
from pyibc.relayer.chain.second_opinion import Conclusion, Opinions, OtherNode, Trials, between, nothing
from pyibc.relayer.chain.simulation import UNKNOWN, Estimate, Simulator
from pyibc.relayer.chain.values import Query
from pyibc.relayer.errors import EndpointRefused, RelayerError
from pyibc.relayer.links.outcomes import Action, action_of

_STOPS = frozenset({Action.STOP_PATH, Action.ACCOUNT, Action.CLOCK, Action.WAIT})
"""Actions that stop more than one packet."""


class NodeAccess(NamedTuple):
    """Access to a node that an account needs."""

    query: Query
    broadcast: Callable[[bytes], TxOutcome]  # returns the outcome of CheckTx
    height: int  # of a block committed before the broadcast
    opinions: Opinions | None = None  # None: there are no other nodes
    max_gas: Callable[[], int | None] = lambda: None  # of a block of the chain; None: none, or not known


class Draft(NamedTuple):
    """Transaction to simulate."""

    raw: bytes
    packets: int
    refuse: Callable[[int], TxOutcome | None]  # refusal of a transaction that needs so much gas
    depends: bool  # on transactions in flight, so that a refusal proves nothing


def judge(
    draft: Draft, node: NodeAccess, simulator: Simulator, trials: Trials
) -> tuple[Estimate, Conclusion]:
    """Return the estimate that counts, and what the outcome of the transaction will show about a node.

    Raises:
        EndpointUnavailable: the first node does not answer.
    """
    simulated = simulator.simulate(node.query, draft.raw)
    # With a transaction in flight that the messages may depend on, a refused simulation proves nothing.
    if simulated.refusal is not None and draft.depends:
        return UNKNOWN, nothing
    found = _within_limits(simulated, draft)
    if found.refusal is None or action_of(found.refusal) is Action.DONE:
        return found, nothing
    first, other = _another(node)
    if other is not None:
        second = UNKNOWN
        with suppress(RelayerError):  # then there is no second opinion this time
            second = _within_limits(Simulator().simulate(other.query, draft.raw), draft)
        # guard: a-second-opinion-counts-for-nothing drop
        #   test_what_one_node_refuses_and_another_accepts_is_sent
        if second.gas is not None:
            return second, first(other.name)
        return _milder(found, second), nothing
    # guard: without-another-node-a-refusal-is-final drop
    #   test_without_another_node_one_refused_packet_is_sent_once_in_a_while
    if trials.should_send(is_single=draft.packets <= 1):
        return UNKNOWN, trials.conclusion(node.opinions)
    return found, nothing


def broadcast(raw: bytes, node: NodeAccess) -> tuple[TxOutcome, Conclusion]:
    """Broadcast by one node, and if it refuses by another; return the outcome of CheckTx that counts.

    A transaction that two nodes know is included at most once, since it uses up its sequence.

    Raises:
        RelayerError: the node does not answer, or refuses the call and no other one accepts.
    """
    refusal: TxOutcome | RelayerError
    try:
        refusal = checked = node.broadcast(raw)
        if not checked.code or action_of(checked) is Action.DONE:
            return checked, nothing
    except RelayerError as error:
        if not isinstance(error.__cause__, EndpointRefused):
            raise
        refusal = error
    first, other = _another(node)
    if other is not None:
        with suppress(RelayerError):
            checked = other.broadcast(raw)
            # guard: a-refusal-by-one-node-is-final drop
            #   test_what_one_node_does_not_take_is_broadcast_by_another
            if not checked.code:
                return checked, first(other.name)
    if isinstance(refusal, RelayerError):
        raise refusal
    return refusal, nothing


def _another(node: NodeAccess) -> tuple[Callable[[str], Conclusion], OtherNode | None]:
    """Return another node, and the conclusion about the one that refused and that other one, by its name."""
    opinions = node.opinions
    if opinions is None:
        return lambda _: nothing, None
    first = opinions.speaker
    return lambda second: between(opinions, first, second), opinions.another()


def _within_limits(found: Estimate, draft: Draft) -> Estimate:
    refusal = None if found.gas is None else draft.refuse(found.gas)
    return found if refusal is None else Estimate(None, refusal)


def _milder(first: Estimate, second: Estimate) -> Estimate:
    """Return the refusal of two nodes that stops less; the first if the second gives no opinion."""
    if first.refusal is None or second.refusal is None or action_of(first.refusal) not in _STOPS:
        return first
    return second
