"""The height metadata of a call."""

from collections.abc import Iterable

from ibc_core.errors import InvalidRequest
from ibc_core.numbers import MAX_I64

HEIGHT = "x-cosmos-block-height"


Metadata = Iterable[tuple[str, str | bytes]]


def asked_height(metadata: Metadata) -> int:
    """The height in a call's metadata; 0 (the last) if absent.

    Raises:
        InvalidRequest: it is not a valid height, or is given more than once.
    """
    found = [value for key, value in metadata if key.lower() == HEIGHT]
    if not found:
        return 0
    text = found[0] if isinstance(found[0], str) else ""
    if len(found) > 1 or not text.isascii() or not text.isdigit() or len(text) > 19 or int(text) > MAX_I64:
        raise InvalidRequest(f"invalid height header {HEIGHT}")
    return int(text)
