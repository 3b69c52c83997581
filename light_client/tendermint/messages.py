"""The messages of a tendermint client: headers and evidence, out of what was kept of them or decoded."""

from ibc_core.any_message import AnyMessage
from ibc_core.client.types import TENDERMINT
from ibc_core.errors import InvalidClientType
from light_client.tendermint import misbehaviour, updates
from light_client.tendermint.codec import HEADER_TYPE_URL, MISBEHAVIOUR_TYPE_URL, decode_client_header
from light_client.tendermint.seen import read
from light_client.tendermint.taken import TAKEN, ClientMessage
from light_client.tendermint.types import Misbehaviour


def checked(message: AnyMessage) -> ClientMessage:
    """What a message holds, checked as far as it goes without trust.

    Raises:
        InvalidClientType: it is neither a header nor evidence.
        IbcError: see `updates` and `misbehaviour`.
    """
    if message.type_url == HEADER_TYPE_URL:
        seen = read(message.value)
        if seen is not None:
            return seen
        header = decode_client_header(message.value)
        updates.check_basic(header)
        return header
    evidence = _evidence(message)
    misbehaviour.check_basic_misbehaviour(evidence)
    return evidence


def decode(message: AnyMessage) -> ClientMessage:
    """What a message holds, as `checked` by whoever asked before."""
    taken = TAKEN.get(message)
    if taken is not None:
        return taken
    if message.type_url == HEADER_TYPE_URL:
        return decode_client_header(message.value)
    return _evidence(message)


def _evidence(message: AnyMessage) -> Misbehaviour:
    if message.type_url == MISBEHAVIOUR_TYPE_URL:
        return misbehaviour.decode_misbehaviour(message.value)
    raise InvalidClientType(f"{message.type_url[:100]!a} is no message of {TENDERMINT}")
