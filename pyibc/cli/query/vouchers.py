"""Traces of vouchers: the channels over which the coin `ibc/HASH` came (ICS-20)."""

from functools import partial

from pyibc.apps.transfer.denom import Denom, Hop, make_denom, parse_denom, parse_hash
from pyibc.apps.transfer.queries import SERVICE
from pyibc.proto.ibc.applications.transfer.v1 import denomtrace_pb2
from pyibc.proto.ibc.applications.transfer.v1 import query_pb2 as pb
from pyibc.relayer.chain.endpoint import ChainEndpoint
from pyibc.relayer.chain.grpc_query import ask, malformed, read_of
from pyibc.relayer.errors import EndpointRefused

MAX_TRACES = 100
"""Maximum number of traces asked for by one command: each is a query."""

PREFIX = "ibc/"


class Traces:
    """Traces of one chain's vouchers."""

    def __init__(self, chain: ChainEndpoint) -> None:
        """Ask for no trace yet."""
        self._chain = chain
        self._left = MAX_TRACES

    def path(self, coin_denom: str) -> str:
        """Return the trace and base of `ibc/HASH`; "": not a voucher, or the chain does not tell.

        Raises:
            EndpointUnavailable: the chain does not answer.
            MalformedAnswer: the trace does not have the hash.
        """
        digest = parse_hash(coin_denom.removeprefix(PREFIX)) if coin_denom.startswith(PREFIX) else None
        if digest is None or not self._left:
            return ""
        self._left -= 1
        found = self._ask(coin_denom.removeprefix(PREFIX))
        if found is None:
            return ""
        # guard: a-trace-of-another-coin-is-shown drop test_a_trace_with_another_hash_is_malformed
        if found.digest != digest:
            raise malformed(self._chain, coin_denom, f"{found.path!r} has another hash")
        return found.path

    def _ask(self, hash_text: str) -> Denom | None:
        """Ask as since ibc-go v10, then as before; None: the chain refuses both."""
        request = pb.QueryDenomRequest(hash=hash_text)
        for query, read in (("Denom", _denom), ("DenomTrace", _denom_trace)):
            try:
                answer = ask(self._chain, f"{SERVICE}{query}", request, pb.QueryDenomResponse)
            except EndpointRefused:  # no such query, or no such coin
                continue
            return read_of(self._chain, query, partial(read, answer))
        return None


def _denom(answer: pb.QueryDenomResponse) -> Denom:
    return make_denom(
        answer.denom.base, tuple(Hop(each.port_id, each.channel_id) for each in answer.denom.trace)
    )


def _denom_trace(answer: pb.QueryDenomResponse) -> Denom:
    """Return the denomination in a QueryDenomTraceResponse, whose field 1 is a DenomTrace.

    Its request is that of Denom, byte for byte.
    """
    found = denomtrace_pb2.DenomTrace.FromString(answer.denom.SerializeToString())
    return parse_denom(f"{found.path}/{found.base_denom}")
