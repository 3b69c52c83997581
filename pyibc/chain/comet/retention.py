"""Limits on the history that a chain stores, and their minimums."""

from typing import NamedTuple

EVIDENCE_BLOCKS = 100_000
"""CometBFT's default `evidence.max_age_num_blocks`."""

FEWEST_BLOCKS = 10
"""Minimum number of blocks: a power cut loses the state of at most two, which are executed again."""


class Retention(NamedTuple):
    """Settings of a chain's storage."""

    keep_blocks: int | None = None  # blocks that are retained, including the last one; None for all
    keep_versions: int | None = 1000  # heights whose state can be queried and proved; None for all
    map_bytes: int = 1 << 38  # maximum size of each database; grows as needed, costs address space only
    cache_nodes: int = 500_000  # of the state's trees that stay in memory between blocks, 330 bytes each

    @property
    def evidence_blocks(self) -> int:
        """Maximum age of evidence in blocks: at most the number of stored blocks."""
        return min(EVIDENCE_BLOCKS, self.keep_blocks or EVIDENCE_BLOCKS)

    def check(self) -> None:
        """Raise ValueError if a setting is out of range."""
        if self.keep_blocks is not None and self.keep_blocks < FEWEST_BLOCKS:
            raise ValueError(f"keep_blocks is {self.keep_blocks}; it must be at least {FEWEST_BLOCKS}")
        if self.keep_versions is not None and self.keep_versions < 1:
            raise ValueError(f"keep_versions is {self.keep_versions}; it must be at least 1")
        if self.cache_nodes < 0:
            raise ValueError(f"cache_nodes is {self.cache_nodes}; it must be at least 0")
        if self.map_bytes < 1 << 20:
            raise ValueError(f"map_bytes is {self.map_bytes}; it must be at least 1 MiB")


def keep_from(height: int, retention: Retention, needed: int) -> int:
    """Return the oldest block to retain after block `height`.

    Args:
        height: Height of the last block.
        retention: Settings of the chain.
        needed: Oldest block that is needed for the state or a snapshot.

    Returns:
        Height of the block; 0 for all blocks.
    """
    if retention.keep_blocks is None:
        return 0
    # guard: h107-what-others-need-is-pruned drop:min test_h107_nothing_that_is_needed_is_pruned
    return max(0, min(height - retention.keep_blocks + 1, needed))
