"""The host's values as ABCI's. Every attribute is indexed: `tx_search` finds what relayers ask for."""

from collections.abc import Iterable

from abci_server import values
from abci_server.responses import ResponseCheckTx, ResponseQuery
from ibc_core.host.block import TxOutcome
from ibc_core.host.events import Event
from localnet.host.query import QueryAnswer

MAX_LOG = 4096
"""Characters of a log: CometBFT keeps it with the block, and a message may choose what an error quotes."""


def events(of: Iterable[Event]) -> list[values.Event]:
    """Events with all their attributes indexed."""
    attribute = values.EventAttribute
    return [values.Event(kind, [attribute(key, value) for key, value in pairs]) for kind, pairs in of]


def tx_result(of: TxOutcome) -> values.ExecTxResult:
    """What came of a transaction in its block."""
    return values.ExecTxResult(
        of.code, of.data, of.log[:MAX_LOG], "", of.gas_wanted, of.gas_used, events(of.events), of.codespace
    )


def check_result(of: TxOutcome) -> ResponseCheckTx:
    """What CheckTx says of a transaction."""
    return ResponseCheckTx(
        of.code, of.data, of.log[:MAX_LOG], "", of.gas_wanted, of.gas_used, events(of.events), of.codespace
    )


def query_answer(of: QueryAnswer) -> ResponseQuery:
    """A query's answer; proofs as the operations `ics23:iavl` and `ics23:simple`."""
    proof = [values.ProofOp(*op) for op in of.proof]
    return ResponseQuery(
        of.code, of.log, key=of.key, value=of.value, proof_ops=proof, height=of.height, codespace=of.codespace
    )
