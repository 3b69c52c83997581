"""Coins over queues: escrowed here, vouchers there, redeemed on return [IBC-channels 3.1, 3.6]."""
