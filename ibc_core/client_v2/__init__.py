"""Client pairs and allowed relayers of IBC v2."""
