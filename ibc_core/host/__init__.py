"""What a host gives: contexts over its stores, gas, events, blocks."""
