"""Headers that the native part read (`ibc_core/native.py`): accepted here, or looked at by the reference.

`read` stands for decoding a header and `updates.check_basic`, `may_take` for `updates.verify_update`. Both
only accept; what they do not, the reference decodes and decides from the start.
"""

from ibc_core import native
from ibc_core.errors import HeaderVerificationError
from ibc_core.height import Height
from ibc_core.wire.gotime import NANOSECONDS
from light_client.tendermint import updates
from light_client.tendermint.codec import decode_client_header
from light_client.tendermint.predicates import check_next_validators_match
from light_client.tendermint.states import ClientState, ConsensusState
from light_client.tendermint.types import BlockId, ClientHeader, Header
from light_client.tendermint.updates import height_of, options_of, trusted_of
from light_client.tendermint.verifier import check_follows
from light_client.tendermint.voting import TrustLevel


class SeenHeader:
    """An ICS-7 header that passed `updates.check_basic`: its votes and validators are only counted."""

    __slots__ = (
        "_committed",
        "entries",
        "header",
        "members",
        "raw",
        "trusted_hash",
        "trusted_height",
        "votes",
    )

    def __init__(self, raw: bytes, facts: native.HeaderFacts) -> None:
        """`raw`: its bytes. `facts`: what they say."""
        chain_id, height, (seconds, nanos), last_block_id, *others = facts.fields
        self.raw = raw
        self.header = Header(
            chain_id, height, seconds * NANOSECONDS + nanos, BlockId(*last_block_id), *others
        )
        self.trusted_height = Height(*facts.trusted_height)
        self.trusted_hash = facts.trusted_hash
        self.votes, self.entries, self.members = facts.counts
        self._committed: tuple[bool, TrustLevel] | None = None

    def decoded(self) -> ClientHeader:
        """All of it, by the reference; raises as `decode_client_header`."""
        return decode_client_header(self.raw)

    @property
    def was_committed(self) -> bool:
        """Whether `is_committed` has said yes."""
        return self._committed is not None

    def is_committed(self, adjacent: bool, level: TrustLevel) -> bool:
        """Whether enough validators signed it; the last question that was answered with yes is remembered."""
        asked = (adjacent, level)
        # guard: h197-one-yes-for-every-question {self._committed != asked => self._committed is None}
        #   test_h197_a_yes_is_remembered_for_its_question_alone
        if self._committed != asked:
            if not native.verify_commit(self.raw, adjacent, *level):
                return False
            self._committed = asked
        return True


def read(raw: bytes) -> SeenHeader | None:
    """A header that passes `updates.check_basic`; None where it may not."""
    facts = native.read_header(raw)
    if facts is None:
        return None
    seen = SeenHeader(raw, facts)
    return seen if seen.trusted_height < height_of(seen) else None


def verify_update(
    state: ClientState, client_header: ClientHeader | SeenHeader, trusted: ConsensusState, now_ns: int
) -> None:
    """Checks that the client may take a header over. Args and Raises: as `updates.verify_update`."""
    if isinstance(client_header, SeenHeader):
        if may_take(client_header, state, trusted, now_ns):
            return
        # guard: h197-a-refusal-is-the-last-word {=> raise HeaderVerificationError}
        #   test_h197_the_same_comes_out_with_whatever_accepts_what_python_accepts
        client_header = client_header.decoded()
    updates.verify_update(state, client_header, trusted, now_ns)


def may_take(seen: SeenHeader, state: ClientState, trusted: ConsensusState, now_ns: int) -> bool:
    """Whether the client takes the header over. Args: as `updates.verify_update`."""
    header, base = seen.header, seen.trusted_height
    announced = trusted.next_validators_hash
    # guard: h197-any-trusted-validators drop:trusted_hash
    #   test_h197_the_same_comes_out_with_whatever_accepts_what_python_accepts
    if seen.trusted_hash != announced or height_of(seen).revision_number != base.revision_number:
        return False
    adjacent = header.height == base.revision_height + 1
    try:
        check_follows(trusted_of(state, base, trusted), header, options_of(state), now_ns)
        if adjacent:
            check_next_validators_match(header, announced)
    except HeaderVerificationError:
        # guard: h197-any-time-and-height pass
        #   test_h197_the_same_comes_out_with_whatever_accepts_what_python_accepts
        return False
    return seen.is_committed(adjacent, state.trust_level)
