"""pyibc.node.v1.Query/Proofs: many entries of a store with their proofs, for relayers.

A relayer proves hundreds of packets by one header. One by one each costs a request's way through CometBFT,
and brings the same proof of the store's root.
"""

from collections.abc import Mapping
from functools import partial

from iavl import MultiStore
from ibc_core.errors import InvalidSdkRequest
from ibc_core.host.context import ReadContext
from ibc_core.host.gas import READ_BYTE, READ_FLAT
from ibc_core.host.routes import QueryRoute
from ibc_core.wire.deflated import deflate
from ibc_core.wire.encoding import encode
from ibc_core.wire.requests import answering
from ibc_proto.pyibc.node.v1 import query_pb2
from localnet.host.query import entry

PROOFS = "/pyibc.node.v1.Query/Proofs"


class ProofQueries:
    """Proofs of a host's stores."""

    def __init__(self, store: MultiStore) -> None:
        self._store = store

    def routes(self) -> Mapping[str, QueryRoute]:
        """`PROOFS`."""
        return {PROOFS: answering(query_pb2.QueryProofsRequest, self.answer)}

    def answer(
        self, ctx: ReadContext, request: query_pb2.QueryProofsRequest
    ) -> query_pb2.QueryProofsResponse:
        """The entries after the context's block; each is paid for, by its bytes as well.

        Raises:
            InvalidSdkRequest: there is no such store, no key, an empty one, or the absence of one cannot be
                proved; or the height has been pruned.
            OutOfGas: they are more than a query may read.
        """
        height = ctx.height.revision_height
        if request.store not in self._store.names() or not request.keys:
            raise InvalidSdkRequest("no key, or no such store")
        found = query_pb2.QueryProofsResponse(height=height)
        for key in request.keys:
            ctx.gas.consume(READ_FLAT)
            value, proofs = entry(key, partial(self._store.prove, request.store, key, height))
            found.entries.add(value=value or b"", proof=proofs[0])
            found.store_proof = proofs[1]
            ctx.gas.consume(READ_BYTE * found.entries[-1].ByteSize())
        if not request.deflate:
            return found
        return query_pb2.QueryProofsResponse(deflated=deflate(encode(found)))
