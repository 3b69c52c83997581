"""What relayers paid, as their ledgers have it and as their accounts do."""

from collections.abc import Iterator
from contextlib import closing

from conformance.simulation.nodes import RELAYERS, SUPPLY, Node
from conformance.simulation.world import World
from ibc_relayer.ledger import Ledger
from ibc_relayer.ledger_report import in_doubt, spent


def unaccounted(world: World) -> Iterator[str]:
    """Where a ledger says other fees than an account has paid.

    Of a ledger that was lost, and of transactions in blocks that were deleted before it was opened again, no
    more is known than that they were paid.
    """
    for name, relayer in zip(RELAYERS, world.relayers, strict=True):
        with closing(relayer.settled()) as ledger:
            for node in world.nodes:
                paid, (known, open_) = _paid(node, name), _known(ledger, node, name)
                at_most = paid if relayer.lost_ledgers else known + open_
                if not known <= paid <= max(known, at_most):
                    chain_id = node.terms.chain_id
                    yield f"{name} has paid {paid} on {chain_id}, knows of {known}, {open_} in doubt"


def _paid(node: Node, name: str) -> int:
    app, wallet = node.chain.app, node.terms.wallet(name)
    return SUPPLY - app.bank.balance(app.query_context(), wallet.address.raw, node.terms.denom)


def _known(ledger: Ledger, node: Node, name: str) -> tuple[int, int]:
    denom, payer = node.terms.denom, node.terms.wallet(name).address.text
    settled = spent(ledger, node.terms.chain_id, payer).get(denom, 0)
    return settled, in_doubt(ledger, node.terms.chain_id).get(denom, 0)
