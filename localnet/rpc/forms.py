"""The JSON form of ABCI Query responses in CometBFT 0.38."""

from ibc_core.comet_json.fields import Json, write_base64
from localnet.host.query import QueryAnswer


def query_answer(answer: QueryAnswer) -> Json:
    """The JSON of an ABCI Query response."""
    ops = [
        {"type": op.kind, "key": write_base64(op.key), "data": write_base64(op.data)} for op in answer.proof
    ]
    return {
        "code": answer.code,
        "log": answer.log,
        "info": "",
        "index": "0",
        "key": write_base64(answer.key),
        "value": write_base64(answer.value),
        "proofOps": {"ops": ops} if ops else None,
        "height": str(answer.height),
        "codespace": answer.codespace,
    }
