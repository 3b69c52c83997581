"""ICS-27 GMP over IBC v2: a sender on another chain executes messages from its account on this chain."""
