"""Messages in JSON, for applications without a .proto: a frozen `msgspec.Struct` with a field `signer`.

Decoding is the same on every node: unknown fields are refused, and the struct declares all bounds.
"""

from collections.abc import Callable
from typing import Protocol, TypeVar

import msgspec

from pyibc.codec.anys import AnyMessage
from pyibc.codec.gojson_members import MAX_JSON_DEPTH, MAX_JSON_DIGITS, has_long_number, is_deeper
from pyibc.core.address import AddressCodec
from pyibc.core.errors import TxDecode
from pyibc.core.host.context import MessageRoute, WriteContext
from pyibc.core.setup_error import WiringError


class SignedMessage(Protocol):
    """Message with the account that must sign it."""

    @property
    def signer(self) -> str:
        """Address of that account."""


_M = TypeVar("_M", bound=SignedMessage)


def json_message(type_url: str, message: SignedMessage) -> AnyMessage:
    """Pack a message as in a transaction."""
    return AnyMessage(type_url, msgspec.json.encode(message))


def json_route(
    type_url: str, kind: type[_M], addresses: AddressCodec, deliver: Callable[[WriteContext, _M], bytes]
) -> MessageRoute:
    """Build the route of messages of type `kind`; `deliver` executes one and returns the encoded response.

    The route's `decode` raises TxDecode, its `signers` InvalidAddress.

    Raises:
        WiringError: messages of type `kind` are mutable, so that nodes could diverge: it is not a frozen
            struct, or has a field such as a list; the message names it.
    """
    struct: type = kind
    # guard: h80-a-message-in-json-can-be-changed test_h80_a_message_that_can_be_changed_is_refused_at_wiring
    if not issubclass(struct, msgspec.Struct) or not struct.__struct_config__.frozen:
        name = f"{kind.__module__}.{kind.__qualname__}"
        raise WiringError(f"{name} can be changed by who receives it: make it a msgspec.Struct, frozen=True")

    def decode(raw: bytes) -> _M:
        if is_deeper(raw):  # msgspec recurses into skipped values up to Python's recursion limit
            raise TxDecode(f"nested deeper than {MAX_JSON_DEPTH}")
        # guard: d9-digits-are-not-counted test_d9_numbers_in_messages_in_json_are_bounded
        if has_long_number(raw):  # whether Python parses it depends on the node's settings
            raise TxDecode(f"a number of more than {MAX_JSON_DIGITS} digits")
        try:
            return msgspec.json.decode(raw, type=kind)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise TxDecode(str(error)) from error

    def signers(message: _M) -> tuple[bytes, ...]:
        return (addresses.decode(message.signer, "signer").raw,)

    return MessageRoute(decode, signers, deliver, f"{type_url}Response")
