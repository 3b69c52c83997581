"""How much of its past a chain keeps, and the least that it must."""

from typing import NamedTuple

EVIDENCE_BLOCKS = 100_000
"""CometBFT's default `evidence.max_age_num_blocks`."""

FEWEST_BLOCKS = 10
"""A power cut takes the state of two blocks at most: these and some more must be there to execute again."""


class Retention(NamedTuple):
    """Settings of a chain's storage."""

    keep_blocks: int | None = None  # blocks that are kept, the last one included; None: all
    keep_versions: int | None = 1000  # heights whose state can be queried and proved; None: all
    map_bytes: int = 1 << 38  # greatest size of each database; grows as needed, costs address space only
    cache_nodes: int = 500_000  # of the state's trees that stay in memory between blocks, 330 bytes each

    @property
    def evidence_blocks(self) -> int:
        """The age in blocks up to which evidence counts: never more than there are blocks to judge it by."""
        return min(EVIDENCE_BLOCKS, self.keep_blocks or EVIDENCE_BLOCKS)

    def check(self) -> None:
        """Raises ValueError: a setting is out of range."""
        if self.keep_blocks is not None and self.keep_blocks < FEWEST_BLOCKS:
            raise ValueError(f"keep_blocks is {self.keep_blocks}: at least {FEWEST_BLOCKS}")
        if self.keep_versions is not None and self.keep_versions < 1:
            raise ValueError(f"keep_versions is {self.keep_versions}: at least 1")
        if self.cache_nodes < 0:
            raise ValueError(f"cache_nodes is {self.cache_nodes}: at least 0")
        if self.map_bytes < 1 << 20:
            raise ValueError(f"map_bytes is {self.map_bytes}: at least 1 MiB")


def keep_from(height: int, retention: Retention, needed: int) -> int:
    """The oldest block to keep after block `height`.

    Args:
        height: The last block's.
        retention: The settings.
        needed: The oldest block that something else needs: the state, or a snapshot.

    Returns:
        A height; 0: all blocks.
    """
    if retention.keep_blocks is None:
        return 0
    # guard: h107-what-others-need-is-pruned drop:min test_h107_nothing_that_is_needed_is_pruned
    return max(0, min(height - retention.keep_blocks + 1, needed))
