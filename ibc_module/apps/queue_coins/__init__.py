"""Coins over queues: escrowed here, vouchers there, redeemed back (000 3.1, 3.6). The worked example."""
