"""Comparison of the relayers' ledgers with the fees that their accounts paid."""

from collections.abc import Iterator
from contextlib import closing

from conformance.simulation.nodes import RELAYERS, SUPPLY, Node
from conformance.simulation.world import World
from pyibc.relayer.money.ledger import Ledger
from pyibc.relayer.money.ledger_report import open_fees, spent


def fee_differences(world: World) -> Iterator[str]:
    """Yield the differences between the fees in a ledger and those paid by the account.

    If a ledger was lost, or blocks were deleted before it was opened again, its fees are only an upper or
    lower bound.
    """
    for name, relayer in zip(RELAYERS, world.relayers, strict=True):
        with closing(relayer.settled()) as ledger:
            for node in world.nodes:
                paid, (known, open_) = _paid(node, name), _known(ledger, node, name)
                at_most = paid if relayer.lost_ledgers else known + open_
                if not known <= paid <= max(known, at_most):
                    chain_id = node.identity.chain_id
                    yield f"{name} paid {paid} on {chain_id}, its ledger has {known}, {open_} in doubt"


def _paid(node: Node, name: str) -> int:
    app, wallet = node.chain.app, node.identity.wallet(name)
    return SUPPLY - app.bank.balance(app.query_context(), wallet.address.raw, node.identity.denom)


def _known(ledger: Ledger, node: Node, name: str) -> tuple[int, int]:
    denom, payer = node.identity.denom, node.identity.wallet(name).address.text
    settled = spent(ledger, node.identity.chain_id, payer).get(denom, 0)
    return settled, open_fees(ledger, node.identity.chain_id).get(denom, 0)
