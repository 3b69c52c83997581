"""Messages in JSON, for applications that have no .proto: a frozen `msgspec.Struct` with a field `signer`.

A host decodes the same bytes on every node: unknown fields are refused, and bounds are the struct's own.
"""

from collections.abc import Callable
from typing import Protocol, TypeVar

import msgspec

from ibc_core.address import AddressCodec
from ibc_core.any_message import AnyMessage
from ibc_core.errors import TxDecode
from ibc_core.host.context import WriteContext
from ibc_core.host.routes import MessageRoute
from ibc_core.wire.json_depth import MAX_JSON_DEPTH, MAX_JSON_DIGITS, has_long_number, is_deeper
from ibc_module.frozen_structs import require_frozen


class Signed(Protocol):
    """A message with the account that must sign it."""

    @property
    def signer(self) -> str:
        """Its address."""


_M = TypeVar("_M", bound=Signed)


def json_message(type_url: str, message: Signed) -> AnyMessage:
    """The message as a transaction carries it."""
    return AnyMessage(type_url, msgspec.json.encode(message))


def json_route(
    type_url: str, kind: type[_M], addresses: AddressCodec, deliver: Callable[[WriteContext, _M], bytes]
) -> MessageRoute:
    """How a host handles messages of `kind`; `deliver` executes one and returns the response's bytes.

    The route's `decode` raises TxDecode, its `signers` InvalidAddress.

    Raises:
        WiringError: messages of `kind` can be changed, so that nodes would part: it is no frozen struct, or
            holds a list, say; the message names what does.
    """
    # guard: h80-a-message-in-json-can-be-changed test_h80_a_message_that_can_be_changed_is_refused_at_wiring
    require_frozen(kind)

    def decode(raw: bytes) -> _M:
        if is_deeper(raw):  # msgspec recurses into what it skips, as far as Python's limit lets it
            raise TxDecode(f"nested deeper than {MAX_JSON_DEPTH}")
        # guard: d9-digits-are-not-counted test_d9_numbers_in_messages_in_json_are_bounded
        if has_long_number(raw):  # which it reads or not as this node's Python is set
            raise TxDecode(f"a number of more than {MAX_JSON_DIGITS} digits")
        try:
            return msgspec.json.decode(raw, type=kind)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise TxDecode(str(error)) from error

    def signers(message: _M) -> tuple[bytes, ...]:
        return (addresses.decode(message.signer, "signer").raw,)

    return MessageRoute(decode, signers, deliver, f"{type_url}Response")
