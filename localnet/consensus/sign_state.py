"""What the validators of this process signed last: on disk before the signatures exist.

CometBFT's `priv_validator_state.json` holds height, round, step and the signed bytes (`privval/file.go`).
Here all validators sign together, so one record serves all. It has the whole proposal as well: a block that
was signed and then lost with the process is finished after a restart, never replaced by another.
"""

from pathlib import Path
from typing import NamedTuple

import msgspec

from light_client.tendermint.types import BlockId, Validator
from localnet.durable import TwoSlots
from localnet.errors import DoubleSign, UnreadableSignState

_PRECOMMIT_STEP = 3  # CometBFT's stepPrecommit


class Proposal(NamedTuple):
    """All that a block is made of, beside the state before it."""

    height: int
    time_ns: int
    txs: tuple[bytes, ...]
    flags: dict[bytes, int]  # validators that do not vote for it, by address
    updates: tuple[Validator, ...]  # new powers (0: removed), in force two blocks later

    @property
    def changes(self) -> dict[Validator, int]:
        """The updates as `rotation.changed` takes them."""
        return {member: member.power for member in self.updates}


class Signed(NamedTuple):
    """The last signed block."""

    height: int
    round: int  # always 0: proposals of one process find agreement at once
    step: int
    block_id: BlockId
    proposal: Proposal


class SignState:
    """The last signed block of one chain's validators.

    Args:
        path: Common prefix of its two files; None: in memory.

    Raises:
        UnreadableSignState: both files are damaged.
        OSError: they cannot be opened.
    """

    def __init__(self, path: Path | None) -> None:
        self._slots = TwoSlots(path, durable=True) if path else None
        self.last = _last(self._slots, path) if self._slots and path else None
        """What was signed last; None: nothing."""

    def sign(self, proposal: Proposal, block_id: BlockId) -> None:
        """Records that the validators sign this block; from here on they sign no other at its height.

        Raises:
            DoubleSign: they signed another block at this height, or one at a later height.
            OSError: the disk refuses; nothing may be signed.
        """
        last = self.last
        if last is not None and proposal.height <= last.height:
            if (proposal.height, block_id) == (last.height, last.block_id):
                return
            # guard: h104-another-block-is-signed-at-a-height test_h104_nobody_signs_two_blocks_of_a_height
            raise DoubleSign(proposal.height, block_id.hash, last.height, last.block_id.hash)
        signed = Signed(proposal.height, 0, _PRECOMMIT_STEP, block_id, proposal)
        if self._slots is not None:
            self._slots.write(proposal.height, msgspec.msgpack.encode(signed))
        self.last = signed

    def close(self) -> None:
        """Closes the files."""
        if self._slots is not None:
            self._slots.close()


def _last(slots: TwoSlots, path: Path) -> Signed | None:
    try:
        found = [msgspec.msgpack.decode(raw, type=Signed) for raw in slots.read()]
    except msgspec.DecodeError as error:
        slots.close()
        raise UnreadableSignState(str(path)) from error
    if slots.is_damaged():
        slots.close()
        raise UnreadableSignState(str(path))
    return max(found, key=lambda each: each.height, default=None)
