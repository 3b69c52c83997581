"""Coin transfers over queues: escrow, vouchers, and redemption on return [IBC-channels 3.1, 3.6]."""
