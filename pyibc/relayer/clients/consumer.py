"""Consumer chains (ICS-28, interchain security): misbehaviour is submitted to the provider, which slashes.

Field numbers are those of cosmos/interchain-security, proto/interchain_security/ccv/provider/v1.
"""

from pyibc.codec.anys import AnyMessage
from pyibc.core.errors import IbcError
from pyibc.proto.varint import encode_varint
from pyibc.relayer.chain.endpoint import ChainEndpoint, Consumer
from pyibc.relayer.errors import EndpointUnavailable, MalformedAnswer
from pyibc.relayer.money.fees import field_of

CONSUMER_CHAIN = "/interchain_security.ccv.provider.v1.Query/QueryConsumerChain"
SUBMIT = "/interchain_security.ccv.provider.v1.MsgSubmitConsumerMisbehaviour"
MISBEHAVIOUR = "/ibc.lightclients.tendermint.v1.Misbehaviour"
_CHAIN_ID, _CLIENT_ID = 2, 9


def consumer_client(consumer: Consumer, provider: ChainEndpoint, chain_id: str) -> str | None:
    """Return the client of a consumer chain on its provider; None: this is not its provider.

    Raises:
        EndpointUnavailable, MalformedAnswer: the chain does not answer, or not as it should.
    """
    try:
        answer = provider.grpc(CONSUMER_CHAIN, _field(1, consumer.id.encode()))
    except (EndpointUnavailable, MalformedAnswer):
        raise
    except IbcError:  # no provider, or one without this consumer
        return None
    # guard: any-chain-s-consumer drop test_a_consumer_of_another_chain_is_not_reported
    if field_of(answer, _CHAIN_ID) != chain_id.encode():
        return None
    return (field_of(answer, _CLIENT_ID) or b"").decode("ascii", "replace") or None


def consumer_misbehaviour(consumer: Consumer, submitter: str, evidence: AnyMessage) -> AnyMessage:
    """Return MsgSubmitConsumerMisbehaviour."""
    parts = ((1, submitter.encode()), (2, evidence.value), (3, consumer.id.encode()))
    return AnyMessage(SUBMIT, b"".join(_field(number, raw) for number, raw in parts))


def _field(number: int, raw: bytes) -> bytes:
    return encode_varint(8 * number + 2) + encode_varint(len(raw)) + raw
