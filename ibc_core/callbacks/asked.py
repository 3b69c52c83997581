"""What a packet's memo says of its callback (ADR-8, ibc-go's modules/apps/callbacks/types/callbacks.go).

`{"src_callback": {"address": "...", "gas_limit": "200000", "calldata": "00ff"}}`; `dest_callback` on B.
A gas limit is a decimal text; none, "" and "0" stand for the chain's maximum. Call data is hexadecimal.
"""

import re
from enum import Enum

from ibc_core.application.packet_data import PacketData
from ibc_core.errors import InvalidCallbackData
from ibc_core.identifiers import GO_SPACES
from ibc_core.numbers import parse_u64
from ibc_core.value import value

_FIELDS = ("address", "gas_limit", "calldata")
_hexadecimal = re.compile(r"(?:[0-9a-fA-F]{2})*+").fullmatch


class Side(Enum):
    """Which chain's contract is asked for: the key in a memo."""

    SOURCE = "src_callback"
    DESTINATION = "dest_callback"


@value
class Asked:
    """A callback that a packet asks for."""

    address: str  # the contract's, whatever addresses of contracts look like
    calldata: bytes  # b"" where the packet has none
    sender: str  # of the packet, as the application tells it; "" on chain B, where nobody vouches for it
    version: str  # the application's: the channel's, or the payload's
    execution_gas: int  # what the contract may use now
    commit_gas: int  # what it may use at most, had the transaction enough left

    @property
    def may_retry(self) -> bool:
        """Whether a transaction with more gas could give the contract more."""
        return self.execution_gas < self.commit_gas


def asked(
    told: PacketData, side: Side, version: str, port_id_on_a: str, remaining: int, max_gas: int
) -> Asked | None:
    """The callback that a packet asks for, None where it asks for none: its key has no object.

    `remaining`: gas of the transaction under way; `max_gas`: what a chain gives a contract at most.

    Raises:
        InvalidCallbackData: there is an object, and it is malformed.
    """
    fields = told.texts(side.value, _FIELDS)
    if fields is None:
        return None
    address = fields.get("address")
    # guard: h177-a-blank-address drop:strip test_asked::test_what_is_malformed_is_refused
    if address is None or not address.strip(GO_SPACES):
        raise InvalidCallbackData("no address")
    # guard: h176-the-chain-gives-what-is-asked drop:min test_gas_limits
    #   test_h176_a_contract_has_no_more_than_the_chain_gives
    commit = min(_gas_limit(fields) or max_gas, max_gas)
    # guard: h177-a-sender-that-nobody-vouches-for always:side test_what_is_asked_for
    sender = told.sender_at(port_id_on_a) if side is Side.SOURCE else ""
    return Asked(address, _calldata(fields), sender, version, min(remaining, commit), commit)


def _gas_limit(fields: dict[str, str | None]) -> int:
    """0: none is given."""
    text = fields.get("gas_limit", "")
    if text is None:
        # guard: h177-a-gas-limit-of-any-type {=> return 0} test_asked::test_what_is_malformed_is_refused
        raise InvalidCallbackData("a gas limit that is no text")
    if not text:
        return 0
    limit = parse_u64(text.lstrip("0") or "0")
    if limit is None:
        raise InvalidCallbackData(f"gas limit {text[:32]!a}")
    return limit


def _calldata(fields: dict[str, str | None]) -> bytes:
    text = fields.get("calldata", "")
    if text is None:
        raise InvalidCallbackData("call data that is no text")
    # guard: h177-call-data-of-any-letters test_asked::test_what_is_malformed_is_refused
    if _hexadecimal(text) is None:
        raise InvalidCallbackData("call data that is not hexadecimal")
    # guard: h177-call-data-of-any-letters {bytes.fromhex(text) => text.encode()}
    return bytes.fromhex(text)
