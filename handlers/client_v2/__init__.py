"""Client messages of IBC v2."""
