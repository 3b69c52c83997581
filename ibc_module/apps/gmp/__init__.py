"""ICS-27 GMP over IBC v2: a sender of another chain has messages executed by an account that it has here."""
