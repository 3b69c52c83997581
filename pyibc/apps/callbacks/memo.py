"""Callback data in a packet's memo (ADR-8, ibc-go's modules/apps/callbacks/types/callbacks.go).

`{"src_callback": {"address": "...", "gas_limit": "200000", "calldata": "00ff"}}`; `dest_callback` for chain
B. The gas limit is a decimal text; a missing one, "" and "0" mean the chain's maximum. Call data is
hexadecimal.
"""

import re
from enum import Enum

from pyibc.core.application.packet_data import PacketData
from pyibc.core.errors import InvalidCallbackData
from pyibc.core.identifiers import GO_SPACES
from pyibc.core.numbers import parse_u64
from pyibc.core.value import value

_FIELDS = ("address", "gas_limit", "calldata")
_hexadecimal = re.compile(r"(?:[0-9a-fA-F]{2})*+").fullmatch


class Side(Enum):
    """Chain whose contract is called; the value is the key in the memo."""

    SOURCE = "src_callback"
    DESTINATION = "dest_callback"


@value
class CallbackData:
    """Callback data of one packet (ibc-go's CallbackData)."""

    address: str  # of the contract, in any format
    calldata: bytes  # b"" if the packet has none
    sender: str  # of the packet, from the application; "" on chain B, where it is unverified
    version: str  # of the channel, or of the payload
    execution_gas: int  # gas for this call: at most what the transaction has left
    commit_gas: int  # gas for this call, if the transaction has enough

    @property
    def may_retry(self) -> bool:
        """Return whether a transaction with more gas could give the contract more."""
        return self.execution_gas < self.commit_gas


def callback_data(
    data: PacketData, side: Side, version: str, port_id_on_a: str, remaining: int, max_gas: int
) -> CallbackData | None:
    """Parse the callback data of a packet; None if the memo's key holds no object.

    `remaining`: gas left in the transaction; `max_gas`: the chain's limit for a contract.

    Raises:
        InvalidCallbackData: there is an object, and it is malformed.
    """
    fields = data.texts(side.value, _FIELDS)
    if fields is None:
        return None
    address = fields.get("address")
    # guard: h177-a-blank-address drop:strip test_memo::test_what_is_malformed_is_refused
    if address is None or not address.strip(GO_SPACES):
        raise InvalidCallbackData("no address")
    # guard: h176-the-chain-gives-what-is-asked drop:min test_gas_limits
    #   test_h176_a_contract_has_no_more_than_the_chain_gives
    commit = min(_gas_limit(fields) or max_gas, max_gas)
    # guard: h177-a-sender-that-nobody-vouches-for always:side test_what_is_asked_for
    sender = data.sender_at(port_id_on_a) if side is Side.SOURCE else ""
    return CallbackData(address, _calldata(fields), sender, version, min(remaining, commit), commit)


def _gas_limit(fields: dict[str, str | None]) -> int:
    """Parse the gas limit; 0 if none is given."""
    text = fields.get("gas_limit", "")
    if text is None:
        # guard: h177-a-gas-limit-of-any-type {=> return 0} test_memo::test_what_is_malformed_is_refused
        raise InvalidCallbackData("the gas limit is not a string")
    if not text:
        return 0
    limit = parse_u64(text.lstrip("0") or "0")
    if limit is None:
        raise InvalidCallbackData(f"gas limit {text[:32]!a}")
    return limit


def _calldata(fields: dict[str, str | None]) -> bytes:
    text = fields.get("calldata", "")
    if text is None:
        raise InvalidCallbackData("the call data is not a string")
    # guard: h177-call-data-of-any-letters test_memo::test_what_is_malformed_is_refused
    if _hexadecimal(text) is None:
        raise InvalidCallbackData("the call data is not hexadecimal")
    # guard: h177-call-data-of-any-letters {bytes.fromhex(text) => text.encode()}
    return bytes.fromhex(text)
