"""Values of a chain's answers: last block, proven entry, light block; and a query with its report."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from pyibc.core.height import Height, revision_of
from pyibc.relayer.errors import RelayerError

Report = Callable[[RelayerError], None]
"""Takes a MalformedAnswer about the last answer that the calling thread got."""


@dataclass(frozen=True)
class Query:
    """gRPC query of a chain: path and request to response."""

    ask: Callable[[str, bytes], bytes]
    report_malformed: Report | None = None
    """Called when a response turns out to be malformed; None: nobody wants to know."""

    def __call__(self, path: str, request: bytes) -> bytes:
        """Make a query and return the encoded response."""
        return self.ask(path, request)


class Tip(NamedTuple):
    """Height and time (Unix nanoseconds) of the last committed block."""

    height: int
    time_ns: int


class Proven(NamedTuple):
    """Store entry, or its absence, with its proof."""

    value: bytes | None  # None: absent, and `proof` proves non-membership
    proof: bytes  # encoded MerkleProof (ICS-23)
    height: Height  # proof height: of the header whose app hash commits to the state, one above the block


class LightBlock(NamedTuple):
    """Signed header and the validators that signed it, as protobuf bytes."""

    height: int
    time_ns: int
    signed_header: bytes  # tendermint.types.SignedHeader
    validators: bytes  # tendermint.types.ValidatorSet


def height_on(chain_id: str, height: int) -> Height:
    """Return `height` with the revision number of the chain id."""
    return Height(revision_of(chain_id), height)
