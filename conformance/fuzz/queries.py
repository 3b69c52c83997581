"""Cases of queries: every field of every request that a chain answers, and the query paths themselves."""

from collections.abc import Iterator
from functools import partial

from conformance.fuzz.block_stage import Stage
from conformance.fuzz.case import Attack, Case
from conformance.fuzz.grammar import Write, written
from conformance.fuzz.messages import proofs
from conformance.fuzz.samples import sample
from conformance.fuzz.scalars import TEXTS
from conformance.fuzz.wire import repeat
from conformance.fuzz.worlds import Worlds
from pyibc.proto.pool import POOL, message_class

_HIDDEN = {"cosmos.tx.v1beta1.SimulateRequest.tx_bytes": "cosmos.tx.v1beta1.TxRaw"}
_FIRST = {"client_id": "07-tendermint-0", "connection_id": "connection-0", "channel_id": "channel-0"}
_STORES = ("/store/ibc/key", "/store/acc/key", "/store/queue/key")


def query_cases(made: Worlds, *, every: bool = False) -> Iterator[Case]:
    """Return requests by gRPC method and by ABCI path."""
    stage = made.last
    for path in stage.chain.app.grpc_paths():
        service, _, method = path.strip("/").rpartition("/")
        request = POOL.FindServiceByName(service).methods_by_name[method].input_type
        cls = message_class(request.full_name)
        base = cls.FromString(sample(request))
        for name, value in _FIRST.items():
            if name in request.fields_by_name:
                setattr(base, name, value)
        for each in written(cls, base.SerializeToString(), {**proofs(), **_HIDDEN}, every=every):
            yield Case(f"query {path} {each.name}", partial(_asked, stage, path, each.write))
    for name, piece in TEXTS.items():
        yield Case(f"query path of {name}", partial(_path, stage, "/", piece))
        yield Case(f"query store of {name}", partial(_path, stage, "/store/", piece))
    for path in _STORES:
        yield Case(f"query {path} long", partial(_key, stage, path, prove=False))
        yield Case(f"query {path} long, with proof", partial(_key, stage, path, prove=True))


def _asked(stage: Stage, path: str, write: Write, size: int) -> Attack:
    return stage.query(path, write(size))


def _path(stage: Stage, start: str, piece: bytes, size: int) -> Attack:
    return stage.query(start + repeat(piece, size).decode("utf-8", "replace"), b"")


def _key(stage: Stage, path: str, size: int, *, prove: bool) -> Attack:
    return stage.query(path, b"k" * size, prove=prove)
