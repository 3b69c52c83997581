"""The host's outcomes and answers as ABCI has them."""

from abci_server import values
from abci_server.responses import ResponseCheckTx, ResponseQuery
from ibc_core.host.block import TxOutcome
from localnet.host.query import QueryAnswer

MAX_LOG = 4096
"""Characters of a log. CometBFT stores it with the block, and errors may quote text that a message chose."""


def tx_result(of: TxOutcome) -> values.ExecTxResult:
    """The ABCI result of a transaction in a block."""
    return values.ExecTxResult(
        of.code, of.data, of.log[:MAX_LOG], "", of.gas_wanted, of.gas_used, of.events, of.codespace
    )


def check_result(of: TxOutcome) -> ResponseCheckTx:
    """The ABCI response to CheckTx."""
    return ResponseCheckTx(
        of.code, of.data, of.log[:MAX_LOG], "", of.gas_wanted, of.gas_used, of.events, of.codespace
    )


def query_answer(of: QueryAnswer) -> ResponseQuery:
    """The ABCI response to a query; proofs are the operations `ics23:iavl` and `ics23:simple`."""
    proof = [values.ProofOp(*op) for op in of.proof]
    return ResponseQuery(
        of.code, of.log, key=of.key, value=of.value, proof_ops=proof, height=of.height, codespace=of.codespace
    )
