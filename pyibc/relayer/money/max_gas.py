"""Maximum gas of a transaction: the configured one, or that of the chain's blocks if it is lower."""

REFRESH_BLOCKS = 200
"""Blocks after which the chain's maximum is queried again: governance may change it."""
LEAST = 1_000_000
"""Lowest maximum that is believed: below it a block has no room for a client update."""


class MaxGas:
    """Maximum gas of the transactions to one chain."""

    def __init__(self, configured: int) -> None:
        """Start with the configured maximum, which is never exceeded."""
        self._configured = configured
        self._queried_at: int | None = None  # height
        self.now = configured

    def is_due(self, height: int) -> bool:
        """Return whether to query the chain's maximum after block `height`; the next call is not due then."""
        due = self._queried_at is None or height - self._queried_at >= REFRESH_BLOCKS
        if due:
            self._queried_at = height
        return due

    def learn(self, found: int | None) -> bool:
        """Take over the maximum gas of the chain's blocks; None: there is none, or it is not known.

        Returns:
            Whether the maximum is higher than before.
        """
        before = self.now
        # guard: no-maximum-is-a-maximum {found < LEAST => False}
        #   test_a_maximum_that_no_chain_has_is_not_believed
        if found is None or found < LEAST:
            found = self._configured
        # guard: more-gas-than-a-block-has {min(found, self._configured) => self._configured}
        #   test_no_transaction_has_more_gas_than_a_block_of_the_chain
        self.now = min(found, self._configured)
        return self.now > before

    def doubt(self) -> None:
        """Query the chain's maximum with the next transaction, after the chain refused one for its size."""
        self._queried_at = None
