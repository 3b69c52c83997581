"""Coins over queues: escrow here, vouchers there, redeemed on the way back [IBC-channels 3.1, 3.6]."""
