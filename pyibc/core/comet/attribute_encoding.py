"""Encoding of event attributes in a node's answer: base64 or plain text.

Tendermint and CometBFT before 0.37 encode them, later versions write plain text. Neither the JSON nor the
version text of a node tells which: forks have version numbers of their own, and a node may be upgraded while
it is in use. So the keys of an answer decide.
"""

from base64 import b64decode, b64encode
from binascii import Error as BinasciiError
from collections.abc import Iterable

from pyibc.core.host.block import Event

_CONTRACTS = "wasm"
"""Beginning of the types of events whose keys a contract chooses."""


def are_encoded(events: Iterable[Event]) -> bool:
    """Return whether the attributes of undecoded events, all of one answer, are base64.

    All keys must be base64, which one key of the chain's own modules disproves (`fee`, `spender`). Most keys
    that no contract has chosen must encode a printable text, which few plain keys do by chance.
    """
    keys, chosen = set[str](), set[str]()
    for kind, pairs in events:
        (chosen if kind.startswith(_CONTRACTS) else keys).update([key for key, _ in pairs])
    keys.discard("")
    chosen.discard("")
    texts = [_decoded(key) for key in keys or chosen]
    # guard: one-plain-key-proves-nothing drop
    #   test_keys_that_a_contract_chooses_do_not_change_how_a_block_is_read
    if None in texts or None in map(_decoded, chosen):
        return False
    return 2 * sum(text is not None and _is_name(text) for text in texts) > len(texts)


def _decoded(key: str) -> bytes | None:
    """Return the bytes that canonical base64 encodes; None: it is something else."""
    try:
        raw = b64decode(key, validate=True)
    except (BinasciiError, ValueError):
        return None
    return raw if b64encode(raw).decode() == key else None


def _is_name(raw: bytes) -> bool:
    return raw.isascii() and raw.decode("ascii").isprintable()
